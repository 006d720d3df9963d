/** `runProbes`: one signed read for each scope that has a read without effect. */

import { readError } from '../../core/errors/read-error.js';
import { isObject } from '../../core/json.js';
import type { MarketClient } from '../../client/client.js';
import { AbortedError } from '../../client/errors/index.js';
import type { CallPromise } from '../../client/results/call-promise.js';
import { serverDateMs } from '../../client/engine/time/http-date.js';
import { endpoints, type Endpoint } from '../../client/endpoints.js';
import type { SeenBody } from './assumptions.js';
import { isFinal, readFailure, type FailedRead, type Failure } from './failure.js';

type ResponseHeaders = Readonly<Record<string, string>>;

/** A read that changes nothing (specification, part 4). */
interface Probe extends FailedRead {
  readonly endpoint: Endpoint;
  readonly read: (market: MarketClient, signal: AbortSignal) => CallPromise<unknown>;
}

/** An unlisted name: the service responds with 200 for it, too (specification, part 4.1). */
const domain = 'doctor.example';
const onePage = { limit: 1 };

const probes: readonly Probe[] = [
  {
    scope: 'search',
    endpoint: endpoints.domains.checkAvailability,
    read: ({ domains }, signal) => domains.checkAvailability(domain, { signal }),
  },
  // GET /orders takes "search" as well, so it would prove nothing.
  {
    scope: 'buy',
    endpoint: endpoints.orders.listSettlements,
    read: ({ orders }, signal) => orders.listSettlements(onePage, { signal }),
  },
  {
    scope: 'broker',
    endpoint: endpoints.brokerage.checkEligibility,
    read: ({ brokerage }, signal) => brokerage.checkEligibility(domain, { signal }),
  },
  {
    scope: 'refer',
    endpoint: endpoints.referral.listLinks,
    needsAffiliateAccount: true,
    read: ({ referral }, signal) => referral.listLinks(onePage, { signal }),
  },
  {
    scope: 'report',
    endpoint: endpoints.orders.listPayouts,
    read: ({ orders }, signal) => orders.listPayouts(onePage, { signal }),
  },
  {
    scope: 'webhook',
    endpoint: endpoints.events.list,
    read: ({ events }, signal) => events.list(onePage, { signal }),
  },
];

/** Scopes whose only endpoint writes: a checkout session would stay unpaid. */
export const writeOnlyScopes = ['embed'];

export const knownScopes = [...probes.map(({ scope }) => scope), ...writeOnlyScopes];

/** The result of one read. */
export interface ProbeResult {
  readonly scope: string;
  /** Until the response; `undefined` if there was none. */
  readonly durationMs: number | undefined;
  /** How far the response's Date is ahead of this machine's clock. */
  readonly clockOffsetMs: number | undefined;
  readonly failure: Failure | undefined;
  /** `undefined` if no JSON came. */
  readonly seen: SeenBody | undefined;
}

/**
 * The reads in turn, until one fails in a way that all others would.
 *
 * @param onRead - called after each, unless it was the last, with the results so far
 */
export async function runProbes(
  market: MarketClient,
  signal: AbortSignal,
  onRead: (results: readonly ProbeResult[]) => void,
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
    onRead(results);
  }
  return results;
}

async function runProbe(
  probe: Probe,
  market: MarketClient,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const startedAt = performance.now();
  let headers: ResponseHeaders | undefined;
  let failure: Failure | undefined;
  let body: unknown;
  let isError = false;
  try {
    ({ headers, body } = (await probe.read(market, signal).withResponse()).response);
  } catch (error) {
    if (error instanceof AbortedError) throw error;
    const fields = readError(error);
    headers = fields.headers as ResponseHeaders | undefined;
    ({ body } = fields);
    isError = !(typeof fields.status === 'number' && fields.status < 300);
    failure = readFailure(error, probe);
  }
  const { scope, endpoint } = probe;
  if (headers === undefined) {
    return { scope, durationMs: undefined, clockOffsetMs: undefined, failure, seen: undefined };
  }
  const { name: call, record, listField: noun } = endpoint;
  const seen = isObject(body) ? { call, record, noun, body, headers, isError } : undefined;
  const durationMs = performance.now() - startedAt;
  const clockOffsetMs = offsetOf(headers, Date.now() - durationMs / 2);
  return { scope, durationMs, clockOffsetMs, failure, seen };
}

/** The Date header counts whole seconds: its middle is the best guess. */
function offsetOf(headers: ResponseHeaders, atMs: number): number | undefined {
  const dateMs = serverDateMs(headers);
  return dateMs === undefined ? undefined : Math.round(dateMs + 500 - atMs);
}
