/** Checks of a record: its documented fields one by one, every other field passed through. */

import { safeParse, transform, type core } from 'zod/mini';
import { expected } from './given.js';
import { isPlainObject } from './plain-object.js';
import { madeOnce, type Check } from './rule.js';

/** The fields that an interface names, without its index signature. */
type Documented<T> = { [K in keyof T as string extends K ? never : K]: T[K] };

/** One check for each documented field, so that the interface and the checks cannot drift apart. */
type Checks<T> = { readonly [K in keyof Documented<T>]-?: Check<T[K]> };

/** A rule between fields: the field it is reported at, and the rule that is broken. */
export interface RecordFault {
  readonly field?: string;
  readonly message: string;
}

/**
 * A check of a record. Issues come in the order of `checks`. `between` is asked once every field is
 * right on its own.
 */
export function documented<T extends object>(
  checks: Checks<T>,
  between: (record: T) => RecordFault | undefined = () => undefined,
): Check<T> {
  const fields = Object.entries<Check<unknown>>(checks);
  const check = (input: unknown, context: core.ParsePayload): T => {
    if (!isPlainObject(input)) {
      refuse(context, [], expected('a plain object of fields', input));
      return input as T;
    }
    const record: Record<string, unknown> = { ...input };
    for (const key of misplacedOptions(input)) {
      refuse(context, [key], 'is an option of the call: give it in the argument after this one');
    }
    for (const [field, checkField] of fields) {
      const misspelt = misspellings(field, input, checks);
      for (const key of misspelt) {
        refuse(context, [key], `is not a field: the service spells it "${field}"`);
      }
      const value = Object.hasOwn(input, field) ? input[field] : undefined;
      // A misspelt field is there, so that it is missing would be a second word for one mistake.
      if (value === undefined && misspelt.length > 0) continue;
      const result = safeParse(checkField(), value);
      if (!result.success) {
        for (const { path, message } of result.error.issues) {
          refuse(context, [field, ...path], message);
        }
      } else if (result.data !== value) {
        record[field] = result.data;
      }
    }
    if (context.issues.length === 0) {
      const fault = between(record as T);
      if (fault) refuse(context, fault.field === undefined ? [] : [fault.field], fault.message);
    }
    return record as T;
  };
  return madeOnce(() => transform(check));
}

/** Unknown fields pass through, so `expectedPrice` would be sent, ignored, and never be missed. */
function misspellings(field: string, input: object, checks: object): string[] {
  const plain = folded(field);
  return Object.keys(input).filter((key) => !Object.hasOwn(checks, key) && folded(key) === plain);
}

/**
 * An Idempotency-Key among the fields would pass through, the order would get another key, and the
 * repeat after a crash would be a second order.
 */
function misplacedOptions(input: object): string[] {
  return Object.entries(input)
    .filter(([key, value]) => {
      const plain = folded(key);
      return callOptions.has(plain) || (plain === 'signal' && typeof value === 'object');
    })
    .map(([key]) => key);
}

const callOptions = new Set(['idempotencykey', 'timeoutms', 'deadlinems', 'maxretries']);

function folded(key: string): string {
  return key.replace(/[\s_-]/g, '').toLowerCase();
}

function refuse(context: core.ParsePayload, path: PropertyKey[], message: string): void {
  context.issues.push({ code: 'custom', input: context.value, path, message });
}
