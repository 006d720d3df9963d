/**
 * checkOptions: options that are read once and checked by hand. A receiver, with or without `openTelemetry`, loads no
 * zod; every other part checks its options by `schema/`.
 */

import { isObject, ownOrOfClass } from '../core/json.js';
import { boundedName, brokenShape, callbackRule, withExample } from '../core/option-rules.js';

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
  const broken =
    shapeRule(options, Object.keys(table), example) ?? copyChecked(table, options as object, copy);
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

export const callback: OptionCheck = callbackRule;

function shapeRule(
  options: unknown,
  known: readonly string[],
  example: string | undefined,
): string | undefined {
  const broken = brokenShape(options, known);
  if (broken === undefined) return undefined;
  const { name = 'options', message } = broken;
  return `"${boundedName(name)}" ${withExample(message, example)}`;
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
