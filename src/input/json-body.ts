/**
 * A request body as JSON text. The service recognises a repeated order by the fingerprint of its
 * body (specification, part 4.2), so equal input must give equal bytes in every process: keys are
 * sorted, and what JSON would quietly turn into `null` or `{}` is refused.
 */

import { isDate } from 'node:util/types';
import { InvalidRequestError, type InputIssue } from '../errors/before-sending.js';
import type { CallFacts } from '../errors/market-error.js';
import { quoted } from './given.js';
import { isPlainObject } from './plain-object.js';
import { isWellFormed, MALFORMED } from './values/text.js';

/** Far above any real body, and far below where the stack ends. */
const MAX_DEPTH = 500;
/** An array of a million mistakes is one mistake. */
const MAX_ISSUES = 20;

interface Walk {
  readonly issues: InputIssue[];
  /** The objects around the present one: one that returns among them is a cycle. */
  readonly around: Set<object>;
}

/**
 * JSON with the keys of every object in the order of their UTF-16 code units. Members that are
 * `undefined` are left out; a `Date`, and whatever else has `toJSON`, is written as that gives.
 *
 * @throws {InvalidRequestError} for what JSON cannot hold, with the path of each.
 */
export function serializeBody(value: unknown, call: CallFacts = {}): string {
  const walk: Walk = { issues: [], around: new Set() };
  const json = write(unwrapped(value, ''), '', walk);
  if (walk.issues.length > 0) throw new InvalidRequestError(walk.issues, call);
  return json;
}

function write(value: unknown, path: string, walk: Walk): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') {
    return isWellFormed(value) ? JSON.stringify(value) : refuse(walk, path, MALFORMED);
  }
  if (typeof value === 'number') {
    return Number.isFinite(value)
      ? JSON.stringify(value)
      : refuse(walk, path, `must be a finite number; ${value} was given`);
  }
  if (typeof value !== 'object')
    return refuse(walk, path, `must not be ${named(typeof value)}: JSON has none`);
  if (isDate(value)) {
    return refuse(walk, path, 'must be a valid Date; an invalid one was given');
  }
  if (walk.around.has(value)) return refuse(walk, path, 'must not contain itself');
  if (walk.around.size === MAX_DEPTH) {
    return refuse(walk, path, `must not be nested deeper than ${MAX_DEPTH} levels`);
  }
  walk.around.add(value);
  const json = Array.isArray(value)
    ? writeArray(value, path, walk)
    : writeObject(value, path, walk);
  walk.around.delete(value);
  return json;
}

function writeArray(values: readonly unknown[], path: string, walk: Walk): string {
  // Array.from, as map would skip the holes.
  const items = Array.from(values, (item, at) =>
    write(unwrapped(item, String(at)), `${path}[${at}]`, walk),
  );
  return `[${items.join(',')}]`;
}

function writeObject(value: object, path: string, walk: Walk): string {
  if (!isPlainObject(value)) {
    return refuse(
      walk,
      path,
      'must be a plain object: an instance of a class would lose its state',
    );
  }
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = unwrapped(value[key], key);
    if (member === undefined) continue;
    const memberPath = path === '' ? shown(key) : `${path}.${shown(key)}`;
    if (!isWellFormed(key)) refuse(walk, memberPath, MALFORMED);
    members.push(`${JSON.stringify(key)}:${write(member, memberPath, walk)}`);
  }
  return `{${members.join(',')}}`;
}

function refuse({ issues }: Walk, path: string, message: string): string {
  if (issues.length < MAX_ISSUES) issues.push({ path: path === '' ? 'body' : path, message });
  return 'null';
}

/** What the value's own `toJSON` gives. An invalid Date stays as it is: its `toJSON` gives `null`. */
function unwrapped(value: unknown, key: string): unknown {
  if (isDate(value) && Number.isNaN(value.getTime())) return value;
  return hasToJson(value) ? value.toJSON(key) : value;
}

function hasToJson(value: unknown): value is { toJSON(key: string): unknown } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'toJSON' in value &&
    typeof value.toJSON === 'function'
  );
}

function shown(key: string): string {
  return quoted(key).slice(1, -1);
}

function named(type: string): string {
  return type === 'undefined' ? type : `a ${type}`;
}
