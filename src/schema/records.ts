/** Schemas of what is sent to the service, and `checkRecord`, which returns all broken rules. */

import * as z from 'zod/mini';
import { intendedName, normalizedName } from '../field-names.js';
import { isPlainObject } from '../json.js';
import { describe, lazily, ruled, type Fields, type LazySchema, type Schema } from './must.js';

/** Far above any record of this API. Each unknown field is compared with every documented one. */
const maxFields = 1_000;

/** A broken rule, and where: `buyer.country`; empty for the value as a whole. */
export interface Violation {
  readonly path: string;
  readonly message: string;
}

/** The rule of a value in a record: a missing one is required, any other is described. */
export function mustBe(what: string) {
  return ruled((value) =>
    value === undefined ? `must be ${what}` : `must be ${what}; received ${describe(value)}`,
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
  across: (record: T) => Violation | undefined = () => undefined,
): LazySchema<Schema<T>> {
  return lazily(() => {
    const shape = fields();
    const known = Object.keys(shape);
    const checks = z.superRefine<Record<string, unknown>>(
      (value, context) => {
        for (const key of Object.keys(value)) {
          if (known.includes(key)) continue;
          const message = misplacedRule(key, value[key]) ?? misspelledRule(key, known, value);
          if (message !== undefined) {
            context.issues.unshift({ code: 'custom', input: key, path: [key], message });
          }
        }
        const broken = context.issues.length === 0 ? across(value as T) : undefined;
        if (broken === undefined) return;
        const path = broken.path === '' ? [] : [broken.path];
        context.issues.push({ code: 'custom', input: value, path, message: broken.message });
      },
      { when: () => true }, // else a misspelled field would hide behind a missing one
    );
    const object = z.looseObject(shape).check(checks);
    return z.pipe(z.transform(readOnce), object) as unknown as Schema<T>;
  });
}

/** The value in the form in which it is sent, or every broken rule, at most one for each path. */
export function checkRecord<T>(
  schema: LazySchema<Schema<T>>,
  value: unknown,
): { readonly value: T } | { readonly violations: readonly Violation[] } {
  const result = z.safeParse(schema(), value);
  if (result.success) return { value: result.data };
  const { issues } = result.error;
  const violations = new Map<string, string>();
  const renamed = issues.map(({ message }) => /^is not a field: .* "(.*)"$/.exec(message)?.[1]);
  for (const { path, message } of issues) {
    const where = path.map(String).join('.');
    // A misspelled field is reported once, and not also as missing.
    const isRenamed = renamed.includes(where) && message.startsWith('is required');
    if (!isRenamed && !violations.has(where)) violations.set(where, message);
  }
  return { violations: [...violations].map(([path, message]) => ({ path, message })) };
}

/** Without a prototype, so that nothing is inherited of an extended Object.prototype. */
function readOnce(value: unknown, context: z.core.ParsePayload): object {
  const rule = shapeRule(value);
  if (rule === undefined) return Object.assign(Object.create(null) as object, value);
  context.issues.push({ code: 'custom', input: value, message: rule });
  return z.NEVER;
}

function shapeRule(value: unknown): string | undefined {
  if (value === undefined) return 'is required: it must be a plain object of fields';
  if (!isPlainObject(value)) return `must be a plain object of fields; received ${describe(value)}`;
  if (Object.hasOwn(value, '__proto__')) return 'must not have a field "__proto__"';
  const count = Object.keys(value).length;
  return count > maxFields ? `must have at most ${maxFields} fields; received ${count}` : undefined;
}

const callOptions = new Set(['timeoutms', 'deadlinems', 'maxretries']);

/**
 * An Idempotency-Key among the fields would pass through, and the order would get another key. The
 * repeat after a crash would be a second order.
 */
function misplacedRule(key: string, value: unknown): string | undefined {
  const plain = normalizedName(key);
  const isOption =
    intendedName(key, ['idempotencyKey']) !== undefined ||
    callOptions.has(plain) ||
    (plain === 'signal' && typeof value === 'object');
  return isOption ? 'is a request option: pass it in the next argument' : undefined;
}

/** The service ignores an unknown field, so an order with `expected_prise` would have no price check. */
function misspelledRule(
  key: string,
  known: readonly string[],
  record: Readonly<Record<string, unknown>>,
): string | undefined {
  const intended = intendedName(key, known, (name) => record[name] !== undefined);
  return intended === undefined ? undefined : `is not a field: the service spells it "${intended}"`;
}
