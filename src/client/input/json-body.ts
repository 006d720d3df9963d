/**
 * serializeBody: a request body as JSON text. The service recognizes a repeated order by its body's
 * fingerprint (specification, part 4.2). So equal input must give equal bytes in every process: keys
 * are sorted, and what JSON would quietly turn into `null` or `{}` is refused.
 */

import { isDate } from 'node:util/types';
import { hasFields, isObject, isPlainObject, jsonForm } from '../../core/json.js';
import { describe, type LazySchema, type Schema } from '../../core/schema/must.js';
import {
  InvalidRequestError,
  maxIssues,
  type InputIssue,
} from '../errors/invalid-request-error.js';
import { checkInput } from './check-input.js';
import { isoTime, isValidDate } from './dates.js';
import { quote } from './describe-value.js';
import { loneSurrogateRule } from './values.js';

interface SerializeContext {
  readonly issues: InputIssue[];
  /** The objects that contain the present one; a value found among them is a cycle. */
  readonly ancestors: Set<object>;
  /** Where the present value is: keys, and places in arrays. */
  readonly path: (string | number)[];
}

/**
 * JSON with the keys of every object in the order of their UTF-16 code units. Members that are
 * `undefined` are left out; a `Date`, and whatever else has `toJSON`, is written as that gives.
 *
 * @throws {@link InvalidRequestError} for what JSON cannot hold, with the path of each.
 */
export function serializeBody(value: unknown): string {
  const context: SerializeContext = { issues: [], ancestors: new Set(), path: [] };
  const json = writeValue(applyToJson(value, ''), context);
  if (context.issues.length > 0) throw new InvalidRequestError(context.issues);
  return json;
}

/** The input as it is sent, for what sends it more than once: nothing of it is shared with the caller. */
export function sentInput<T>(schema: LazySchema<Schema<T>>, input: unknown): T {
  return JSON.parse(serializeBody(checkInput(schema, input))) as T;
}

function writeValue(value: unknown, context: SerializeContext): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') {
    return value.isWellFormed() ? JSON.stringify(value) : refuse(context, loneSurrogateRule);
  }
  if (typeof value === 'number') {
    return Number.isFinite(value)
      ? JSON.stringify(value)
      : refuse(context, `must be a finite number; received ${value}`);
  }
  if (typeof value !== 'object') {
    return refuse(context, `must not be ${withArticle(typeof value)}: JSON has none`);
  }
  if (isDate(value)) return refuse(context, 'must be a valid Date; received an invalid one');
  if (context.ancestors.has(value)) return refuse(context, 'must not contain itself');
  context.ancestors.add(value);
  const json = Array.isArray(value) ? writeArray(value, context) : writeObject(value, context);
  context.ancestors.delete(value);
  return json;
}

function writeArray(values: readonly unknown[], context: SerializeContext): string {
  const items: string[] = [];
  for (const [at, item] of values.entries()) {
    // A sparse array of 2^32 items is refused item by item, and would use up the memory.
    if (context.issues.length >= maxIssues) break;
    items.push(writeMember(applyToJson(item, String(at)), at, context));
  }
  return `[${items.join(',')}]`;
}

function writeObject(value: object, context: SerializeContext): string {
  const keys = Object.keys(value).sort();
  if (!hasFields(value) || (keys.length === 0 && !isPlainObject(value))) {
    return refuse(context, `must be an object of fields: ${describe(value)} would lose its state`);
  }
  const members: string[] = [];
  for (const key of keys) {
    const member = applyToJson(value[key], key);
    if (member === undefined) continue;
    members.push(`${writeMember(key, key, context)}:${writeMember(member, key, context)}`);
  }
  return `{${members.join(',')}}`;
}

function writeMember(value: unknown, at: string | number, context: SerializeContext): string {
  context.path.push(at);
  const json = writeValue(value, context);
  context.path.pop();
  return json;
}

function refuse({ issues, path }: SerializeContext, message: string): string {
  const where = path.map((at) => (typeof at === 'number' ? `[${at}]` : `.${pathKey(at)}`)).join('');
  issues.push({ path: where === '' ? 'body' : where.replace(/^\./, ''), message });
  return 'null';
}

/** The result of the value's `toJSON`. An invalid Date stays as it is: its `toJSON` gives `null`. */
function applyToJson(value: unknown, key: string): unknown {
  if (isDate(value)) return isValidDate(value) ? isoTime(value) : value;
  return isObject(value) ? jsonForm(value, key) : value;
}

function pathKey(key: string): string {
  return quote(key).slice(1, -1);
}

function withArticle(type: string): string {
  return type === 'undefined' ? type : `a ${type}`;
}
