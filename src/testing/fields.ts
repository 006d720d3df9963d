/** The fields that faults and control routes take, as schemas, and the check of an input by them. */

import * as z from 'zod/mini';
import { intendedName } from '../field-names.js';
import type { Duration } from './clock.js';

/** A schema for each field, by its name. */
export type Fields = Readonly<Record<string, z.ZodMiniType>>;

/** The values of the fields after the check: defaults are filled in. */
export type ValuesOf<Shape extends Fields> = z.output<z.ZodMiniObject<Shape>>;

export const text = () => z.string('must be a string');
export const nonEmpty = () => text().check(z.minLength(1, 'must not be empty'));
export const flag = () => z.boolean('must be true or false');
export const record = () => z.record(z.string(), z.unknown(), 'must be an object');
export const cents = () => wholeNumber(0, 'must be a whole number of cents, zero or more');
export const environment = () => z._default(oneOf(['sandbox', 'live', 'test']), 'sandbox');

/** Its words are checked where it is used. */
export const duration = () =>
  z.union(
    [z.number(), z.string()],
    "must be milliseconds of zero or more, or words like '11 minutes' or '7 days'",
  ) as z.ZodMiniType<Duration>;

export function wholeNumber(least: number, rule: string, most = Number.MAX_SAFE_INTEGER) {
  return z.int(rule).check(z.gte(least, rule), z.lte(most, rule));
}

export function oneOf<const Words extends readonly string[]>(words: Words) {
  return z.enum(words, `must be one of ${words.join(', ')}`);
}

/**
 * Checks an input by its fields, and refuses one that is not among them.
 *
 * @param prefix - what the names of the fields begin with in a message: `'fault.'`
 * @throws {@link TypeError} that names the field and the rule
 */
export function checkFields<Shape extends Fields>(
  fields: Shape,
  input: unknown,
  prefix = '',
): ValuesOf<Shape> {
  const { data, error } = z.strictObject(fields).safeParse(input);
  if (error === undefined) return data;
  // First of all a name that is not known: when it is misspelled, the right one is missing too.
  const issue = error.issues.find(({ code }) => code === 'unrecognized_keys') ?? error.issues[0];
  throw new TypeError(sentence(issue, input, Object.keys(fields), prefix));
}

function sentence(
  issue: z.core.$ZodIssue | undefined,
  input: unknown,
  known: readonly string[],
  prefix: string,
): string {
  if (issue?.code === 'unrecognized_keys') {
    const name = (issue.keys[0] ?? '').slice(0, 60);
    const intended = intendedName(name, known);
    return intended === undefined
      ? `"${prefix}${name}" is not a field; known: ${known.join(', ') || 'none'}.`
      : `"${prefix}${name}" is not a field (did you mean "${intended}"?).`;
  }
  const [name] = issue?.path ?? [];
  if (issue === undefined || name === undefined) return 'The body must be a JSON object.';
  const isMissing = (input as Record<PropertyKey, unknown>)[name] === undefined;
  const rule = isMissing ? 'is required' : issue.message;
  return `"${prefix}${issue.path.join('.')}" ${rule}.`;
}
