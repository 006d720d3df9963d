/** ClientOptions: the options of the client, with their rules and defaults. config.ts resolves them. */

import * as z from 'zod/mini';
import { variableNames } from '../errors/configuration-error.js';
import type { Profile } from '../profile/profile.js';
import type { Logger } from '../../core/logger.js';
import { must, ruled } from '../../core/schema/must.js';
import {
  anything,
  boolean,
  callback,
  hasMethod,
  lazily,
  logger,
  milliseconds,
  oneOf,
  optional,
  strict,
  string,
  matching,
  withDefault,
  type Fields,
  type Output,
} from '../../core/schema/options.js';
import { systemTime } from '../../core/time/sleep.js';
import type { ClientTracing } from '../tracing.js';
import type { FetchLike } from '../transport/fetch.js';
import type { DispatcherLike } from '../transport/undici.js';
import type { Clock } from './clock.js';
import type { Credentials, RequestSigner } from './credentials.js';
import { headers } from './headers.js';
import { retries } from './request-options.js';

/**
 * Options of {@link MarketClient}. Each may be left out, the three that name the credential if
 * their variables are set.
 *
 * @example
 * ```ts
 * import { MarketClient, type ClientOptions } from 'market-partner-sdk';
 *
 * const options: ClientOptions = {
 *   deadlineMs: 20_000, // what the caller of this program can wait
 *   maxRetries: 3,
 *   logger: console,
 *   forbidLive: process.env.NODE_ENV !== 'production',
 * };
 * const market = new MarketClient(options);
 * console.log(market.environment);
 * ```
 */
export interface ClientOptions {
  /**
   * The service's address, with a path prefix if a gateway needs one, without `/api/partner`.
   * `https` only, but for loopback. Default: `MARKET_BASE_URL`.
   */
  baseUrl?: string | undefined;
  /**
   * The credential's public key id. Default: `MARKET_KEY_ID`. It alone selects the environment. A whole
   * credential of the emulator may be spread in: `scopes` and `partnerId` are ignored, and an
   * `environment` that is not the key id's is refused.
   */
  keyId?: string | undefined;
  /** The credential's signing secret. It is used to sign and never sent. Default: `MARKET_SECRET`. */
  secret?: string | undefined;
  /**
   * Returns the credential, instead of `keyId`, `secret` and their variables. Asked at the first call,
   * once for all that wait, and after `expiresAt`. When the service refuses the signature it is asked
   * again, and the call repeated once if another comes back. All must be of one environment. If it
   * fails, so does the call: {@link ConfigurationError}.
   */
  credentials?: (() => Credentials | Promise<Credentials>) | undefined;
  /** Signs, instead of `keyId` and `secret`. Its time counts towards `timeoutMs`. */
  signer?: RequestSigner | undefined;
  /**
   * Milliseconds for one attempt: connect, headers and the whole body. Default 30,000. A write is not sent with less than
   * that left of the deadline, unless `deadlineMs` is not above it or the write's outcome is unknown already.
   */
  timeoutMs?: number | undefined;
  /** Milliseconds for the whole call: every attempt, and every wait before and between them. Default 120,000. */
  deadlineMs?: number | undefined;
  /**
   * Attempts after the first, at most. Default 2. A call is retried after a lost connection, a 408, 425 or 429,
   * and a 5xx other than 501 and 505, unless a second one could do harm: docs/client.md has the table. A 429 or 503 whose
   * Retry-After says when to come back does not count. With `0` a call is sent once, whatever the response.
   */
  maxRetries?: number | undefined;
  /**
   * The longest that a 429's Retry-After holds the credential's calls, in milliseconds. After it, one
   * call at a time probes. Default 900,000: 15 minutes.
   */
  maxRateLimitHoldMs?: number | undefined;
  /**
   * What to do when a response lacks a documented field: nothing, log it once per call and field
   * (default), or throw on reads. A write that succeeded never throws for it.
   */
  validateResponses?: 'off' | 'warn' | 'error' | undefined;
  /**
   * How this service answers where the specification says "not shown". Results have our names, and inputs are
   * given under our names. Default: the file that `MARKET_PROFILE` names; without it, the assumptions.
   */
  profile?: Profile | undefined;
  /** Logs what the client does. Default: no log. */
  logger?: Logger | undefined;
  /**
   * Spans and metrics: `openTelemetry(api)` of `market-partner-sdk/opentelemetry`. One that throws
   * never fails a call.
   */
  tracing?: ClientTracing | undefined;
  /** Headers for every call, such as a gateway's own key. The signed ones cannot be replaced. */
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * The HTTP proxy that requests go through: its address, such as `http://user:password@proxy.example:3128`,
   * or `'environment'` for `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. Default: none, whatever the
   * variables say. With `'environment'`, loopback is always reached directly.
   */
  proxy?: string | undefined;
  /**
   * A dispatcher of undici 7 or 8 (mTLS, own pool). The client does not close it. One that repeats a request by
   * itself, as undici 8 does over HTTP/2, is stopped: each attempt is the client's own, with a nonce of its own.
   */
  dispatcher?: DispatcherLike | undefined;
  /** A fetch function instead of undici: other runtimes, msw. */
  fetch?: FetchLike | undefined;
  /**
   * Refuses a key id without the marker of a sandbox or test credential. Set it where tests run: a
   * live key in the environment cannot sell a domain there.
   */
  forbidLive?: boolean | undefined;
  /**
   * Hosts that may be reached over plain http, such as an emulator's in Docker Compose. Anyone on
   * that network can read and replay requests: a live key is refused there. Default: loopback only.
   */
  allowHttp?: readonly string[] | undefined;
  /** Milliseconds since the Unix epoch; for tests. Default: the machine's clock. */
  clock?: Clock | undefined;
  /** A number from 0 up to 1, for the jitter of waits; for tests. Default: `Math.random`. */
  random?: (() => number) | undefined;
  /** Waits for `ms`; for tests. The signal fires when the wait is no longer needed. */
  sleep?: Sleep | undefined;
  /**
   * Allows a browser's globals to be present. Everyone who loads a page can read its secret and act
   * as the partner: only for test environments such as jsdom.
   */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** Waits for a number of milliseconds. It may end early once the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** The other fields of the emulator's credential: tests spread it into the options. */
interface CredentialFields {
  readonly scopes?: unknown;
  readonly environment?: unknown;
  readonly partnerId?: unknown;
}

const fields = () =>
  ({
    baseUrl: optional(textOrVariable('baseUrl')),
    keyId: optional(textOrVariable('keyId')),
    secret: optional(textOrVariable('secret')),
    credentials: optional(callback<() => Credentials | Promise<Credentials>>()),
    signer: optional(
      must<RequestSigner>('must be { keyId, sign() }', (value) => hasMethod(value, 'sign')),
    ),
    timeoutMs: withDefault(milliseconds(), 30_000),
    deadlineMs: withDefault(milliseconds(), 120_000),
    maxRetries: withDefault(retries(), 2),
    maxRateLimitHoldMs: withDefault(milliseconds(), 15 * 60_000),
    headers: withDefault(headers(), {}),
    validateResponses: withDefault(oneOf('off', 'warn', 'error'), 'warn'),
    profile: optional(anything<Profile>()), // readProfile checks it
    logger: optional(logger()),
    dispatcher: optional(
      must<DispatcherLike>(
        'must have a dispatch method, as those of undici 7 and 8 have',
        (value) => hasMethod(value, 'dispatch'),
      ),
    ),
    fetch: optional(callback<FetchLike>()),
    proxy: optional(string()),
    clock: withDefault(callback<Clock>(), systemTime.clock),
    random: withDefault(callback<() => number>(), () => Math.random()),
    sleep: optional(callback<Sleep>()),
    tracing: optional(
      must<ClientTracing>(
        'must be what openTelemetry() of market-partner-sdk/opentelemetry returns',
        (value) => hasMethod(value, 'call'),
      ),
    ),
    forbidLive: withDefault(boolean(), false),
    allowHttp: withDefault(hosts(), []),
    dangerouslyAllowBrowser: withDefault(boolean(), false),
    scopes: optional(anything<unknown>()),
    environment: optional(anything<unknown>()),
    partnerId: optional(anything<unknown>()),
  }) satisfies Fields<ClientOptions & CredentialFields>;

const builtFields = lazily(fields);
export const clientOptions = lazily(() => strict(builtFields()));
/** The options of a client with their defaults, before the variables stand in. */
export type ClientSettings = Omit<Output<typeof clientOptions>, 'environment'>;

/** Some of the options, to change a client; {@link clientOptions} checks them with the others. */
export const clientChanges = lazily(() =>
  strict(
    Object.fromEntries(
      Object.keys(builtFields()).map((name) => [name, optional(anything<unknown>())]),
    ),
  ),
);

function textOrVariable(option: keyof typeof variableNames) {
  return matching(/\S/, `must be a non-empty string. Pass it, or set ${variableNames[option]}`);
}

function hosts() {
  return z.array(
    matching(/^([a-z0-9.-]+|\[[0-9a-f:.]+\])$/i, 'must be a host name, such as "emulator"'),
    ruled('must be an array of host names, such as ["emulator"]'),
  );
}
