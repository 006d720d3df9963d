/**
 * copyInput: a copy of an argument in which every property was read once. What is checked is then
 * what is sent, even if a getter or a proxy returns another value each time.
 */

import { isDate } from 'node:util/types';
import {
  InvalidRequestError,
  invalidRequest,
  unreadableInput,
} from '../errors/invalid-request-error.js';
import { isPlainObject } from '../../json.js';

/** Far above any real input, and far below the depth at which the stack overflows. */
export const maxDepth = 500;
/** Far above any real input; a sparse array of 2^32 items would use up the memory. */
const maxValues = 100_000;

interface CopyContext {
  /** What messages call the input as a whole. */
  readonly name: string;
  /** The keys that lead to the present value. */
  readonly path: string[];
  /** The objects that contain the present one; a value found among them is a cycle. */
  readonly ancestors: Set<object>;
  values: number;
}

/**
 * Copies plain objects, arrays and dates; every other value stays as it is.
 *
 * @param name - what messages call the input as a whole, such as `input`
 * @throws {@link InvalidRequestError} for what cannot be read, contains itself, or is too large.
 */
export function copyInput(input: unknown, name: string): unknown {
  const context: CopyContext = { name, path: [], ancestors: new Set(), values: 0 };
  try {
    return copyValue(input, context);
  } catch (error) {
    if (error instanceof InvalidRequestError) throw error;
    throw unreadableInput(whereIn(context), error);
  }
}

function copyValue(value: unknown, context: CopyContext): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isDate(value)) return new Date(Date.prototype.getTime.call(value));
  const isArray = Array.isArray(value);
  if (!isArray && !isPlainObject(value)) return value;
  const { ancestors } = context;
  if (ancestors.has(value)) throw refusal(context, 'must not contain itself');
  if (ancestors.size === maxDepth) {
    throw refusal(context, `must not be nested deeper than ${maxDepth} levels`);
  }
  ancestors.add(value);
  const copy = isArray ? copyArray(value, context) : copyObject(value, context);
  ancestors.delete(value);
  return copy;
}

function copyArray(values: readonly unknown[], context: CopyContext): unknown[] {
  const { length } = values;
  countValues(length, context);
  return Array.from({ length }, (_, index) => copyMember(values, index, context));
}

function copyObject(value: Record<string, unknown>, context: CopyContext) {
  const keys = Object.keys(value);
  countValues(keys.length, context);
  // fromEntries, as assigning to "__proto__" would set the prototype.
  return Object.fromEntries(keys.map((key) => [key, copyMember(value, key, context)]));
}

function copyMember(container: object, key: string | number, context: CopyContext): unknown {
  context.path.push(String(key));
  const copy = copyValue((container as Record<string, unknown>)[key], context);
  // Not in a finally: after a throw, the path names the member that could not be read.
  context.path.pop();
  return copy;
}

function countValues(count: number, context: CopyContext): void {
  context.values += count;
  if (context.values > maxValues) {
    throw refusal(context, `must not hold more than ${maxValues} values`);
  }
}

function refusal(context: CopyContext, message: string): InvalidRequestError {
  return invalidRequest(whereIn(context), message);
}

function whereIn({ name, path }: CopyContext): string {
  return path.length === 0 ? name : path.join('.');
}
