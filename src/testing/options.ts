/** The options of MarketEmulator.start() and their checks. */

import { randomBytes, randomInt } from 'node:crypto';
import * as z from 'zod/mini';
import { isPlainObject } from '../core/json.js';
import { must, ruled } from '../core/schema/must.js';
import {
  boolean,
  callback,
  lazily,
  matching,
  oneOf,
  optional,
  strict,
  wholeNumber,
  withDefault,
  type Fields,
} from '../core/schema/options.js';
import type { DeliveryAttempt } from './deliveries/delivery-attempt.js';
import { checkProfile } from '../client/profile/profile-schema.js';
import type { Profile } from '../client/profile/profile.js';
import { isLoopback } from './http/loopback.js';
import { listingFields } from './market/inventory.js';
import type { ListingInput } from './market/records.js';
import type { RecordedRequest } from './request-log.js';
import { checkBy, duration, type Duration } from './values.js';

/**
 * Options of an emulator. Every option may be left out.
 *
 * @example
 * ```ts
 * import { MarketEmulator, type EmulatorOptions } from 'market-partner-sdk/testing';
 *
 * const options: EmulatorOptions = {
 *   inventory: [{ domain: 'brew.example', price_cents: 250_000 }],
 *   profile: { version: 1, errors: { code: 'error.code' } }, // as your sandbox answers
 * };
 * const emulator = await MarketEmulator.start(options);
 * await emulator.stop();
 * ```
 */
export interface EmulatorOptions {
  /** Port to listen on. 0 unless given: any free port. */
  readonly port?: number | undefined;
  /** Address to listen on. `'127.0.0.1'` unless given; nothing outside this machine can reach it. */
  readonly host?: string | undefined;
  /** A path before all others, as behind a gateway: `'/gateway'`. It is part of the signed path. */
  readonly pathPrefix?: string | undefined;
  /**
   * Where callers reach it, for the links that it makes: `'https://shop.example'`. Unless given, the scheme
   * `http` and the `Host` of each request, so that a mapped port needs no option; a tunnel or a gateway that
   * ends TLS does. `pathPrefix` follows it.
   */
  readonly publicUrl?: string | undefined;
  /** The source of the service's clock, in Unix milliseconds. `Date.now` unless given. */
  readonly clock?: (() => number) | undefined;
  /** The listed domains, in place of some three hundred invented ones. */
  readonly inventory?: readonly ListingInput[] | undefined;
  /**
   * A whole number; the same seed gives the same test domains, credentials and identifiers. Unless it
   * is passed, domains and credentials are those of 1, and the identifiers of orders, events and other
   * records differ from run to run: a store that has those of an earlier run does not confuse them.
   */
  readonly seed?: number | undefined;
  /**
   * How it answers and reads where the specification says "not shown": what `doctor --learn` found at your sandbox.
   * Lists are then `{ data, next_cursor }` and errors `{ code, message }` only where the profile does not say otherwise.
   */
  readonly profile?: Profile | undefined;
  /** How many requests and how many deliveries the logs keep. 1,000 unless given. */
  readonly logSize?: number | undefined;
  /**
   * How long an Idempotency-Key is remembered, on the service's clock. As long as the emulator runs
   * unless given. A forgotten key places another order.
   */
  readonly idempotencyMemory?: Duration | undefined;
  /**
   * How long the history keeps events, on the service's clock. As long as the emulator runs unless
   * given. An `after_id` that is older is a `validation_error`.
   */
  readonly historyRetention?: Duration | undefined;
  /**
   * The waits before each retry of a failed webhook delivery, on the service's clock; no retry
   * follows the last. 1 minute, 5 minutes, 30 minutes, 2 hours and 12 hours unless given.
   */
  readonly webhookRetries?: readonly Duration[] | undefined;
  /** Time limit of a webhook receiver in real milliseconds. 5,000 as documented unless given. */
  readonly webhookTimeoutMs?: number | undefined;
  /**
   * Where webhooks may be sent: to `'loopback'` unless given, or `'anywhere'`. An address elsewhere
   * gets no delivery; the log of deliveries says so.
   */
  readonly deliverTo?: 'loopback' | 'anywhere' | undefined;
  /**
   * Whether the emulator can be driven over HTTP, under `/_emulator/v1` on its own port. `false`
   * unless given.
   */
  readonly control?: boolean | undefined;
  /**
   * A token that every request under `/_emulator/v1` must carry: `Authorization: Bearer …`. It is
   * required for `control` on a `host` that is not loopback.
   */
  readonly controlToken?: string | undefined;
  /** @internal Writes the state to a file, for `POST /_emulator/v1/saveState`. */
  readonly saveState?: (() => Promise<void>) | undefined;
  /** Called with each attempt to deliver a webhook. */
  readonly onDelivery?: ((attempt: DeliveryAttempt) => void) | undefined;
  /** Called with each request when its response is ready. */
  readonly onRequest?: ((request: RecordedRequest) => void) | undefined;
}

const minuteMs = 60_000;
const retryMinutes = [1, 5, 30, 120, 720];

const settingsSchema = lazily(() =>
  strict({
    port: withDefault(wholeNumber(0, 65_535), 0),
    host: withDefault(
      matching(/./, 'must be an address, not an empty string, which would listen on every address'),
      '127.0.0.1',
    ),
    pathPrefix: withDefault(
      matching(/^(?:\/[A-Za-z0-9._~-]+)*$/, "must be like '/gateway', without a slash at its end"),
      '',
    ),
    publicUrl: optional(
      matching(
        /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*[^\s?#/])?$/,
        "must be like 'https://shop.example', without a slash at its end",
      ),
    ),
    clock: withDefault(callback<() => number>(), () => Date.now()),
    inventory: optional(
      z.array(
        z.object(listingFields(), ruled('must be a listing')),
        ruled('must be an array of listings'),
      ),
    ),
    seed: optional(wholeNumber(0)),
    profile: optional(must<Profile>('must be a profile: { version: 1 }', isPlainObject)),
    logSize: withDefault(wholeNumber(1, 1_000_000), 1_000),
    idempotencyMemory: withDefault(duration(), Infinity),
    historyRetention: withDefault(duration(), Infinity),
    webhookRetries: withDefault(
      z.array(duration(), ruled('must be an array of durations')),
      retryMinutes.map((minutes) => minutes * minuteMs),
    ),
    webhookTimeoutMs: withDefault(wholeNumber(1, 600_000), 5_000),
    deliverTo: withDefault(oneOf('loopback', 'anywhere'), 'loopback'),
    control: withDefault(boolean(), false),
    controlToken: optional(matching(/^.{8}/s, 'must have 8 characters or more')),
    saveState: optional(callback<() => Promise<void>>()),
    onDelivery: withDefault(callback<(attempt: DeliveryAttempt) => void>(), () => undefined),
    onRequest: withDefault(callback<(request: RecordedRequest) => void>(), () => undefined),
  } satisfies Fields<EmulatorOptions>),
);

/** The options, checked and complete; durations are in milliseconds. */
export type Settings = ReturnType<typeof resolveSettings>;

/** @throws {@link TypeError} that names the option and the rule that it breaks. */
export function resolveSettings(given: EmulatorOptions) {
  const options = checkBy(settingsSchema, given);
  const { host, control, controlToken, seed, profile } = options;
  if (control && controlToken === undefined && !isLoopback(host)) {
    throw new TypeError(
      '"controlToken" is required for "control" on a "host" that is not loopback',
    );
  }
  return Object.freeze({
    ...options,
    profile: profile === undefined ? undefined : checkProfile(profile),
    seed: seed ?? 1,
    recordSeed: seed ?? randomInt(2 ** 32),
    /** What distinguishes the events of this run; empty if the caller passed a seed. */
    run: seed === undefined ? randomBytes(4).toString('hex') : '',
  });
}
