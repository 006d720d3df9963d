/** Faults that lie: a response that looks right, and does not show what the service holds. */

import type { ServiceResponse } from '../http/messages.js';

/** The words with which a list says that it is not whole; `'data'`: null in place of the list. */
export const partialListWords = [
  'has_more',
  'links.next',
  'partial',
  'timed_out',
  'errors',
  'success',
  'data',
  'total',
] as const;

/** The changes of a payment reference: upper case, white space around it, its first 8 characters. */
export const referenceChanges = ['case', 'padded', 'cut'] as const;

/** A word with which a list says that it is incomplete. */
export type PartialListWord = (typeof partialListWords)[number];

/** How a payment reference comes back changed. */
export type ReferenceChange = (typeof referenceChanges)[number];

/** A response that does not show what the service holds. */
export type LyingFault =
  | { readonly kind: 'staleList'; readonly ageSeconds: number; readonly showAge: boolean }
  | { readonly kind: 'partialList'; readonly word: PartialListWord }
  | { readonly kind: 'ignoredFilter' }
  | { readonly kind: 'changedReference'; readonly how: ReferenceChange }
  | { readonly kind: 'otherRecord' };

type Json = Readonly<Record<string, unknown>>;

/** A list without its envelope, and the member of the envelope that holds it. */
interface ListInBody {
  readonly envelope: Json;
  readonly member: string;
  readonly items: readonly Json[];
}

/** The response as the lie shows it. Errors, and pages that are not JSON, are left as they are. */
export function distort(
  fault: LyingFault,
  response: ServiceResponse,
  nowMs: number,
): ServiceResponse {
  const isJson = response.headers['content-type']?.startsWith('application/json') === true;
  if (response.status >= 300 || !isJson) return response;
  const body = JSON.parse(response.body) as unknown;
  const list = findList(body);
  const lie =
    list === undefined ? distortRecord(fault, body as Json) : distortList(fault, list, nowMs);
  if (lie === undefined) return response;
  const age =
    fault.kind === 'staleList' && fault.showAge ? { age: String(fault.ageSeconds) } : undefined;
  return {
    ...response,
    headers: { ...response.headers, ...age },
    body: JSON.stringify(list?.member === '' ? lie[''] : lie),
  };
}

/** A bare array is held as the member `''`: it has no envelope. */
function findList(body: unknown): ListInBody | undefined {
  const envelope = Array.isArray(body) ? { '': body } : (body as Json);
  if (!Array.isArray(body) && !('next_cursor' in envelope)) return undefined;
  for (const [member, items] of Object.entries(envelope)) {
    if (Array.isArray(items)) return { envelope, member, items: items as readonly Json[] };
  }
  return undefined;
}

/** `undefined`: the fault says nothing about lists. */
function distortList(
  fault: LyingFault,
  { envelope, member, items }: ListInBody,
  nowMs: number,
): Json | undefined {
  switch (fault.kind) {
    case 'staleList': {
      const storedAtMs = nowMs - fault.ageSeconds * 1_000;
      const wasStored = ({ created_at: at }: Json) =>
        typeof at !== 'string' || Date.parse(at) <= storedAtMs;
      return { ...envelope, [member]: items.filter(wasStored) };
    }
    case 'partialList': {
      const part = { ...envelope, [member]: items.slice(1), next_cursor: null };
      return { ...part, ...sayPartial(fault.word, member, items.length) };
    }
    case 'changedReference':
      return { ...envelope, [member]: items.map((item) => changeReference(fault.how, item)) };
    // The service ignores its filter itself: no body can show what was not read.
    case 'ignoredFilter':
    case 'otherRecord':
      return undefined;
  }
}

/** `undefined`: the fault says nothing about single records. */
function distortRecord(fault: LyingFault, record: Json): Json | undefined {
  if (fault.kind === 'changedReference') return changeReference(fault.how, record);
  if (fault.kind !== 'otherRecord') return undefined;
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      identityFields.has(name) && typeof value === 'string' ? `other-${value}` : value,
    ]),
  );
}

/** The fields that make a record the one that was asked for, or that of the sale that was sent. */
const identityFields = new Set(['public_id', 'case_id', 'domain', 'external_payment_ref']);

function sayPartial(word: PartialListWord, member: string, count: number): Json {
  switch (word) {
    case 'has_more':
    case 'partial':
    case 'timed_out':
      return { [word]: true };
    case 'links.next':
      return { links: { next: '?page=2' } };
    case 'errors':
      return { errors: [{ message: 'One shard did not respond.' }] };
    case 'success':
      return { success: false };
    case 'data':
      return { [member]: null };
    case 'total':
      return { total: Math.max(count, 1) };
  }
}

function changeReference(how: ReferenceChange, record: Json): Json {
  const { external_payment_ref: reference } = record;
  if (typeof reference !== 'string') return record;
  return { ...record, external_payment_ref: changedReference(how, reference) };
}

function changedReference(how: ReferenceChange, reference: string): string {
  switch (how) {
    case 'case': {
      const upper = reference.toUpperCase();
      return upper === reference ? reference.toLowerCase() : upper;
    }
    case 'padded':
      return ` ${reference} `;
    case 'cut':
      return reference.slice(0, 8);
  }
}
