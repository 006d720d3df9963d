/**
 * Every place where the specification says "not shown" and the client must still read or write
 * something. Each assumption is read tolerantly, and docs/assumptions.md has a row for users; the
 * assumed names of fields are the optional members of the interfaces in src/client/model.
 */

import { isRecord } from '../core/json.js';

/** Parameters of the paged lists other than GET /events, which documents its own. */
export const pageParameters = { cursor: 'cursor', limit: 'limit' } as const;

/** How long the service remembers an Idempotency-Key at least: an older sale is looked up first. */
export const idempotencyWindowMs = 12 * 3_600_000;

/** The list may lag behind a recorded order: two look-ups this far apart must agree. */
export const lookUpPauseMs = 3_000;

/** How long a look-up may take, all of its pages together, if the caller does not say. */
export const lookUpDeadlineMs = 120_000;

/** Machines in step differ by less: the service accepts no more (specification, part 5). */
export const clockSkewMs = 300_000;

/** Whether the service may have forgotten the key of a sale. A start in the future is of a wrong clock. */
export function isOldKey(startedAtMs: number, nowMs: number, windowMs: number): boolean {
  const ageMs = nowMs - startedAtMs;
  return ageMs > windowMs || ageMs < -clockSkewMs;
}

/** Members that may hold a list, tried after the endpoint's own noun. */
export const listMembers = ['data', 'items', 'results', 'list', 'records'];

/** Objects next to the list that may hold the cursor. */
const cursorContainers = ['pagination', 'paging', 'meta', 'page', 'page_info'];

/** Headers that may name the request. */
const requestIdHeaders = ['x-request-id', 'request-id', 'x-market-request-id', 'x-correlation-id'];

/**
 * The list in a response: a bare array, or the one that an object holds, also one level deeper.
 * `undefined` where there is none, or where several could be it.
 */
export function findList(body: unknown, noun: string, levelsBelow = 1): unknown[] | undefined {
  if (Array.isArray(body)) return body as unknown[];
  if (!isRecord(body)) return undefined;
  for (const name of [noun, ...listMembers]) {
    const member = body[name];
    if (Array.isArray(member)) return member as unknown[];
    const inner = levelsBelow > 0 ? findList(member, noun, levelsBelow - 1) : undefined;
    if (inner !== undefined) return inner;
  }
  const arrays = Object.entries(body).filter(
    ([name, member]) => Array.isArray(member) && !aboutFailure.test(name),
  );
  return arrays.length === 1 ? (arrays[0]?.[1] as unknown[]) : undefined;
}

/** Arrays that tell what went wrong, and are no list of orders. */
const aboutFailure =
  /^(?:errors?|warnings?|messages?|notices?|problems?|violations?|failures?|faults?)$/i;

/**
 * Whether an empty list in this body means that there is nothing. Gateways and caches respond with
 * `[]`, or with an error and status 200. So only a list under a known name counts, and only when
 * no error comes with it.
 */
export function provesAbsence(body: unknown, noun: string): boolean {
  if (!isRecord(body)) return false;
  const { code, message } = readErrorBody(body);
  if (code !== undefined || message !== undefined) return false;
  const names = [noun, ...listMembers];
  const holders = [body, ...names.map((name) => body[name]).filter(isRecord)];
  return holders.some((holder) => names.some((name) => Array.isArray(holder[name])));
}

/** The cursor of the next page. GET /events documents `next_cursor`; the place in other lists is assumed. */
export function findNextCursor(body: unknown): string | undefined {
  if (!isRecord(body)) return undefined;
  const holders = [body, ...[...cursorContainers, 'data'].map((name) => body[name])];
  for (const holder of holders) {
    if (!isRecord(holder)) continue;
    for (const cursor of [holder.next_cursor, holder.nextCursor]) {
      if (typeof cursor === 'string' && cursor !== '') return cursor;
      if (typeof cursor === 'number') return String(cursor);
    }
  }
  return undefined;
}

/** A value next to a list, or in an object next to it: totals, a running balance. */
export function findSiblingField(body: unknown, names: readonly string[]): unknown {
  if (!isRecord(body)) return undefined;
  const holders = [body, body.meta, body.summary, body.data].filter((holder) => isRecord(holder));
  // The likelier name wins in either place: a "total" at the top may be a mere count.
  for (const name of names) {
    const holder = holders.find((one) => one[name] !== undefined);
    if (holder !== undefined) return holder[name];
  }
  return undefined;
}

export const totalsNames = ['totals', 'total'];
export const runningBalanceNames = [
  'running_balance_cents',
  'running_balance',
  'balance_cents',
  'balance',
];

/**
 * A single record may be wrapped: `{ "order": { … } }`, `{ "data": { "order": { … } } }`, as deep as
 * {@link hasField} looks. It is the member with the most documented fields, if that is more than the
 * body itself has; of two equal ones in different depths the outer one.
 */
export function unwrapRecord(body: unknown, documented: readonly string[]): unknown {
  if (!isRecord(body) || documented.every((name) => name in body)) return body;
  const fieldsOf = (record: object) => documented.filter((name) => name in record).length;
  const outer = Object.values(body).filter(isRecord);
  const inner = outer.flatMap((record) => Object.values(record).filter(isRecord));
  let unwrapped = body;
  let mostFields = fieldsOf(body);
  for (const records of [outer, inner]) {
    const counts = records.map(fieldsOf);
    const most = Math.max(0, ...counts);
    if (most <= mostFields) continue;
    mostFields = most;
    // Two that fit equally well: neither is taken.
    const isOnly = counts.indexOf(most) === counts.lastIndexOf(most);
    unwrapped = (isOnly ? records[counts.indexOf(most)] : undefined) ?? body;
  }
  return unwrapped;
}

/**
 * What a body has in place of the record: null, a list, or the message of a gateway alone, such as
 * `{ "message": "maintenance" }`; `undefined` if it may be a record. A write may respond with a message.
 */
export function findSubstitute(
  body: Readonly<Record<string, unknown>>,
  documented: readonly string[],
  method: string,
): string | undefined {
  if (documented.some((name) => name in body)) return undefined;
  const members = Object.entries(body);
  const all = (isOf: (value: unknown, name: string) => boolean) =>
    members.length > 0 && members.every(([name, value]) => isOf(value, name));
  if (body.data === null || all((value) => value === null)) return 'null';
  // As `{ "order": [] }`, which is how PHP writes an empty object. A plural may be a field of the record.
  const isList = Array.isArray(body.data) || all(isSingularList);
  // Records without documented fields, such as analytics, may have lists of their own.
  if (documented.length > 0 && isList) return 'a list';
  const isMessage = all((_value, name) => /^(?:message|detail)$/i.test(name));
  return method === 'GET' && isMessage ? 'a message' : undefined;
}

function isSingularList(value: unknown, name: string): boolean {
  return Array.isArray(value) && !name.endsWith('s');
}

/** The code and message of an error body: `{code,message}`, `{error:{code,message}}`, `{error,message}`. */
export function readErrorBody(body: unknown): {
  code?: string | undefined;
  message?: string | undefined;
  requestId?: string | undefined;
} {
  if (!isRecord(body)) return {};
  const inner = isRecord(body.error) ? body.error : body;
  const error = text(body.error);
  // The service's codes are snake_case; gateways write "Not Found" or "Unauthorized" in this place.
  const isCode = error !== undefined && /^[a-z][a-z0-9_]*$/.test(error);
  return {
    code: text(inner.code) ?? (isCode ? error : undefined) ?? text(body.code),
    message: text(inner.message) ?? text(body.message) ?? (isCode ? undefined : error),
    requestId: text(inner.request_id) ?? text(body.request_id),
  };
}

/** Whether a record has a field, itself or in an envelope around it: `{ "data": { "order": { … } } }`. */
export function hasField(body: unknown, name: string, levelsBelow = 2): boolean {
  if (!isRecord(body)) return false;
  if (body[name] !== undefined && body[name] !== null) return true;
  return levelsBelow > 0 && Object.values(body).some((it) => hasField(it, name, levelsBelow - 1));
}

export function findRequestId(headers: Readonly<Record<string, string>>): string | undefined {
  const name = requestIdHeaders.find((each) => headers[each] !== undefined);
  return name && headers[name];
}

/** The credential's environment. */
export type Environment = 'sandbox' | 'live' | 'test';

/** The marker in a key id is taken to be one of the three words between separators: `mk_sandbox_1f0c`. */
export function environmentOf(keyId: string): Environment | undefined {
  const words = keyId.toLowerCase().split(/[^a-z0-9]+/);
  const markers = new Set(words.filter((word) => ['sandbox', 'live', 'test'].includes(word)));
  // Two different markers are ambiguous; forbidLive then refuses the key.
  return markers.size === 1 ? ([...markers][0] as Environment) : undefined;
}

/** The named statuses in the order in which a sale passes through them (specification, part 3). */
const milestones = ['EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED', 'SETTLED'];

/** Whether `status` is `wanted`, or a named status that comes after it; in any letter case. */
export function hasReached(status: string, wanted: string): boolean {
  if (isSameStatus(status, wanted)) return true;
  const at = milestones.indexOf(status.toUpperCase());
  const goal = milestones.indexOf(wanted.toUpperCase());
  return at !== -1 && goal !== -1 && at > goal;
}

export function isSameStatus(a: string, b: string): boolean {
  return a.toUpperCase() === b.toUpperCase();
}

/** The name of the hold status is not shown: any that speaks of a review or a hold. */
export function isHeldForReview(status: string): boolean {
  return /(^|_)(REVIEW|HOLD|HELD)(_|$)/i.test(status) && !/(^|_)CLEARED(_|$)/i.test(status);
}

/** Nothing follows these. The names for a refunded and a cancelled order are not shown. */
export function isFinal(status: string): boolean {
  return isSameStatus(status, 'SETTLED') || /(^|_)(REFUNDED|CANCELL?ED)(_|$)/i.test(status);
}

/** Refunded or cancelled as a whole: `PARTIALLY_REFUNDED` leaves an order that is still valid. */
export function isTakenBack(status: string): boolean {
  return /^(?:REFUNDED|CANCELL?ED)$/i.test(status);
}

/**
 * Whether a status says that there is no such sale or refund, in whatever words. It decides nothing alone:
 * somebody looks at the order.
 */
export function isDenied(status: unknown): boolean {
  if (typeof status !== 'string') return false;
  const words = status.replace(/([a-z])(?=[A-Z])/g, '$1_');
  return /(?:^|[^a-z])(?:den(?:y|ied)|declined?|reject(?:ed)?|refused|fail(?:ed|ure)?|cancell?ed|expired|error|invalid|un(?:successful|accepted)|ineligible|not[^a-z]?(?:refunded|approved|accepted|allowed|possible))(?:[^a-z]|$)/i.test(
    words,
  );
}

/** Whether an order that was in one status can be in the other one later. */
export function canFollow(status: string, earlier: string): boolean {
  if (isSameStatus(status, earlier) || isTakenBack(earlier)) return false;
  if (isTakenBack(status)) return true;
  if (hasReached(earlier, status)) return false;
  // A hold comes before the delivery. What an order has after it was cleared is not shown.
  return !(isHeldForReview(status) && hasReached(earlier, 'TRANSFER_COMPLETED'));
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
