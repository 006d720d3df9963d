/** `evaluateProbes`: what the reads say about the connection, the credential, the clock and each scope. */

import type { MarketClient } from '../../client/client.js';
import { adviceFor } from '../../client/errors/advice.js';
import { withoutTrailingSlashes } from '../../client/options/base-url.js';
import type { Failure } from './failure.js';
import { knownScopes, writeOnlyScopes, type ProbeResult } from './probes.js';
import type { Check, CheckResult, Report } from './report.js';

interface Context {
  readonly neededScopes: readonly string[];
  readonly market: MarketClient;
  readonly baseUrl: URL;
}

type Evaluation = Pick<Report, 'clockOffsetMs' | 'latencyMs' | 'checks'>;

/** The service accepts 300 s (specification, part 5); a minute leaves room for a slow network. */
const toleratedMs = 300_000;
const usualMs = 60_000;

export function evaluateProbes(results: readonly ProbeResult[], context: Context): Evaluation {
  const offsets = results.flatMap(({ clockOffsetMs = [] }) => clockOffsetMs);
  const clockOffsetMs = median(offsets) ?? null;
  const [first, ...following] = results.flatMap(({ durationMs = [] }) => durationMs);
  const latencyMs =
    first === undefined
      ? null
      : { first: Math.round(first), median: roundOrNull(median(following)) };
  const checks = [
    connectionCheck(results, context),
    credentialCheck(results, context),
    clockCheck(results, clockOffsetMs, context),
    ...knownScopes.map((scope) => scopeCheck(scope, results, context)),
    anyScopeCheck(results),
    latencyCheck(latencyMs),
  ];
  return { clockOffsetMs, latencyMs, checks: checks.filter((check) => check !== undefined) };
}

function connectionCheck(results: readonly ProbeResult[], { baseUrl }: Context): Check {
  const failure = failureOf(results, 'network', 'gateway', 'rate_limit', 'other');
  if (failure !== undefined) return failed('connection', failure);
  return { name: 'connection', result: 'ok', detail: `${baseUrl.host} responds with this API` };
}

function credentialCheck(results: readonly ProbeResult[], { baseUrl }: Context): Check {
  const failure = failureOf(results, 'credential');
  if (failure !== undefined) {
    const prefix = withoutTrailingSlashes(baseUrl.pathname);
    const hint =
      prefix === ''
        ? ''
        : ` If both are right: the path ${prefix} of MARKET_BASE_URL is signed, and a gateway that removes it breaks every signature.`;
    return failed('credential', { ...failure, advice: failure.advice + hint });
  }
  const isAccepted = results.some((each) => each.failure === undefined || isOf(each, 'scope'));
  return isAccepted
    ? { name: 'credential', result: 'ok', detail: 'the signature is accepted' }
    : notChecked('credential');
}

function clockCheck(
  results: readonly ProbeResult[],
  offsetMs: number | null,
  { market }: Context,
): Check {
  const name = 'clock';
  const failure = failureOf(results, 'clock');
  if (offsetMs === null) {
    if (failure !== undefined) return failed(name, failure);
    return notChecked(name, 'no response had a Date header');
  }
  const distance = Math.abs(offsetMs);
  const correctedMs = market.now() - Date.now();
  const corrected =
    Math.abs(correctedMs) < 1_000
      ? ''
      : `; market.now() corrects ${Math.round(correctedMs / 1_000)} s`;
  const detail = `${(distance / 1_000).toFixed(1)} s ${offsetMs < 0 ? 'ahead of' : 'behind'} the service's${corrected}`;
  if (distance <= usualMs && failure === undefined) return { name, result: 'ok', detail };
  const advice = "Set this machine's clock, and keep it set with NTP.";
  const isRefused = distance > toleratedMs || failure !== undefined;
  return { name, result: isRefused ? 'failed' : 'warning', detail, advice };
}

function scopeCheck(
  scope: string,
  results: readonly ProbeResult[],
  { neededScopes }: Context,
): Check {
  const name = `scope ${scope}`;
  if (writeOnlyScopes.includes(scope)) return notChecked(name, 'cannot be probed without effect');
  // The last one: the first may have failed by the clock.
  const probe = results.filter((each) => each.scope === scope).at(-1);
  if (probe === undefined) return notChecked(name);
  const { failure, needsAffiliateAccount } = probe;
  if (failure === undefined) return { name, result: 'ok', detail: 'granted' };
  if (failure.kind === 'service') return failed(name, failure);
  if (failure.kind !== 'scope') return notChecked(name);
  const isNeeded = neededScopes.includes(scope);
  const result: CheckResult = isNeeded ? 'failed' : 'missing';
  const call = { ...forbiddenRead, scopes: [scope], needsAffiliateAccount };
  const advice = adviceFor('forbidden', call);
  return { name, result, detail: failure.detail, advice };
}

const forbiddenRead = {
  method: 'GET',
  placesOrder: false,
  repeatable: true,
  idempotencyKey: undefined,
  keyFromCaller: false,
};

/** A credential without any scope is of no use, whatever the partner needs. */
function anyScopeCheck(results: readonly ProbeResult[]): Check | undefined {
  if (results.length === 0 || !results.every((each) => isOf(each, 'scope'))) return undefined;
  const advice = 'Ask for the scopes that your program needs.';
  return { name: 'scopes', result: 'failed', detail: 'none is granted', advice };
}

function latencyCheck(latencyMs: Report['latencyMs']): Check {
  if (latencyMs === null) return notChecked('latency');
  const { first, median: following } = latencyMs;
  const rest = following === null ? '' : `, then ${following} ms (median)`;
  return { name: 'latency', result: 'ok', detail: `${first} ms with connect${rest}` };
}

function failureOf(
  results: readonly ProbeResult[],
  ...kinds: readonly Failure['kind'][]
): Failure | undefined {
  return results.find((each) => isOf(each, ...kinds))?.failure;
}

function isOf({ failure }: ProbeResult, ...kinds: readonly Failure['kind'][]): boolean {
  return failure !== undefined && kinds.includes(failure.kind);
}

function failed(name: string, { detail, advice }: Failure): Check {
  return { name, result: 'failed', detail, ...(advice === '' ? {} : { advice }) };
}

function notChecked(name: string, detail = 'not checked: see the failure above'): Check {
  return { name, result: 'not_checked', detail };
}

function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function roundOrNull(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value);
}
