/** Schemas of what is sent to the service, and `checkRecord`, which returns all broken rules. */

import * as z from 'zod/mini';
import { intendedName, normalizedName } from '../field-names.js';
import { hasFields, isPlainObject, jsonForm, ownOrOfClass } from '../json.js';
import {
  describe,
  lazily,
  optional,
  ruled,
  type Fields,
  type LazySchema,
  type Schema,
} from './must.js';

/** A broken rule, and where: `buyer.country`; empty for the value as a whole. */
export interface Violation {
  readonly path: string;
  readonly message: string;
}

/** A schema of a record; `partial` also accepts one that lacks required fields. */
export type RecordSchema<T> = LazySchema<Schema<T>> & {
  readonly partial: LazySchema<Schema<Partial<T>>>;
};

/** The rule of a value in a record: a missing one is required, any other is described. */
export function mustBe(what: string, inWords: (value: unknown) => string = describe) {
  return ruled((value) =>
    value === undefined ? `must be ${what}` : `must be ${what}; received ${inWords(value)}`,
  );
}

/**
 * A record: its documented fields are checked, and every other one passes unless it misspells one of them.
 *
 * @param fields - one schema for each documented field
 * @param across - a broken rule between fields; asked when every field is valid on its own
 */
export function record<T extends object>(
  fields: () => Fields<T>,
  across: (record: Partial<T>) => Violation | undefined = () => undefined,
): RecordSchema<T> {
  return Object.assign(
    lazily(() => recordOf<T>(fields(), across)),
    { partial: lazily(() => recordOf<Partial<T>>(withoutRequired(fields()), across)) },
  );
}

/** The value in the form in which it is sent, or every broken rule, at most one for each path. */
export function checkRecord<T>(
  schema: LazySchema<Schema<T>>,
  value: unknown,
): { readonly value: T } | { readonly violations: readonly Violation[] } {
  const result = z.safeParse(schema(), value);
  if (result.success) return { value: result.data };
  const violations = new Map<string, string>();
  const misspelled = new Set<string>();
  for (const { path, message, ...issue } of result.error.issues) {
    const where = path.join('.');
    const intended = 'params' in issue ? (issue.params?.intended as string | undefined) : undefined;
    if (intended !== undefined) misspelled.add([...path.slice(0, -1), intended].join('.'));
    // A misspelled field is reported once, and not also as missing.
    const isKnown = misspelled.has(where) && message.startsWith('is required');
    if (!isKnown && !violations.has(where)) violations.set(where, message);
  }
  return { violations: [...violations].map(([path, message]) => ({ path, message })) };
}

function withoutRequired<T extends object>(fields: Fields<T>): Fields<Partial<T>> {
  const entries = Object.entries<Schema<unknown>>(fields);
  return Object.fromEntries(entries.map(([name, schema]) => [name, optional(schema)])) as never;
}

function recordOf<T extends object>(
  fields: Fields<T>,
  across: (record: T) => Violation | undefined,
): Schema<T> {
  const known = Object.keys(fields);
  const checks = z.superRefine<Record<string, unknown>>(
    (value, { issues }) => {
      issues.unshift(...unknownFields(value, known));
      const broken = issues.length === 0 ? across(value as T) : undefined;
      if (broken === undefined) return;
      const path = broken.path === '' ? [] : [broken.path];
      issues.push({ code: 'custom', input: value, path, message: broken.message });
    },
    { when: () => true }, // else a misspelled field would hide behind a missing one
  );
  const object = z.looseObject(fields).check(checks);
  const read = z.transform((value, context) => readOnce(value, known, context));
  return z.pipe(read, object) as unknown as Schema<T>;
}

/** Without a prototype, so that nothing is inherited of an extended Object.prototype. */
function readOnce(given: unknown, known: readonly string[], context: z.core.ParsePayload): object {
  // A document of an ORM holds its own state, too: only its toJSON says what is data.
  const value = hasFields(given) ? jsonForm(given, '') : given;
  let message = shapeRule(value);
  if (message === undefined) {
    const copy = copyOf(value as Readonly<Record<string, unknown>>, known);
    // An instance that shows none of its state would select everything as filters.
    if (isPlainObject(value) || Object.keys(copy).length > 0) return copy;
    message = notFields(value);
  }
  context.issues.push({ code: 'custom', input: value, message });
  return z.NEVER;
}

/** The documented fields of an instance of a class may be accessors of the class. */
function copyOf(value: Readonly<Record<string, unknown>>, known: readonly string[]): object {
  const copy = Object.assign(Object.create(null) as Record<string, unknown>, value);
  if (isPlainObject(value)) return copy;
  for (const name of known) {
    const field = name in copy ? undefined : ownOrOfClass(value, name);
    if (field !== undefined) copy[name] = field;
  }
  return copy;
}

function shapeRule(value: unknown): string | undefined {
  if (value === undefined) return 'is required and must be a plain object of fields';
  return hasFields(value) ? undefined : notFields(value);
}

function notFields(value: unknown): string {
  return `must be a plain object of fields; received ${describe(value)}`;
}

const callOptions = new Set(['timeoutms', 'deadlinems', 'maxretries']);

/** The issue of each field that is not documented, and misspells one that is or belongs elsewhere. */
function unknownFields(
  record: Readonly<Record<string, unknown>>,
  known: readonly string[],
): z.core.$ZodRawIssue[] {
  const isPresent = (name: string) => record[name] !== undefined;
  return Object.keys(record)
    .filter((key) => !known.includes(key))
    .flatMap((key): z.core.$ZodRawIssue[] => {
      const issue = { code: 'custom' as const, input: record, path: [key] };
      if (isCallOption(key, record[key])) {
        return [{ ...issue, message: 'is a request option. Pass it in the next argument' }];
      }
      // The service ignores an unknown field: an order with `expected_prise` would have no price check.
      const intended = intendedName(key, known, isPresent);
      if (intended === undefined) return [];
      const message = `is not a field. The service spells it "${intended}"`;
      return [{ ...issue, message, params: { intended } }];
    });
}

/**
 * An Idempotency-Key among the fields would pass through, and the order would get another key. The
 * repeat after a crash would be a second order.
 */
function isCallOption(key: string, value: unknown): boolean {
  const plain = normalizedName(key);
  return (
    intendedName(key, ['idempotencyKey']) !== undefined ||
    callOptions.has(plain) ||
    (plain === 'signal' && typeof value === 'object')
  );
}
