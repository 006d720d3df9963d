/** `memberNames`: the names of the members of a body, for a message. Never a value. */

import { isRecord } from '../json.js';

const mostNames = 12;
const longestName = 40;

/** `"data" ("orders", "has_more"), "ok"`; the items of a list stand in square brackets. */
export function memberNames(body: unknown, levelsBelow = 1): string {
  const [item] = Array.isArray(body) ? (body as unknown[]) : [];
  if (Array.isArray(body)) return `a list${isRecord(item) ? ` of [${memberNames(item, 0)}]` : ''}`;
  if (!isRecord(body)) return 'no members';
  const names = Object.keys(body);
  if (names.length === 0) return 'no members';
  const shown = names
    .slice(0, mostNames)
    .map((name) => quoted(name) + (levelsBelow > 0 ? inside(body[name]) : ''));
  return [...shown, ...(names.length > mostNames ? ['...'] : [])].join(', ');
}

function inside(value: unknown): string {
  if (isRecord(value)) return ` (${memberNames(value, 0)})`;
  const [item] = Array.isArray(value) ? (value as unknown[]) : [];
  return isRecord(item) ? ` [${memberNames(item, 0)}]` : '';
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, longestName));
}
