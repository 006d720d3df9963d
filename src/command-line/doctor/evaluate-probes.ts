/** `evaluateProbes`: what the reads say about the connection, the credential, the clock and each scope. */

import type { MarketClient } from '../../client/client.js';
import { withoutTrailingSlashes } from '../../client/options/base-url.js';
import { assumptionChecks } from './assumptions.js';
import type { Failure } from './failure.js';
import { knownScopes, writeOnlyScopes, type ProbeResult } from './probes.js';
import { check, notChecked, type Check, type Report } from './report.js';

/** The service accepts 300 s (specification, part 5); a minute leaves room for a slow network. */
const toleratedMs = 300_000;
const usualMs = 60_000;

/** @param results - one at least */
export function evaluateProbes(
  results: readonly ProbeResult[],
  market: MarketClient,
  baseUrl: URL,
  { neededScopes, comparesForm }: { neededScopes: readonly string[]; comparesForm: boolean },
): Pick<Report, 'clockOffsetMs' | 'latencyMs' | 'checks'> {
  const clockOffsetMs = offsetOf(results);
  const durations = results.flatMap(({ durationMs = [] }) => durationMs).map(Math.round);
  const [first, ...following] = durations;
  const latencyMs = first === undefined ? null : { first, median: median(following) ?? null };
  const checks = [
    ...earlyChecks(results, market, baseUrl, neededScopes),
    ...anyScopeCheck(results),
    latencyCheck(latencyMs),
    ...(comparesForm ? [] : assumptionChecks(results.flatMap(({ seen }) => seen ?? []))),
  ];
  return { clockOffsetMs, latencyMs, checks };
}

/** Those that the first reads may settle. */
export function earlyChecks(
  results: readonly ProbeResult[],
  market: MarketClient,
  baseUrl: URL,
  neededScopes: readonly string[],
): Check[] {
  return [
    connectionCheck(results, baseUrl),
    credentialCheck(results, baseUrl),
    clockCheck(results, offsetOf(results), market.now() - Date.now()),
    ...knownScopes.map((scope) => scopeCheck(scope, results, neededScopes)),
  ];
}

function offsetOf(results: readonly ProbeResult[]): number | null {
  return median(results.flatMap(({ clockOffsetMs = [] }) => clockOffsetMs)) ?? null;
}

function connectionCheck(results: readonly ProbeResult[], { host }: URL): Check {
  const failure = failureOf(results, 'connection');
  if (failure !== undefined) return failed('connection', failure);
  return check('connection', 'ok', `${host} responds with this API`);
}

function credentialCheck(results: readonly ProbeResult[], { pathname }: URL): Check {
  const failure = failureOf(results, 'credential');
  if (failure !== undefined) {
    const prefix = withoutTrailingSlashes(pathname);
    const hint =
      prefix === ''
        ? ''
        : ` If both are right, the path ${prefix} of MARKET_BASE_URL is signed, and a gateway that removes it breaks every signature.`;
    return failed('credential', { ...failure, advice: failure.advice + hint });
  }
  const isAccepted = results.some(
    ({ failure: each }) => each === undefined || each.kind === 'scope',
  );
  return isAccepted
    ? check('credential', 'ok', 'the signature is accepted')
    : notChecked('credential');
}

/** @param correctedMs - how far the client's clock is ahead of this machine's */
function clockCheck(
  results: readonly ProbeResult[],
  offsetMs: number | null,
  correctedMs: number,
): Check {
  const failure = failureOf(results, 'clock');
  if (offsetMs === null) {
    if (failure !== undefined) return failed('clock', failure);
    return notChecked('clock', 'no response had a Date header');
  }
  const distance = Math.abs(offsetMs);
  const corrected =
    Math.abs(correctedMs) < 1_000
      ? ''
      : `; market.now() corrects ${Math.round(correctedMs / 1_000)} s`;
  const detail = `${(distance / 1_000).toFixed(1)} s ${offsetMs < 0 ? 'ahead of' : 'behind'} the service's${corrected}`;
  if (distance <= usualMs && failure === undefined) return check('clock', 'ok', detail);
  const isRefused = distance > toleratedMs || failure !== undefined;
  const advice = "Set this machine's clock, and keep it set with NTP.";
  return check('clock', isRefused ? 'failed' : 'warning', detail, advice);
}

function scopeCheck(
  scope: string,
  results: readonly ProbeResult[],
  neededScopes: readonly string[],
): Check {
  const name = `scope ${scope}`;
  if (writeOnlyScopes.includes(scope)) return notChecked(name, 'cannot be probed without effect');
  // The last one: the first may have failed by the clock.
  const probe = results.findLast((each) => each.scope === scope);
  if (probe === undefined) return notChecked(name);
  const { failure } = probe;
  if (failure === undefined) return check(name, 'ok', 'granted');
  if (failure.kind === 'service') return failed(name, failure);
  if (failure.kind !== 'scope') return notChecked(name);
  const result = neededScopes.includes(scope) ? 'failed' : 'missing';
  return check(name, result, failure.detail, failure.advice);
}

/** A credential without any scope is of no use, whatever the partner needs. */
function anyScopeCheck(results: readonly ProbeResult[]): Check[] {
  if (!results.every(({ failure }) => failure?.kind === 'scope')) return [];
  const advice = 'Ask for the scopes that your program needs.';
  return [check('scopes', 'failed', 'none is granted', advice)];
}

function latencyCheck(latencyMs: Report['latencyMs']): Check {
  if (latencyMs === null) return notChecked('latency');
  const { first, median: following } = latencyMs;
  const rest = following === null ? '' : `, then ${following} ms (median)`;
  return check('latency', 'ok', `${first} ms with connect${rest}`);
}

function failureOf(results: readonly ProbeResult[], kind: Failure['kind']): Failure | undefined {
  return results.find(({ failure }) => failure?.kind === kind)?.failure;
}

function failed(name: string, { detail, advice }: Failure): Check {
  return check(name, 'failed', detail, advice);
}

function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
