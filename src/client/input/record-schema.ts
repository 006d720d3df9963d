/** recordSchema: checks a record's documented fields one by one and passes every other field through. */

import { safeParse, transform, type core } from 'zod/mini';
import { isPlainObject } from '../../json.js';
import { expectedMessage } from './describe-value.js';
import { intendedName, normalizedName } from '../../field-names.js';
import { lazy, type LazySchema } from './lazy-schema.js';

/** Far above any record of this API. Each unknown field is compared with every documented one. */
const maxFields = 1_000;

/** One schema for each documented field, so that the interface and the schemas cannot drift apart. */
type FieldSchemas<T> = { readonly [K in keyof T]-?: LazySchema<T[K]> };

/** The documented fields, listed once and not for each input. */
interface KnownFields {
  readonly names: readonly string[];
  readonly schemas: readonly (readonly [field: string, schema: LazySchema<unknown>])[];
}

/** A broken rule between fields, and the field at which it is reported. */
export interface RecordViolation {
  readonly field?: string;
  readonly message: string;
}

/**
 * A schema of a record, and the names of its documented fields. `partial` also accepts a record that
 * lacks required fields.
 */
export type RecordSchema<T> = LazySchema<T> & {
  readonly fields: readonly string[];
  readonly partial: LazySchema<Partial<T>>;
};

/**
 * A schema of a record. Issues come in the order of `schemas`; `crossFieldCheck` runs when every
 * field is valid on its own.
 */
export function recordSchema<T extends object>(
  schemas: FieldSchemas<T>,
  crossFieldCheck: (record: T) => RecordViolation | undefined = () => undefined,
): RecordSchema<T> {
  const known: KnownFields = {
    names: Object.keys(schemas),
    schemas: Object.entries<LazySchema<unknown>>(schemas),
  };
  const parser = (mode: 'whole' | 'partial') =>
    transform((input, context: core.ParsePayload): T => {
      if (!checkShape(input, context)) {
        // Never the input: zod throws an error of its own when a transform returns a Promise.
        return {} as T;
      }
      checkMisplaced(input, context);
      const record = parseFields(input, known, mode, context) as T;
      if (context.issues.length === 0) checkAcrossFields(record, crossFieldCheck, context);
      return record;
    });
  return Object.assign(
    lazy(() => parser('whole')),
    { fields: known.names, partial: lazy(() => parser('partial')) },
  );
}

function checkShape(
  input: unknown,
  context: core.ParsePayload,
): input is Readonly<Record<string, unknown>> {
  if (!isPlainObject(input)) {
    refuse(context, [], expectedMessage('a plain object of fields', input));
    return false;
  }
  const fieldCount = Object.keys(input).length;
  if (fieldCount <= maxFields) return true;
  refuse(context, [], `must have at most ${maxFields} fields; received ${fieldCount}`);
  return false;
}

function checkMisplaced(input: object, context: core.ParsePayload): void {
  for (const key of misplacedOptions(input)) {
    refuse(context, [key], 'is a request option: pass it in the next argument');
  }
}

function parseFields(
  input: Readonly<Record<string, unknown>>,
  { names, schemas }: KnownFields,
  mode: 'whole' | 'partial',
  context: core.ParsePayload,
): Record<string, unknown> {
  const record: Record<string, unknown> = { ...input };
  const misspelled = misspelledFields(input, names);
  for (const [field, schema] of schemas) {
    const misspellings = misspelled.filter(({ intended }) => intended === field);
    for (const { key } of misspellings) {
      refuse(context, [key], `is not a field: the service spells it "${field}"`);
    }
    const value = Object.hasOwn(input, field) ? input[field] : undefined;
    // Report a misspelled field once; do not also report it as missing.
    if (value === undefined && (mode === 'partial' || misspellings.length > 0)) continue;
    const result = safeParse(schema(), value);
    if (!result.success) {
      for (const { path, message } of result.error.issues) {
        refuse(context, [field, ...path], message);
      }
    } else if (result.data !== value) {
      record[field] = result.data;
    }
  }
  return record;
}

function checkAcrossFields<T>(
  record: T,
  crossFieldCheck: (record: T) => RecordViolation | undefined,
  context: core.ParsePayload,
): void {
  const violation = crossFieldCheck(record);
  if (violation === undefined) return;
  const { field, message } = violation;
  refuse(context, field === undefined ? [] : [field], message);
}

/** The service ignores an unknown field, so an order with `expected_prise` would have no price check. */
function misspelledFields(input: Readonly<Record<string, unknown>>, names: readonly string[]) {
  const isPresent = (name: string) => Object.hasOwn(input, name) && input[name] !== undefined;
  return Object.keys(input)
    .filter((key) => !names.includes(key))
    .map((key) => ({ key, intended: intendedName(key, names, isPresent) }));
}

/**
 * An Idempotency-Key among the fields would pass through, and the order would get another key. The
 * repeat after a crash would be a second order.
 */
function misplacedOptions(input: object): string[] {
  return Object.entries(input)
    .filter(([key, value]) => {
      const plain = normalizedName(key);
      if (intendedName(key, ['idempotencyKey']) !== undefined) return true;
      return callOptions.has(plain) || (plain === 'signal' && typeof value === 'object');
    })
    .map(([key]) => key);
}

const callOptions = new Set(['timeoutms', 'deadlinems', 'maxretries']);

function refuse(context: core.ParsePayload, path: PropertyKey[], message: string): void {
  context.issues.push({ code: 'custom', input: context.value, path, message });
}
