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
  readInput,
  type InputIssue,
} from '../errors/invalid-request-error.js';
import { checkInput } from './check-input.js';
import { isoTime, isValidDate } from './dates.js';
import { quote } from './describe-value.js';
import { loneSurrogateRule } from './values.js';

/** Far above any real input, and far below the depth at which the stack overflows. */
const maxDepth = 500;
/** Far above any real input; a sparse array of 2^32 items would use up the memory. */
const maxValues = 100_000;

interface SerializeContext {
  readonly issues: InputIssue[];
  /** The objects that contain the present one; a value found among them is a cycle. */
  readonly ancestors: Set<object>;
  /** The values so far, over all objects and arrays. */
  values: number;
}

/**
 * JSON with the keys of every object in the order of their UTF-16 code units. Members that are
 * `undefined` are left out; a `Date`, and whatever else has `toJSON`, is written as that gives.
 *
 * @throws {@link InvalidRequestError} for what JSON cannot hold, with the path of each.
 */
export function serializeBody(value: unknown): string {
  const context: SerializeContext = { issues: [], ancestors: new Set(), values: 0 };
  const json = readInput('body', () => writeValue(applyToJson(value, ''), '', context));
  if (context.issues.length > 0) throw new InvalidRequestError(context.issues);
  return json;
}

/** The input as it is sent, for what sends it more than once: nothing of it is shared with the caller. */
export function sentInput<T>(schema: LazySchema<Schema<T>>, input: unknown): T {
  return JSON.parse(serializeBody(checkInput(schema, input))) as T;
}

function writeValue(value: unknown, path: string, context: SerializeContext): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') {
    return value.isWellFormed() ? JSON.stringify(value) : refuse(context, path, loneSurrogateRule);
  }
  if (typeof value === 'number') {
    return Number.isFinite(value)
      ? JSON.stringify(value)
      : refuse(context, path, `must be a finite number; received ${value}`);
  }
  if (typeof value !== 'object')
    return refuse(context, path, `must not be ${withArticle(typeof value)}: JSON has none`);
  if (isDate(value)) {
    return refuse(context, path, 'must be a valid Date; received an invalid one');
  }
  if (context.ancestors.has(value)) return refuse(context, path, 'must not contain itself');
  if (context.ancestors.size === maxDepth) {
    return refuse(context, path, `must not be nested deeper than ${maxDepth} levels`);
  }
  context.ancestors.add(value);
  const json = Array.isArray(value)
    ? writeArray(value, path, context)
    : writeObject(value, path, context);
  context.ancestors.delete(value);
  return json;
}

function writeArray(values: readonly unknown[], path: string, context: SerializeContext): string {
  if (isTooMany(values.length, context)) return refuseTooMany(path, context);
  // Array.from, as map would skip the holes.
  const items = Array.from(values, (item, at) =>
    writeValue(applyToJson(item, String(at)), `${path}[${at}]`, context),
  );
  return `[${items.join(',')}]`;
}

function writeObject(value: object, path: string, context: SerializeContext): string {
  const keys = Object.keys(value).sort();
  if (!hasFields(value) || (keys.length === 0 && !isPlainObject(value))) {
    return refuse(
      context,
      path,
      `must be an object of fields: ${describe(value)} would lose its state`,
    );
  }
  if (isTooMany(keys.length, context)) return refuseTooMany(path, context);
  const members: string[] = [];
  for (const key of keys) {
    const member = applyToJson(value[key], key);
    if (member === undefined) continue;
    const memberPath = path === '' ? pathKey(key) : `${path}.${pathKey(key)}`;
    if (!key.isWellFormed()) refuse(context, memberPath, loneSurrogateRule);
    members.push(`${JSON.stringify(key)}:${writeValue(member, memberPath, context)}`);
  }
  return `{${members.join(',')}}`;
}

function isTooMany(count: number, context: SerializeContext): boolean {
  context.values += count;
  return context.values > maxValues;
}

function refuseTooMany(path: string, context: SerializeContext): string {
  return refuse(context, path, `must not hold more than ${maxValues} values`);
}

function refuse({ issues }: SerializeContext, path: string, message: string): string {
  issues.push({ path: path === '' ? 'body' : path, message });
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
