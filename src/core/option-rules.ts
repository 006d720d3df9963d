/**
 * Rules of options that run without a validator. `schema/options.ts` has them for its schemas, and
 * `webhooks/check-options.ts` for receivers, which load no zod.
 */

import { isObject } from './json.js';

const noOptions = 'must be an object of options';

/** A rule that a value breaks before any option is read; `name` is the option that breaks it, if one does. */
interface BrokenShape {
  readonly message: string;
  readonly name?: string;
}

export function brokenShape(
  options: unknown,
  known: readonly string[],
  hint?: string,
): BrokenShape | undefined {
  // A bare key, list or AbortSignal in the place of the options would be ignored.
  if (!isObject(options) || 'aborted' in options || Symbol.iterator in options) {
    return { message: hint === undefined ? noOptions : `${noOptions}; ${hint}` };
  }
  if ('then' in options) return { message: `${noOptions}; await the Promise first` };
  const name = Object.keys(options).find((each) => !known.includes(each));
  return name === undefined ? undefined : { message: unknownRule(known), name };
}

/** The rule with an example of the options, if it is about them as a whole. */
export function withExample(rule: string, example: string | undefined): string {
  return example === undefined ? rule : rule.replace(noOptions, `${noOptions}, such as ${example}`);
}

/** A name of the caller's may be a megabyte long. */
export function boundedName(name: PropertyKey): string {
  return String(name).slice(0, 60);
}

/** A class passes `typeof`, and throws "cannot be invoked without 'new'" when it is called. */
export function callbackRule(value: unknown): string | undefined {
  if (typeof value !== 'function') return 'must be a function';
  const isClass = /^class\b/.test(Function.prototype.toString.call(value));
  return isClass ? 'must be a function, not a class' : undefined;
}

/** An ignored `forbidLve` or `idempotency_key` would go unnoticed until it does harm. */
function unknownRule(known: readonly string[]): string {
  return `is not an option; ${known.length === 0 ? 'there are none' : `the options are ${known.join(', ')}`}`;
}
