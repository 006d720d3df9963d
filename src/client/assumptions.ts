/**
 * What the specification does not show and the client must still read or write. Each assumption is read tolerantly,
 * and docs/assumptions.md has a row for users; the assumed names of fields are in record-fields.ts.
 */

import { isRecord } from '../core/json.js';
import type { RecordName } from './record-fields.js';

/**
 * The default profile: the places where a service of this kind has a value, the likelier first. A partner's profile
 * names one of them, and is exact. Readers are in src/client/envelope.
 */
export const defaultPlaces = {
  lists: {
    /** Members that hold a list, tried after the endpoint's own noun. */
    items: [
      'data',
      'items',
      'results',
      'list',
      'records',
      'result',
      'response',
      'content',
      'value',
      '_embedded',
    ],
    totals: ['totals', 'total'],
    runningBalance: ['running_balance_cents', 'running_balance', 'balance_cents', 'balance'],
  },
  paging: {
    /** Members with the next cursor, in letters alone. The first is documented, and goes before a link. */
    next: [
      'nextcursor',
      'nextpagetoken',
      'aftercursor',
      'cursorsafter',
      'endcursor',
      'next',
      'cursor',
    ],
    /** The parameter that takes such a cursor by custom. The documented one is sent beside it. */
    customaryParam: new Map([
      ['nextpagetoken', 'page_token'],
      ['aftercursor', 'after'],
      ['cursorsafter', 'after'],
      ['endcursor', 'after'],
    ]),
    /** The parameter of the paged lists other than GET /events, which documents its own. */
    param: 'cursor',
  },
  records: {
    /** What an envelope calls any record. */
    at: ['data', 'result', 'response', 'record', 'item', 'payload'],
    /** What it calls a record of this kind, besides the kind's own name. */
    nouns: {
      domain: ['listing'],
      detail: ['order'],
      session: ['checkout_session', 'checkout'],
      case: ['brokerage_case', 'brokerage'],
      link: ['tracking_link'],
      webhook: ['registration', 'endpoint'],
    } as Partial<Record<RecordName, readonly string[]>>,
  },
  errors: {
    /** Members that may hold a code. The last three hold other words, too. */
    code: ['code', 'error_code', 'errorCode', 'error', 'reason', 'status', 'type'],
  },
  /** Headers that may name the request. */
  requestId: ['x-request-id', 'request-id', 'x-market-request-id', 'x-correlation-id'],
} as const;

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

export function findRequestId(headers: Readonly<Record<string, string>>): string | undefined {
  const name = defaultPlaces.requestId.find((each) => headers[each] !== undefined);
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

/** Letter case never matters; what is no text is no status. */
function wordOf(status: unknown): string {
  return typeof status === 'string' ? status.toUpperCase() : '';
}

export function isSameStatus(a: string, b: string): boolean {
  return wordOf(a) === wordOf(b);
}

/** Whether `status` is `wanted`, or a named status that comes after it. */
export function hasReached(status: string, wanted: string): boolean {
  const [word, goalWord] = [wordOf(status), wordOf(wanted)];
  if (word === goalWord) return word !== '';
  const at = milestones.indexOf(word);
  const goal = milestones.indexOf(goalWord);
  return at !== -1 && goal !== -1 && at > goal;
}

/** The name of the hold status is not shown: any that speaks of a review or a hold. */
export function isHeldForReview(status: string): boolean {
  const word = wordOf(status);
  return /(^|_)(REVIEW|HOLD|HELD)(_|$)/.test(word) && !/(^|_)CLEARED(_|$)/.test(word);
}

/** Nothing follows these. The names for a refunded and a cancelled order are not shown. */
export function isFinal(status: string): boolean {
  const word = wordOf(status);
  return word === 'SETTLED' || /(^|_)(REFUNDED|CANCELL?ED)(_|$)/.test(word);
}

/** Refunded or cancelled as a whole: `PARTIALLY_REFUNDED` leaves an order that is still valid. */
export function isTakenBack(status: string): boolean {
  return /^(?:REFUNDED|CANCELL?ED)$/.test(wordOf(status));
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
  if (wordOf(status) === wordOf(earlier) || isTakenBack(earlier)) return false;
  if (isTakenBack(status)) return true;
  if (hasReached(earlier, status)) return false;
  // A hold comes before the delivery. What an order has after it was cleared is not shown.
  return !(isHeldForReview(status) && hasReached(earlier, 'TRANSFER_COMPLETED'));
}
