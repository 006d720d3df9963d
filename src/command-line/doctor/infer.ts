/** Inferences from JSON as received: by form and by equal values, never by likeness of names. */

import { isDocumentedCode } from '../../client/errors/api-error-class.js';
import { fieldsOf, type RecordName } from '../../client/record-fields.js';
import { snakeCase } from '../../client/profile/spelling.js';
import { isRecord } from '../../core/json.js';

export type Fields = Readonly<Record<string, unknown>>;

/** A value and its place: the names on the way, with dots between them. */
export interface Found {
  readonly place: string;
  readonly value: unknown;
}

/** Every member of JSON down to a depth, the nearest first; what is in lists is left out. */
export function membersOf(json: unknown, depth = 3): Found[] {
  const found: Found[] = [];
  let level: Found[] = [{ place: '', value: json }];
  for (let down = 0; down < depth; down += 1) {
    level = level.flatMap(({ place, value }) =>
      isRecord(value)
        ? Object.entries(value).map(([name, inner]) => ({
            place: place === '' ? name : `${place}.${name}`,
            value: inner,
          }))
        : [],
    );
    found.push(...level);
  }
  return found;
}

/** The value at a place as `membersOf` names it. */
export function valueAt(json: unknown, place: string): unknown {
  return place === '' ? json : membersOf(json, 6).find((member) => member.place === place)?.value;
}

/** The place of the record that has most of the fields of its kind, in any spelling of their letters. */
export function placeOfRecord(body: unknown, kind: RecordName): string | undefined {
  const candidates = [{ place: '', value: body }, ...membersOf(body)];
  const scored = candidates.map(({ place, value }) => ({ place, score: scoreOf(value, kind) }));
  const best = Math.max(...scored.map(({ score }) => score));
  return best === 0 ? undefined : scored.find(({ score }) => score === best)?.place;
}

function scoreOf(value: unknown, kind: RecordName): number {
  if (!isRecord(value)) return 0;
  const known = Object.keys(fieldsOf(kind)).map(stemOf);
  return Object.keys(value).filter((name) => known.includes(stemOf(snakeCase(name)))).length;
}

/** An amount's name without its unit. */
export function stemOf(name: string): string {
  return name.replace(/_cents$/, '');
}

/** The list in a body: the only one, or the only one of records. */
export function listIn(body: unknown): Found | undefined {
  if (Array.isArray(body)) return { place: '', value: body };
  const lists = membersOf(body).filter(({ value }) => Array.isArray(value));
  const ofRecords = lists.filter(({ value }) => (value as unknown[]).some(isRecord));
  return ofRecords.length === 1 ? ofRecords[0] : lists.length === 1 ? lists[0] : undefined;
}

/** Where a documented code stands; of several, the nearest. */
export function codeIn(body: unknown): Found | undefined {
  return membersOf(body).find(({ value }) => typeof value === 'string' && isDocumentedCode(value));
}

/** Where a text beside a code has its message: the only member that is called so, or the only sentence. */
export function messageIn(body: unknown): string | undefined {
  const texts = membersOf(body).filter(({ value }) => typeof value === 'string');
  return (
    texts.find(({ place }) => /(?:^|\.)message$/.test(place)) ??
    texts.find(({ value }) => /\s\S+\s/.test(String(value)))
  )?.place;
}

export function isDate(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value);
}

/** Epoch times of this century: seconds have ten digits, milliseconds thirteen. */
export function epochForm(value: unknown): 'seconds' | 'milliseconds' | undefined {
  if (typeof value !== 'number') return undefined;
  if (value > 1e9 && value < 5e9) return 'seconds';
  return value > 1e12 && value < 5e12 ? 'milliseconds' : undefined;
}

export function isDomain(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(value);
}
