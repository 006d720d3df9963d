/** What the list of requests and the details of one show. */

import { isMatch } from './search.js';
import { subjectOf } from './subject.js';
import { endpointName, endpointOf, errorName, isRefused } from './traffic.js';
import type { RequestView } from './wire.js';

/** Which requests are listed. An empty name is any. */
export interface Filter {
  readonly endpoint: string;
  /** `accepted`, `refused`, or the name of an error. */
  readonly result: string;
  /** Leaves out what polls and comparisons read: GET calls that succeeded without a fault. */
  readonly hidesReads: boolean;
}

export const noFilter: Filter = { endpoint: '', result: '', hidesReads: false };

/** The attempts of one call: requests of a credential with the same Idempotency-Key. */
export interface AttemptGroup {
  readonly id: string;
  readonly idempotencyKey: string | undefined;
  /** In the order in which they came; one for a request without a key. */
  readonly attempts: readonly RequestView[];
}

/** The requests that filter and search let through, with their other attempts; the latest first. */
export function attemptGroups(
  requests: readonly RequestView[],
  filter: Filter,
  search = '',
): AttemptGroup[] {
  const groups = new Map<string, RequestView[]>();
  for (const request of requests) {
    const id = groupOf(request);
    const attempts = groups.get(id) ?? [];
    attempts.push(request);
    // A group is placed where its latest attempt is.
    groups.delete(id);
    groups.set(id, attempts);
  }
  return [...groups]
    .filter(([, attempts]) =>
      attempts.some((request) => passes(request, filter) && isMatch(request, search)),
    )
    .map(([id, attempts]) => ({
      id,
      idempotencyKey: attempts[0]?.idempotencyKey ?? undefined,
      attempts,
    }))
    .reverse();
}

/** Requests one after another that look the same. */
export interface Run {
  /** Its oldest group: it stays when others are added. */
  readonly id: string;
  /** The latest. */
  readonly first: AttemptGroup;
  readonly others: readonly AttemptGroup[];
}

/** Folds repeated requests, such as those of a program that polls. */
export function foldRepeats(groups: readonly AttemptGroup[]): Run[] {
  const runs: { name: string; groups: AttemptGroup[] }[] = [];
  for (const group of groups) {
    const name = nameOf(group);
    const last = runs.at(-1);
    if (name !== '' && last?.name === name) last.groups.push(group);
    else runs.push({ name, groups: [group] });
  }
  return runs.flatMap(({ groups: [first, ...others] }) =>
    first === undefined ? [] : [{ id: (others.at(-1) ?? first).id, first, others }],
  );
}

/** What a row says but for its time; empty for several attempts, which are never folded. */
function nameOf({ attempts: [request, ...others] }: AttemptGroup): string {
  if (request === undefined || others.length > 0) return '';
  const { status, faults } = request;
  return [endpointOf(request), subjectOf(request), status, verdictOf(request), ...faults].join(' ');
}

/** Every attempt with the Idempotency-Key of this request; only the request itself if it has none. */
export function attemptsOf(
  requests: readonly RequestView[],
  request: RequestView,
): readonly RequestView[] {
  const id = groupOf(request);
  return requests.filter((each) => groupOf(each) === id);
}

/** The result of a request, in a word: `accepted`, an error code, `connection reset`. */
export function verdictOf(request: RequestView): string {
  return isRefused(request) ? errorName(request) : request.verdict;
}

/** The six lines of the canonical string, as expected and, if the emulator can find out, as signed. */
export function canonicalLines({ expected, signed }: NonNullable<RequestView['canonical']>) {
  return (Object.keys(expected) as (keyof typeof expected)[]).map((name) => ({
    name,
    expected: expected[name],
    signed: signed?.[name],
    differs: signed !== undefined && signed[name] !== expected[name],
  }));
}

function groupOf({ requestId, keyId, idempotencyKey, method, path }: RequestView): string {
  return idempotencyKey === null
    ? requestId
    : JSON.stringify([keyId, idempotencyKey, method, path]);
}

function passes(request: RequestView, { endpoint, result, hidesReads }: Filter): boolean {
  const { method, faults } = request;
  const refused = isRefused(request);
  if (hidesReads && method === 'GET' && !refused && faults.length === 0) return false;
  if (endpoint !== '' && endpoint !== endpointName(request)) return false;
  if (result === '' || result === 'accepted') return result === '' || !refused;
  return refused && (result === 'refused' || result === errorName(request));
}
