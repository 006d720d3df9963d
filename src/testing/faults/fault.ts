/** The kinds of faults and the functions that create them. */

import type { Duration } from '../values.js';
import type { LatencyDistribution } from './chance.js';
import { makeFault, type Fault, type ResponseFaultOptions } from './fault-kinds.js';
import type { PartialListWord, ReferenceChange } from './lying-faults.js';

export type { Fault, ResponseFaultOptions };

/**
 * Creates faults. Each function returns a fault for
 * {@link Faults.next | emulator.faults.next} or {@link Faults.on | emulator.faults.on}.
 *
 * @example
 * ```ts
 * import { fault, MarketEmulator } from 'market-partner-sdk/testing';
 *
 * const emulator = await MarketEmulator.start();
 * emulator.faults.next(fault.rateLimited(2));
 * emulator.faults.on('POST /orders', fault.resetAfterWork(), { times: 1 });
 * await emulator.stop();
 * ```
 */
export const fault = {
  /** Any status, with the service's error body or with any other. */
  status: (status: number, options: ResponseFaultOptions = {}): Fault =>
    makeFault('status', { ...options, status }),

  /** 429 rate_limited with Retry-After in seconds (specification, part 7). */
  rateLimited: (retryAfterSeconds: number): Fault =>
    makeFault('rateLimited', { retryAfterSeconds }),

  /** 500 internal_error; with `afterWork` the work is done anyway. */
  internalError: (options: { readonly afterWork?: boolean | undefined } = {}): Fault =>
    makeFault('internalError', options),

  /** An HTML page of a gateway in front of the service. Status 502 unless given. */
  html: (
    status = 502,
    options: { readonly afterWork?: boolean | undefined; readonly body?: string | undefined } = {},
  ): Fault => makeFault('html', { ...options, status }),

  /** A redirect, which this API never sends. */
  redirect: (location: string, status = 302): Fault => makeFault('redirect', { location, status }),

  /** The connection is reset before the service has done anything. */
  resetBeforeWork: (): Fault => ({ kind: 'resetBeforeWork' }),

  /** The service does its work (the order is recorded), then the connection is reset. */
  resetAfterWork: (): Fault => ({ kind: 'resetAfterWork' }),

  /** The service's own response without its body. */
  emptyBody: (): Fault => ({ kind: 'emptyBody' }),

  /** The service's own response, cut in the middle: content-length announces more than arrives. */
  brokenBody: (): Fault => ({ kind: 'brokenBody' }),

  /** The service's own response in small pieces with real pauses between them. */
  slowBody: (
    options: {
      readonly chunkBytes?: number | undefined;
      readonly everyMs?: number | undefined;
    } = {},
  ): Fault => makeFault('slowBody', options),

  /** The service's own response, followed by white space until the client disconnects. */
  endlessBody: (options: { readonly everyMs?: number | undefined } = {}): Fault =>
    makeFault('endlessBody', options),

  /**
   * The work is done at once, the response comes late, in real time. `Infinity`: never. With a median
   * and a 99th percentile, each response has its own latency, log-normal and repeatable by the seed.
   */
  latency: (duration: Duration | LatencyDistribution): Fault =>
    makeFault(
      'latency',
      // A schema takes no Infinity, as JSON has none.
      typeof duration === 'object'
        ? duration
        : { duration: duration === Infinity ? 'Infinity' : duration },
    ),

  /**
   * The service's clock is wrong by `offsetMs`, ahead if positive, for verification and the Date
   * header. Quotes and events keep the right time.
   */
  wrongClock: (offsetMs: number): Fault => makeFault('wrongClock', { offsetMs }),

  /**
   * A list that a cache stored `ageSeconds` ago, with that `Age` header: records that were created since
   * are not in it. The others are shown with their status of now. 60 seconds unless given.
   *
   * With `showAge: false` nothing in the response distinguishes it from a true list. Arm it for one look-up of
   * two, since a program that only ever sees such lists cannot find out.
   *
   * @example
   * ```ts
   * import { fault, MarketEmulator } from 'market-partner-sdk/testing';
   *
   * const emulator = await MarketEmulator.start();
   * emulator.faults.on('GET /orders', fault.staleList({ ageSeconds: 30 }));
   * emulator.faults.on('GET /brokerage', fault.staleList({ showAge: false }), { times: 1 });
   * await emulator.stop();
   * ```
   */
  staleList: (
    options: {
      readonly ageSeconds?: number | undefined;
      readonly showAge?: boolean | undefined;
    } = {},
  ): Fault => makeFault('staleList', options),

  /**
   * A list without its first item and without the pages that follow, which says so with a word of its
   * own: `'has_more'`, `'links.next'` (the link to a next page), `'partial'`, `'timed_out'`,
   * `'errors'`, `'success'` (false), `'data'` (null in place of the list), or `'total'` (more items than
   * it shows).
   *
   * @example
   * ```ts
   * import { fault, MarketEmulator } from 'market-partner-sdk/testing';
   *
   * const emulator = await MarketEmulator.start();
   * emulator.faults.on('GET /orders', fault.partialList('timed_out'));
   * await emulator.stop();
   * ```
   */
  partialList: (word: PartialListWord): Fault => makeFault('partialList', { word }),

  /**
   * A list that ignores its filters and its cursor: the first page of all records, whatever their
   * domain, status or date, as if it were all.
   */
  ignoredFilter: (): Fault => ({ kind: 'ignoredFilter' }),

  /**
   * `external_payment_ref` comes back in another `'case'`, `'padded'` with white space, or `'cut'` off
   * after 8 characters, in lists and in single orders.
   */
  changedReference: (how: ReferenceChange): Fault => makeFault('changedReference', { how }),

  /**
   * In place of a single record, that of another: its id, domain and `external_payment_ref` begin with
   * `other-`. Lists are as they are.
   */
  otherRecord: (): Fault => ({ kind: 'otherRecord' }),
} as const;

const kinds: Readonly<Record<Fault['kind'], true>> = {
  response: true,
  resetBeforeWork: true,
  resetAfterWork: true,
  emptyBody: true,
  brokenBody: true,
  slowBody: true,
  endlessBody: true,
  latency: true,
  wrongClock: true,
  staleList: true,
  partialList: true,
  ignoredFilter: true,
  changedReference: true,
  otherRecord: true,
};

/** @throws {@link TypeError} for anything but faults of the functions above */
export function checkFaults(faults: readonly Fault[]): void {
  for (const each of faults as readonly (Partial<Fault> | undefined)[]) {
    if (typeof each?.kind !== 'string' || !Object.hasOwn(kinds, each.kind)) {
      throw new TypeError(
        `"fault" must be made by a function of \`fault\`, such as fault.internalError(); known kinds are ${Object.keys(kinds).join(', ')}`,
      );
    }
  }
}
