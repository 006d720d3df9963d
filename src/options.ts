/** Options of the client and of a call, as a partner writes them; src/config.ts reads them. */

import type { Logger } from './engine/logger.js';
import type { Clock } from './engine/service-clock.js';
import type { FetchLike } from './transport/fetch.js';
import type { DispatcherLike } from './transport/undici.js';

/**
 * Options of {@link MarketClient}. Each may be left out, the three that name the credential where
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
   * The service's address, with a path prefix where a gateway needs one, without `/api/partner`.
   * `https` only, but for loopback. Default: `MARKET_BASE_URL`.
   */
  baseUrl?: string | undefined;
  /** The credential's public key id. Default: `MARKET_KEY_ID`. */
  keyId?: string | undefined;
  /** The credential's signing secret. It is used to sign and never sent. Default: `MARKET_SECRET`. */
  secret?: string | undefined;
  /** Milliseconds for one attempt: connect, headers and the whole body. Default 30,000. */
  timeoutMs?: number | undefined;
  /** Milliseconds for the whole call: every attempt and every wait between them. Default 120,000. */
  deadlineMs?: number | undefined;
  /** Attempts after the first, at most. Default 2. */
  maxRetries?: number | undefined;
  /**
   * What to do when an answer lacks a documented field: nothing, tell the logger once per call
   * kind and field (default), or throw on reads. A write that succeeded never throws for it.
   */
  validateResponses?: 'off' | 'warn' | 'error' | undefined;
  /** Where the client tells what it does. Default: nowhere. */
  logger?: Logger | undefined;
  /** Headers for every call, such as a gateway's own key. The signed ones cannot be replaced. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** An undici 7 dispatcher (proxy, mTLS, own pool). The client does not close it. */
  dispatcher?: DispatcherLike | undefined;
  /** A fetch function instead of undici: other runtimes, msw. */
  fetch?: FetchLike | undefined;
  /**
   * Refuses a key id that is not plainly a sandbox or test one: set it where tests run, and a live
   * key in the environment cannot sell a domain there.
   */
  forbidLive?: boolean | undefined;
  /** Milliseconds since the Unix epoch; for tests. Default: the machine's clock. */
  clock?: Clock | undefined;
  /** A number from 0 up to 1, for the jitter of waits; for tests. Default: `Math.random`. */
  random?: (() => number) | undefined;
  /** Waits so many milliseconds; for tests. The signal fires when the wait is of no use any more. */
  sleep?: Sleep | undefined;
  /**
   * Allows a browser's globals to be present. Whoever loads the page can read the secret and act as
   * the partner: only for test environments such as jsdom.
   */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/**
 * Options of one call, the last argument of every method.
 *
 * @example
 * ```ts
 * import { MarketClient, type RequestOptions } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const options: RequestOptions = {
 *   idempotencyKey: 'payment-1001', // stored with the payment, before the call
 *   deadlineMs: 20_000,
 *   signal: AbortSignal.timeout(25_000),
 * };
 * const order = await market.orders.create({ domain: 'brew.example' }, options);
 * console.log(order.public_id);
 * ```
 */
export interface RequestOptions {
  /** Ends the call at once when it fires. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt. Default: the client's. */
  timeoutMs?: number | undefined;
  /** Milliseconds for the whole call. Default: the client's. */
  deadlineMs?: number | undefined;
  /** Attempts after the first, at most. Default: the client's. */
  maxRetries?: number | undefined;
  /**
   * The Idempotency-Key: 1 to 255 visible ASCII characters. `orders.create` makes a UUID v4 if none
   * is given; give your own, stored before the call, and a repeat after a crash replays the order.
   * Other calls send it as given, but the service promises nothing for it there.
   */
  idempotencyKey?: string | undefined;
  /** Headers for this call. The signed ones cannot be replaced. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** Waits so many milliseconds, or less once the signal has fired: nobody waits for it then. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;
