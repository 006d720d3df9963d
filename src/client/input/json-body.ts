/**
 * serializeBody: a request body as JSON text. The service recognizes a repeated order by its body's
 * fingerprint (specification, part 4.2). So equal input must give equal bytes in every process: keys
 * are sorted, and what JSON would quietly turn into `null` or `{}` is refused.
 */

import { isDate } from 'node:util/types';
import {
  InvalidRequestError,
  unreadableInput,
  type InputIssue,
} from '../errors/invalid-request-error.js';
import { isObject, isPlainObject } from '../../json.js';
import { maxDepth } from './copy-input.js';
import { quote } from './describe-value.js';
import { loneSurrogateRule } from './values/text.js';

interface SerializeContext {
  readonly issues: InputIssue[];
  /** The objects that contain the present one; a value found among them is a cycle. */
  readonly ancestors: Set<object>;
}

/**
 * JSON with the keys of every object in the order of their UTF-16 code units. Members that are
 * `undefined` are left out; a `Date`, and whatever else has `toJSON`, is written as that gives.
 *
 * @throws {@link InvalidRequestError} for what JSON cannot hold, with the path of each.
 */
export function serializeBody(value: unknown): string {
  const context: SerializeContext = { issues: [], ancestors: new Set() };
  const json = writeReadable(value, context);
  if (context.issues.length > 0) throw new InvalidRequestError(context.issues);
  return json;
}

function writeReadable(value: unknown, context: SerializeContext): string {
  try {
    return writeValue(applyToJson(value, ''), '', context);
  } catch (error) {
    throw unreadableInput('body', error);
  }
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
  // Array.from, as map would skip the holes.
  const items = Array.from(values, (item, at) =>
    writeValue(applyToJson(item, String(at)), `${path}[${at}]`, context),
  );
  return `[${items.join(',')}]`;
}

function writeObject(value: object, path: string, context: SerializeContext): string {
  if (!isPlainObject(value)) {
    return refuse(
      context,
      path,
      'must be a plain object: an instance of a class would lose its state',
    );
  }
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = applyToJson(value[key], key);
    if (member === undefined) continue;
    const memberPath = path === '' ? pathKey(key) : `${path}.${pathKey(key)}`;
    if (!key.isWellFormed()) refuse(context, memberPath, loneSurrogateRule);
    members.push(`${JSON.stringify(key)}:${writeValue(member, memberPath, context)}`);
  }
  return `{${members.join(',')}}`;
}

function refuse({ issues }: SerializeContext, path: string, message: string): string {
  issues.push({ path: path === '' ? 'body' : path, message });
  return 'null';
}

/** The result of the value's `toJSON`. An invalid Date stays as it is: its `toJSON` gives `null`. */
function applyToJson(value: unknown, key: string): unknown {
  if (isDate(value) && Number.isNaN(value.getTime())) return value;
  if (!isObject(value)) return value;
  // Read once: a getter could return a function to the check, and something else to the call.
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === 'function' ? (toJSON.call(value, key) as unknown) : value;
}

function pathKey(key: string): string {
  return quote(key).slice(1, -1);
}

function withArticle(type: string): string {
  return type === 'undefined' ? type : `a ${type}`;
}
