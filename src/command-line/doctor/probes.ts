/** `runProbes`: one signed read for each scope that has a read without effect. */

import type { MarketClient } from '../../client/client.js';
import { AbortedError } from '../../client/errors/index.js';
import type { CallPromise } from '../../client/results/call-promise.js';
import { serverDateMs } from '../../client/engine/time/http-date.js';
import { isFinal, readFailure, type Failure } from './failure.js';

/** A read that changes nothing (specification, part 4). */
interface Probe {
  readonly scope: string;
  readonly needsAffiliateAccount?: boolean;
  readonly read: (market: MarketClient, signal: AbortSignal) => CallPromise<unknown>;
}

/** An unlisted name: the service responds with 200 for it, too (specification, part 4.1). */
const domain = 'doctor.example';
const onePage = { limit: 1 };

const probes: readonly Probe[] = [
  {
    scope: 'search',
    read: ({ domains }, signal) => domains.checkAvailability(domain, { signal }),
  },
  // GET /orders takes "search" as well, so it would prove nothing.
  { scope: 'buy', read: ({ orders }, signal) => orders.listSettlements(onePage, { signal }) },
  {
    scope: 'broker',
    read: ({ brokerage }, signal) => brokerage.checkEligibility(domain, { signal }),
  },
  {
    scope: 'refer',
    needsAffiliateAccount: true,
    read: ({ referral }, signal) => referral.listLinks(onePage, { signal }),
  },
  { scope: 'report', read: ({ orders }, signal) => orders.listPayouts(onePage, { signal }) },
  { scope: 'webhook', read: ({ events }, signal) => events.list(onePage, { signal }) },
];

/** Scopes whose only endpoint writes: a checkout session would stay unpaid. */
export const writeOnlyScopes = ['embed'];

export const knownScopes = [...probes.map(({ scope }) => scope), ...writeOnlyScopes];

/** What came of one read. */
export interface ProbeResult {
  readonly scope: string;
  readonly needsAffiliateAccount: boolean;
  /** Until the response; `undefined` if there was none. */
  readonly durationMs: number | undefined;
  /** How far the response's Date is ahead of this machine's clock. */
  readonly clockOffsetMs: number | undefined;
  readonly failure: Failure | undefined;
}

/** The reads in turn, until one fails in a way that all others would. */
export async function runProbes(
  market: MarketClient,
  signal: AbortSignal,
): Promise<readonly ProbeResult[]> {
  const results: ProbeResult[] = [];
  for (const probe of probes) {
    let result = await runProbe(probe, market, signal);
    results.push(result);
    if (result.failure?.kind === 'clock' && result.clockOffsetMs !== undefined) {
      // The client has corrected its clock by the response: what else is wrong shows now.
      result = await runProbe(probe, market, signal);
      results.push(result);
    }
    if (result.failure !== undefined && isFinal(result.failure)) break;
  }
  return results;
}

async function runProbe(
  { scope, needsAffiliateAccount = false, read }: Probe,
  market: MarketClient,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const startedAt = performance.now();
  const base = { scope, needsAffiliateAccount };
  const measure = (headers: Readonly<Record<string, string>> | undefined) => {
    const durationMs = performance.now() - startedAt;
    const sentAt = Date.now() - durationMs;
    const clockOffsetMs = headers && offsetOf(headers, sentAt + durationMs / 2);
    return { durationMs: headers && durationMs, clockOffsetMs };
  };
  try {
    const { response } = await read(market, signal).withResponse();
    return { ...base, ...measure(response.headers), failure: undefined };
  } catch (error) {
    if (error instanceof AbortedError) throw error;
    const { headers } = Object(error) as { headers?: Readonly<Record<string, string>> };
    return { ...base, ...measure(headers), failure: readFailure(error) };
  }
}

/** The Date header counts whole seconds: its middle is the best guess. */
function offsetOf(headers: Readonly<Record<string, string>>, atMs: number): number | undefined {
  const dateMs = serverDateMs(headers);
  return dateMs === undefined ? undefined : Math.round(dateMs + 500 - atMs);
}
