/** Reads the JSON body of a control request; errors name the field and the rule. */

import type { IncomingMessage } from 'node:http';
import { ByteCollector } from '../../byte-collector.js';
import type { Environment } from '../credentials.js';
import { ControlError } from './control-error.js';

const maxBodyBytes = 64 * 1_048_576;

/** The type of a field; `any` leaves the check to the function that takes the value. */
type FieldType = 'string' | 'number' | 'boolean' | 'object' | 'any';

/** The fields of a route: their types, with a `?` for optional ones. */
export type FieldTypes = Readonly<Record<string, FieldType | `${FieldType}?`>>;

export type Values = Readonly<Record<string, unknown>>;

/** Parses the body; an empty one is an object without fields. */
export async function readJson(message: IncomingMessage): Promise<unknown> {
  const collector = new ByteCollector();
  let length = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Read and drop the rest: a client that is still sending does not read the response.
    if (length <= maxBodyBytes) collector.add(chunk);
  }
  if (length > maxBodyBytes) {
    throw new ControlError(413, 'too_large', `The body is longer than ${maxBodyBytes} bytes.`);
  }
  const text = new TextDecoder().decode(collector.toBytes());
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new TypeError('The body is not JSON.');
  }
}

/** Checks the fields of a body against those of its route. */
export function checkFields(body: unknown, types: FieldTypes): Values {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new TypeError('The body must be a JSON object.');
  }
  const values = body as Values;
  for (const name of Object.keys(values)) {
    if (!Object.hasOwn(types, name)) {
      const known = Object.keys(types).join(', ') || 'none';
      throw new TypeError(`Unknown field "${name}"; expected ${known}.`);
    }
  }
  for (const [name, type] of Object.entries(types)) checkField(name, values[name], type);
  return values;
}

function checkField(name: string, value: unknown, type: FieldTypes[string]): void {
  const expected = type.replace('?', '') as FieldType;
  if (value === undefined) {
    if (type.endsWith('?')) return;
    throw new TypeError(`"${name}" is required.`);
  }
  const actual = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  if (expected !== 'any' && actual !== expected) {
    throw new TypeError(`"${name}" must be ${withArticle[expected]}.`);
  }
}

const withArticle: Readonly<Record<FieldType, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
  object: 'an object',
  any: 'anything',
};

/** The environment that a field or a query names; the sandbox unless it does. */
export function environmentOf(value: unknown): Environment {
  if (value === undefined || value === null) return 'sandbox';
  if (value !== 'sandbox' && value !== 'live' && value !== 'test') {
    throw new TypeError('"environment" must be one of sandbox, live, test');
  }
  return value;
}
