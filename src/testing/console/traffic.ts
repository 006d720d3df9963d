/** Traffic: how many calls came and were refused, by second, and by error code and endpoint. */

import type { RequestView } from './wire.js';

/** Older seconds are dropped: the chart does not show them. */
const keptSeconds = 60;

export interface Second {
  /** Unix seconds of the emulator's clock. */
  readonly second: number;
  readonly calls: number;
  readonly refusals: number;
}

export interface ErrorTotal {
  readonly code: string;
  readonly endpoint: string;
  readonly count: number;
  readonly lastAt: number;
}

export interface Traffic {
  /** The latest seconds in which a call came. */
  readonly seconds: readonly Second[];
  /** One entry for each code and endpoint, since the page was opened. */
  readonly errors: readonly ErrorTotal[];
}

export const noTraffic: Traffic = { seconds: [], errors: [] };

/**
 * Whether a call got something other than a 2xx: an error, a redirect, or no response at all. Only the page of
 * a checkout leads to another address by itself.
 */
export function isRefused({ status, verdict }: Pick<RequestView, 'status' | 'verdict'>): boolean {
  return status === undefined || status >= (verdict === 'public' ? 400 : 300);
}

/** The code of an error, or words for one without a code: a reset, or the page of a gateway. */
export function errorName({ status, errorCode }: RequestView): string {
  return errorCode ?? (status === undefined ? 'connection reset' : `status ${status}`);
}

/** A path that is not an endpoint may be anything, so all of them count together. */
export function endpointName({ endpoint }: RequestView): string {
  return endpoint ?? 'no endpoint';
}

export function endpointOf({ endpoint, method, path }: RequestView): string {
  return endpoint ?? `${method} ${path}`;
}

export function countRequests(traffic: Traffic, requests: readonly RequestView[]): Traffic {
  const seconds = new Map(traffic.seconds.map((each) => [each.second, each]));
  const errors = new Map(traffic.errors.map((each) => [keyOf(each), each]));
  for (const request of requests) {
    const second = Math.floor(request.receivedAt / 1000);
    const refusals = isRefused(request) ? 1 : 0;
    const counted = seconds.get(second);
    seconds.set(second, {
      second,
      calls: (counted?.calls ?? 0) + 1,
      refusals: (counted?.refusals ?? 0) + refusals,
    });
    if (refusals === 0) continue;
    const total = { code: errorName(request), endpoint: endpointName(request) };
    const count = (errors.get(keyOf(total))?.count ?? 0) + 1;
    errors.set(keyOf(total), { ...total, count, lastAt: request.receivedAt });
  }
  return {
    seconds: [...seconds.values()].sort((a, b) => a.second - b.second).slice(-keptSeconds),
    errors: [...errors.values()].sort((a, b) => b.count - a.count),
  };
}

/** The seconds up to a time, oldest first, those without calls included. */
export function lastSeconds({ seconds }: Traffic, now: number): Second[] {
  const last = Math.floor(now / 1000);
  const bySecond = new Map(seconds.map((each) => [each.second, each]));
  return Array.from({ length: keptSeconds }, (_, at) => {
    const second = last - keptSeconds + 1 + at;
    return bySecond.get(second) ?? { second, calls: 0, refusals: 0 };
  });
}

function keyOf({ code, endpoint }: Pick<ErrorTotal, 'code' | 'endpoint'>): string {
  return `${code} ${endpoint}`;
}
