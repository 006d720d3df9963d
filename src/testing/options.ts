import { toMilliseconds, type Duration } from './clock.js';
import type { ListingInput } from './market/inventory.js';
import type { RecordedRequest } from './request-log.js';
import {
  errorShapes,
  listEnvelopes,
  type ErrorShape,
  type ListEnvelope,
} from './service/envelopes.js';

/**
 * What an emulator can be told at its start. Every option may be left out.
 *
 * @example
 * ```ts
 * import { MarketEmulator, type EmulatorOptions } from 'market-partner-sdk/testing';
 *
 * const options: EmulatorOptions = {
 *   inventory: [{ domain: 'brew.example', price_cents: 250_000 }],
 *   listEnvelope: 'items', // the service's own is not specified: does your code depend on it?
 *   errorShape: 'nested',
 * };
 * const emulator = await MarketEmulator.start(options);
 * await emulator.stop();
 * ```
 */
export interface EmulatorOptions {
  /** Port to listen on; 0, which is what it is unless given, takes any that is free. */
  readonly port?: number;
  /** Address to listen on. `'127.0.0.1'` unless given; nothing outside this machine can reach it. */
  readonly host?: string;
  /** A path before all others, as behind a gateway: `'/gateway'`. It is part of the signed path. */
  readonly pathPrefix?: string;
  /** The time that the service's clock runs with, in Unix milliseconds. `Date.now` unless given. */
  readonly clock?: () => number;
  /** What is listed, instead of some three hundred invented test domains. */
  readonly inventory?: readonly ListingInput[];
  /** A whole number; the same gives the same test domains and identifiers. 1 unless given. */
  readonly seed?: number;
  /** What lists are wrapped in: `'data'` unless given. The history of events is documented and stays. */
  readonly listEnvelope?: ListEnvelope;
  /** What errors are wrapped in: `'flat'`, which is `{ code, message }`, unless given. */
  readonly errorShape?: ErrorShape;
  /** How many requests, and how many deliveries, are kept for assertions. 1,000 unless given. */
  readonly logSize?: number;
  /**
   * The waits before each repeat of a failed webhook delivery, on the service's clock; after the
   * last it is given up. 1 minute, 5 minutes, 30 minutes, 2 hours and 12 hours unless given.
   */
  readonly webhookRetries?: readonly Duration[];
  /** How long a webhook receiver may take, in real milliseconds. 5,000 as documented unless given. */
  readonly webhookTimeoutMs?: number;
  /** Is told of each request as it is answered. */
  readonly onRequest?: (request: RecordedRequest) => void;
}

/** The options, checked and complete. */
export interface Settings {
  readonly port: number;
  readonly host: string;
  readonly pathPrefix: string;
  readonly clock: () => number;
  readonly inventory: readonly ListingInput[] | undefined;
  readonly seed: number;
  readonly listEnvelope: ListEnvelope;
  readonly errorShape: ErrorShape;
  readonly logSize: number;
  readonly webhookRetriesMs: readonly number[];
  readonly webhookTimeoutMs: number;
  readonly onRequest: (request: RecordedRequest) => void;
}

const defaultRetries: readonly Duration[] = [
  '1 minute',
  '5 minutes',
  '30 minutes',
  '2 hours',
  '12 hours',
];

/** Completes the options; a wrong one is refused at once, by its name. */
export function settingsFrom(options: EmulatorOptions): Settings {
  const settings: Settings = {
    port: options.port ?? 0,
    host: options.host ?? '127.0.0.1',
    pathPrefix: options.pathPrefix ?? '',
    clock: options.clock ?? (() => Date.now()),
    inventory: options.inventory,
    seed: options.seed ?? 1,
    listEnvelope: options.listEnvelope ?? 'data',
    errorShape: options.errorShape ?? 'flat',
    logSize: options.logSize ?? 1000,
    webhookRetriesMs: (options.webhookRetries ?? defaultRetries).map((wait) =>
      toMilliseconds(wait, 'webhookRetries'),
    ),
    webhookTimeoutMs: options.webhookTimeoutMs ?? 5000,
    onRequest: options.onRequest ?? (() => undefined),
  };
  requireWhole('port', settings.port, 0, 65_535);
  requireWhole('seed', settings.seed, 0, Number.MAX_SAFE_INTEGER);
  requireWhole('logSize', settings.logSize, 1, 1_000_000);
  requireWhole('webhookTimeoutMs', settings.webhookTimeoutMs, 1, 600_000);
  requireOneOf('listEnvelope', settings.listEnvelope, listEnvelopes);
  requireOneOf('errorShape', settings.errorShape, errorShapes);
  if (!/^(?:\/[A-Za-z0-9._~-]+)*$/.test(settings.pathPrefix)) {
    throw new TypeError(`"pathPrefix" must be like '/gateway', without a slash at its end`);
  }
  return Object.freeze(settings);
}

function requireWhole(name: string, value: number, least: number, most: number): void {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new TypeError(`"${name}" must be a whole number from ${least} to ${most}`);
  }
}

function requireOneOf(name: string, value: string, known: readonly string[]): void {
  if (!known.includes(value)) {
    throw new TypeError(
      `"${name}" must be one of ${known.join(', ')}; got ${JSON.stringify(value)}`,
    );
  }
}
