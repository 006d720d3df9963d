/** `unwrapRecord`: a record out of its envelope, by the envelope's form. `findSubstitute`: what is there instead. */

import { isRecord } from '../../core/json.js';
import { defaultPlaces } from '../assumptions.js';
import { countKnownFields, type RecordName } from '../record-fields.js';
import { findMeaning } from './envelope-words.js';

/** Words of an envelope that say nothing about its content. */
const silentWords =
  /^(?:meta|metadata|_?links|request_?id|trace_?id|timestamp|time|version|api_?version|object|kind|jsonapi|included|pagination|live_?mode|environment)$/i;

const { nouns: otherNouns } = defaultPlaces.records;
const wrappers: readonly string[] = defaultPlaces.records.at;

const mostLevels = 3;

/**
 * The record in a body: itself, or an only object member, or `data`, `result` or the record's noun beside words of an
 * envelope, each up to three levels deep. A body that has fields of the record itself is the record.
 */
export function unwrapRecord(body: unknown, record: RecordName): unknown {
  const nouns = [record, ...(otherNouns[record] ?? [])];
  let unwrapped = body;
  for (let level = 0; level < mostLevels && isRecord(unwrapped); level += 1) {
    const name = findWrapper(unwrapped, record, nouns);
    if (name === undefined) break;
    unwrapped = unwrapped[name];
    if (nouns.includes(name)) break; // an only member of the record itself is its field
  }
  return unwrapped;
}

/** The member that holds the record, if the body is an envelope. */
function findWrapper(
  body: Readonly<Record<string, unknown>>,
  record: RecordName,
  nouns: readonly string[],
): string | undefined {
  const names = Object.keys(body);
  const [only = ''] = names;
  if (names.length === 1) return isRecord(body[only]) ? only : undefined;
  // Most bodies are the record itself, and have nothing in them that could be one: no word is looked up.
  if (!names.some((name) => isRecord(body[name]))) return undefined;
  const own = countKnownFields(body, record);
  for (const noun of nouns) {
    const inner = body[noun];
    // `{ order, timeline }`: the noun holds the record, whatever else stands beside it.
    if (isRecord(inner) && countKnownFields(inner, record) > own) return noun;
  }
  const content = names.filter((name) => !isEnvelopeWord(name));
  const [name = ''] = content;
  const isWrapped = content.length === 1 && [...nouns, ...wrappers].includes(name);
  return isWrapped && isRecord(body[name]) ? name : undefined;
}

function isEnvelopeWord(name: string): boolean {
  if (wrappers.includes(name)) return false; // "result" is a word for a status, too
  return silentWords.test(name) || findMeaning(name) !== undefined;
}

/**
 * What a body has in place of the record: null, a list, or the message of a gateway alone, such as
 * `{ "message": "maintenance" }`; `undefined` if it may be a record. A write may respond with a message.
 */
export function findSubstitute(
  body: Readonly<Record<string, unknown>>,
  record: RecordName,
  method: string,
): string | undefined {
  if (countKnownFields(body, record) > 0) return undefined;
  const members = Object.entries(body);
  const all = (isOf: (value: unknown, name: string) => boolean) =>
    members.length > 0 && members.every(([name, value]) => isOf(value, name));
  if (body.data === null || all((value) => value === null)) return 'null';
  // As `{ "order": [] }`, which is how PHP writes an empty object. A plural may be a field of the record.
  // A report may be a list of its days.
  const isList = Array.isArray(body.data) || all(isSingularList);
  if (isList && record !== 'analytics') return 'a list';
  const isMessage = all((_value, name) => /^(?:message|detail)$/i.test(name));
  return method === 'GET' && isMessage ? 'a message' : undefined;
}

function isSingularList(value: unknown, name: string): boolean {
  return Array.isArray(value) && !name.endsWith('s');
}

/** Whether a record has a field, itself or in an envelope around it: `{ "data": { "order": { … } } }`. */
export function hasField(body: unknown, name: string, levelsBelow = 2): boolean {
  if (!isRecord(body)) return false;
  if (body[name] !== undefined && body[name] !== null) return true;
  return levelsBelow > 0 && Object.values(body).some((it) => hasField(it, name, levelsBelow - 1));
}
