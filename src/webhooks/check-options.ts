/**
 * checkOptions: options that are read once and checked by hand. A receiver, with or without `openTelemetry`, loads no
 * zod; every other part checks its options by `schema/`.
 */

import { intendedName } from '../field-names.js';
import { isObject, ownOrOfClass } from '../json.js';

/** Returns the rule that a value breaks, in words that follow the option's name. */
export type OptionCheck = (value: unknown) => string | undefined;

/** Every option that exists, with its check. */
export type OptionTable<T> = Readonly<Record<keyof T & string, OptionCheck>>;

/**
 * The options, each read once; one that is `undefined` is absent.
 *
 * @param example - shown if something other than an object was passed
 * @throws {@link TypeError} with the option and its rule, and no value: it may be a secret
 */
export function checkOptions<T extends object>(
  table: OptionTable<T>,
  options: unknown,
  example?: string,
): T {
  const copy: Record<string, unknown> = {};
  let broken: string | undefined;
  try {
    broken =
      shapeRule(options, Object.keys(table), example) ??
      copyChecked(table, options as object, copy);
  } catch (cause) {
    const rule = 'could not be read: a getter or a proxy threw an error';
    throw new TypeError(`"options" ${rule}.`, { cause });
  }
  if (broken !== undefined) throw new TypeError(`${broken}.`);
  return copy as T;
}

export function optionCheck(rule: string, isValid: (value: unknown) => boolean): OptionCheck {
  return (value) => (isValid(value) ? undefined : rule);
}

export const anything: OptionCheck = () => undefined;
export const boolean = optionCheck('must be true or false', (it) => typeof it === 'boolean');
export const nonEmptyString = optionCheck(
  'must be a non-empty string',
  (it) => typeof it === 'string' && it.trim() !== '',
);
export const tracing = optionCheck('must be what openTelemetry(api) returns', isObject);

export function wholeNumber(least: number, most: number): OptionCheck {
  return optionCheck(
    `must be a whole number from ${least} to ${most}`,
    (it) => Number.isInteger(it) && Number(it) >= least && Number(it) <= most,
  );
}

/** A class passes `typeof`, and throws "cannot be invoked without 'new'" when it is called. */
export const callback: OptionCheck = (value) => {
  if (typeof value !== 'function') return 'must be a function';
  const isClass = /^class\b/.test(Function.prototype.toString.call(value));
  return isClass ? 'must be a function, not a class' : undefined;
};

function shapeRule(
  options: unknown,
  known: readonly string[],
  example: string | undefined,
): string | undefined {
  const rule = `"options" must be an object of options${example === undefined ? '' : `, such as ${example}`}`;
  // A bare secret, list or AbortSignal in the place of the options would be ignored.
  if (!isObject(options) || 'aborted' in options || Symbol.iterator in options) return rule;
  if ('then' in options) return `${rule}; a Promise was passed: await it first`;
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return undefined;
  const intended = intendedName(unknown, known);
  const hint =
    intended === undefined
      ? `; the options are ${known.join(', ')}`
      : ` (did you mean "${intended}"?)`;
  return `"${unknown.slice(0, 60)}" is not an option${hint}`;
}

/** @returns the first broken rule */
function copyChecked(
  table: Readonly<Record<string, OptionCheck>>,
  options: object,
  copy: Record<string, unknown>,
): string | undefined {
  for (const [name, check] of Object.entries(table)) {
    const value = ownOrOfClass(options, name);
    if (value === undefined) continue;
    const rule = check(value);
    if (rule !== undefined) return `"${name}" ${rule}`;
    copy[name] = value;
  }
  return undefined;
}
