/** The options of MarketEmulator.start() and their checks. */

import { randomBytes, randomInt } from 'node:crypto';
import {
  boolean,
  callback,
  checkOptions,
  oneOf,
  optionCheck,
  wholeNumber,
  type OptionTable,
} from '../options.js';
import { toMilliseconds, type Duration } from './clock.js';
import type { DeliveryAttempt } from './deliveries/delivery-attempt.js';
import { isLoopback } from './http/loopback.js';
import { invalidOption } from './invalid-option.js';
import { Inventory } from './market/inventory.js';
import type { RecordedRequest } from './request-log.js';
import { errorShapes, listEnvelopes, type ErrorShape, type ListEnvelope } from './envelopes.js';
import type { ListingInput } from './market/records.js';

/**
 * Options of an emulator. Every option may be left out.
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
  /** Port to listen on. 0 unless given: any free port. */
  readonly port?: number;
  /** Address to listen on. `'127.0.0.1'` unless given; nothing outside this machine can reach it. */
  readonly host?: string;
  /** A path before all others, as behind a gateway: `'/gateway'`. It is part of the signed path. */
  readonly pathPrefix?: string;
  /** The source of the service's clock, in Unix milliseconds. `Date.now` unless given. */
  readonly clock?: () => number;
  /** The listed domains, in place of some three hundred invented ones. */
  readonly inventory?: readonly ListingInput[];
  /**
   * A whole number; the same seed gives the same test domains, credentials and identifiers. Unless it
   * is passed, domains and credentials are those of 1, and the identifiers of orders, events and other
   * records differ from run to run: a store that has those of an earlier run does not confuse them.
   */
  readonly seed?: number;
  /** The envelope of lists, `'data'` unless given. The event history is documented and never changes. */
  readonly listEnvelope?: ListEnvelope;
  /** The shape of errors: `'flat'`, which is `{ code, message }`, unless given. */
  readonly errorShape?: ErrorShape;
  /** How many requests and how many deliveries the logs keep. 1,000 unless given. */
  readonly logSize?: number;
  /**
   * How long an Idempotency-Key is remembered, on the service's clock. As long as the emulator runs
   * unless given. A forgotten key places another order.
   */
  readonly idempotencyMemory?: Duration;
  /**
   * How long the history keeps events, on the service's clock. As long as the emulator runs unless
   * given. An `after_id` that is older is a `validation_error`.
   */
  readonly historyRetention?: Duration;
  /**
   * The waits before each retry of a failed webhook delivery, on the service's clock; no retry
   * follows the last. 1 minute, 5 minutes, 30 minutes, 2 hours and 12 hours unless given.
   */
  readonly webhookRetries?: readonly Duration[];
  /** Time limit of a webhook receiver in real milliseconds. 5,000 as documented unless given. */
  readonly webhookTimeoutMs?: number;
  /**
   * Where webhooks may be sent: to `'loopback'` unless given, or `'anywhere'`. An address elsewhere
   * gets no delivery; the log of deliveries says so.
   */
  readonly deliverTo?: 'loopback' | 'anywhere';
  /**
   * Whether the emulator can be driven over HTTP, under `/_emulator/v1` on its own port. `false`
   * unless given.
   */
  readonly control?: boolean;
  /**
   * A token that every request under `/_emulator/v1` must carry: `Authorization: Bearer …`. It is
   * required for `control` on a `host` that is not loopback.
   */
  readonly controlToken?: string;
  /** @internal Writes the state to a file, for `POST /_emulator/v1/saveState`. */
  readonly saveState?: () => Promise<void>;
  /** Called with each attempt to deliver a webhook. */
  readonly onDelivery?: (attempt: DeliveryAttempt) => void;
  /** Called with each request when its response is ready. */
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
  readonly recordSeed: number;
  /** What distinguishes the events of this run; empty if the caller passed a seed. */
  readonly run: string;
  readonly listEnvelope: ListEnvelope;
  readonly errorShape: ErrorShape;
  readonly logSize: number;
  readonly idempotencyMemoryMs: number;
  readonly historyRetentionMs: number;
  readonly webhookRetriesMs: readonly number[];
  readonly webhookTimeoutMs: number;
  readonly deliverTo: 'loopback' | 'anywhere';
  readonly control: boolean;
  readonly controlToken: string | undefined;
  readonly saveState: (() => Promise<void>) | undefined;
  readonly onDelivery: (attempt: DeliveryAttempt) => void;
  readonly onRequest: (request: RecordedRequest) => void;
}

const defaultRetries: readonly Duration[] = [
  '1 minute',
  '5 minutes',
  '30 minutes',
  '2 hours',
  '12 hours',
];

const table: OptionTable<EmulatorOptions> = {
  port: wholeNumber(0, 65_535),
  host: optionCheck(
    'must be an address, not an empty string: that would listen on every address',
    (host) => typeof host === 'string' && host !== '',
  ),
  pathPrefix: optionCheck(
    "must be like '/gateway', without a slash at its end",
    (path) => typeof path === 'string' && /^(?:\/[A-Za-z0-9._~-]+)*$/.test(path),
  ),
  clock: callback,
  inventory: (listings) => {
    if (!Array.isArray(listings)) return 'must be an array of listings';
    try {
      new Inventory(listings);
    } catch (error) {
      return `has a wrong listing: ${(error as Error).message}`;
    }
    return undefined;
  },
  seed: wholeNumber(0),
  listEnvelope: oneOf(...listEnvelopes),
  errorShape: oneOf(...errorShapes),
  logSize: wholeNumber(1, 1_000_000),
  idempotencyMemory: true,
  historyRetention: true,
  webhookRetries: optionCheck('must be an array of durations', Array.isArray),
  webhookTimeoutMs: wholeNumber(1, 600_000),
  deliverTo: oneOf('loopback', 'anywhere'),
  control: boolean,
  controlToken: optionCheck(
    'must have 8 characters or more',
    (token) => typeof token === 'string' && token.length >= 8,
  ),
  saveState: callback,
  onDelivery: callback,
  onRequest: callback,
};

/** @throws {@link TypeError} that names the option and the rule that it breaks. */
export function resolveSettings(given: EmulatorOptions): Settings {
  const options = checkOptions<EmulatorOptions>(table, given, invalidOption);
  const { host = '127.0.0.1', control = false, controlToken, seed } = options;
  if (control && controlToken === undefined && !isLoopback(host)) {
    throw new TypeError(
      '"controlToken" is required for "control" on a "host" that is not loopback',
    );
  }
  return Object.freeze({
    port: options.port ?? 0,
    host,
    pathPrefix: options.pathPrefix ?? '',
    clock: options.clock ?? (() => Date.now()),
    inventory: options.inventory,
    seed: seed ?? 1,
    recordSeed: seed ?? randomInt(2 ** 32),
    run: seed === undefined ? randomBytes(4).toString('hex') : '',
    listEnvelope: options.listEnvelope ?? 'data',
    errorShape: options.errorShape ?? 'flat',
    logSize: options.logSize ?? 1000,
    idempotencyMemoryMs: optionalDuration('idempotencyMemory', options.idempotencyMemory),
    historyRetentionMs: optionalDuration('historyRetention', options.historyRetention),
    webhookRetriesMs: (options.webhookRetries ?? defaultRetries).map((wait) =>
      toMilliseconds(wait, 'webhookRetries'),
    ),
    webhookTimeoutMs: options.webhookTimeoutMs ?? 5000,
    deliverTo: options.deliverTo ?? 'loopback',
    control,
    controlToken,
    saveState: options.saveState,
    onDelivery: options.onDelivery ?? (() => undefined),
    onRequest: options.onRequest ?? (() => undefined),
  });
}

function optionalDuration(name: string, duration: Duration | undefined): number {
  return duration === undefined ? Infinity : toMilliseconds(duration, name);
}
