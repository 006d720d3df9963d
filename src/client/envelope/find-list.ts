/** `findList`: the list in a response. `provesAbsence`: whether an empty one means that there is nothing. */

import { isRecord } from '../../core/json.js';
import { defaultPlaces } from '../assumptions.js';
import { isGoodWord } from './envelope-words.js';
import { readErrorBody } from './error-body.js';

/**
 * The list in a response: a bare array, or the one that an object holds, also one level deeper.
 * `undefined` where there is none, or where several could be it.
 */
export function findList(body: unknown, noun: string, levelsBelow = 1): unknown[] | undefined {
  if (Array.isArray(body)) return body as unknown[];
  if (!isRecord(body)) return undefined;
  for (const name of [noun, ...defaultPlaces.lists.items]) {
    const member = body[name];
    if (Array.isArray(member)) return member as unknown[];
    const inner = levelsBelow > 0 ? findList(member, noun, levelsBelow - 1) : undefined;
    if (inner !== undefined) return inner;
  }
  const arrays = Object.entries(body).filter(
    ([name, member]) => Array.isArray(member) && !aboutTheList.test(name),
  );
  return arrays.length === 1 ? (arrays[0]?.[1] as unknown[]) : undefined;
}

/** Arrays that tell what went wrong, or lead to other pages, and are no list of orders. */
const aboutTheList =
  /^(?:errors?|warnings?|messages?|notices?|problems?|violations?|failures?|faults?)$/i;

/**
 * Whether an empty list in this body means that there is nothing. Gateways and caches respond with
 * `[]`, or with an error and status 200. So only a list under a known name counts, and only when
 * no error comes with it.
 */
export function provesAbsence(body: unknown, noun: string): boolean {
  if (!isRecord(body)) return false;
  const { code, message } = readErrorBody(body);
  if (code !== undefined && !isGoodWord(code)) return false;
  if (message !== undefined && !isGoodWord(message)) return false;
  const names = [noun, ...defaultPlaces.lists.items];
  const holders = [body, ...names.map((name) => body[name]).filter(isRecord)];
  return holders.some((holder) => names.some((name) => Array.isArray(holder[name])));
}
