/** Schemas of options, and `checkOptions`, which throws the first broken rule. must.ts describes the whole. */

import * as z from 'zod/mini';
import { intendedName } from '../field-names.js';
import { isObject, ownOrOfClass } from '../json.js';
import type { Logger } from '../logger.js';
import { must, obey, readable, ruled, type LazySchema, type Schema } from './must.js';

export { anything, lazily, must, obey, optional, withDefault } from './must.js';
export type { Fields, LazySchema, Output, Schema } from './must.js';

/**
 * Creates the error of a broken rule: each part of the package has a class of its own.
 *
 * @param name - the path of the option: `retry.maxMs`
 * @param rule - in words that follow the name: `must be a function`
 * @param cause - what a getter threw
 */
export type OptionErrorFactory = (name: string, rule: string, cause?: unknown) => Error;

/** How messages call the options as a whole. */
interface OptionsPlace {
  /** For options that are checked on their own, and belong to another: `retry`. */
  readonly within?: string;
  /** Shown if something other than an object was passed: `{ graceMs: 5_000 }`. */
  readonly example?: string;
}

/**
 * The options in the form that their schema gives them. Each was read once, and one that is `undefined` is absent.
 *
 * Throws what `invalid` creates: for anything other than an object of options, an option that does not
 * exist, one that is missing, and one that breaks its rule.
 */
export function checkOptions<S extends Schema<unknown>>(
  schema: LazySchema<S>,
  options: unknown,
  invalid: OptionErrorFactory,
  { within, example }: OptionsPlace = {},
): z.output<S> {
  const whole = within ?? 'options';
  const result = readable(
    () => z.safeParse(schema(), options),
    (rule, cause) => invalid(whole, rule, cause),
  );
  if (result.success) return result.data;
  const { path, message } = firstIssue(result.error.issues);
  if (path.length > 0)
    throw invalid([...(within === undefined ? [] : [within]), ...path].join('.'), message);
  throw invalid(whole, example === undefined ? message : `${message}, such as ${example}`);
}

/** An object that has these options and no others. */
export function strict<Shape extends z.core.$ZodShape>(shape: Shape) {
  const known = Object.keys(shape);
  const read = z.transform((options: unknown, context) => {
    const rule = shapeRule(options);
    if (rule === undefined) return readOnce(known, options as object);
    context.issues.push({ code: 'custom', input: options, message: rule });
    return z.NEVER;
  });
  return z.pipe(read, z.strictObject(shape, { error: (issue) => unknownRule(issue, known) }));
}

/** Options inside options; absent is `{}`, so that their own defaults apply. */
export function nested<S extends Schema<unknown>>(schema: S): z.ZodMiniPrefault<S> {
  return z.prefault(schema, {} as z.util.NoUndefined<z.input<S>>);
}

export const boolean = () => z.boolean(ruled('must be true or false'));
export const string = () => z.string(ruled('must be a string'));
export function text() {
  const rule = ruled('must be a non-empty string');
  return z.string(rule).check(z.regex(/\S/, rule));
}

/** A class passes `typeof`, and throws "cannot be invoked without 'new'" when it is called. */
export function callback<T>() {
  return obey<T>((value) => {
    if (typeof value !== 'function') return 'must be a function';
    const isClass = /^class\b/.test(Function.prototype.toString.call(value));
    return isClass ? 'must be a function, not a class' : undefined;
  });
}

/** By its shape: a signal may come from another realm or from a polyfill. */
export const abortSignal = () =>
  must<AbortSignal>(
    'must be an AbortSignal',
    (value) =>
      typeof memberOf(value, 'aborted') === 'boolean' &&
      hasMethod(value, 'addEventListener') &&
      hasMethod(value, 'removeEventListener'),
  );

export const tracing = <T>() => must<T>('must be what openTelemetry(api) returns', isObject);

const levels = ['debug', 'info', 'warn', 'error'];

export const logger = () =>
  must<Logger>(
    'must be an object whose debug, info, warn and error, if it has them, are functions',
    (value) =>
      (isObject(value) || typeof value === 'function') &&
      levels.every((level) => memberOf(value, level) === undefined || hasMethod(value, level)),
  );

/** Timers count in 32 bits; a longer delay would end at once. */
const longestTimerMs = 2 ** 31 - 1;

/** A duration that a timer can wait for. */
export function milliseconds() {
  const rule = ruled(`must be a number of milliseconds above 0, at most ${longestTimerMs}`);
  return z.number(rule).check(z.gt(0, rule), z.maximum(longestTimerMs, rule));
}

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
  const range = most === Number.MAX_SAFE_INTEGER ? `${least} up` : `${least} to ${most}`;
  const rule = ruled(`must be a whole number from ${range}`);
  return z.int(rule).check(z.minimum(least, rule), z.maximum(most, rule));
}

export function oneOf<const Word extends string>(...words: readonly [Word, ...Word[]]) {
  const quoted = words.map((word) => `"${word}"`);
  const list = [quoted.slice(0, -1).join(', '), ...quoted.slice(-1)].filter((part) => part !== '');
  return z.enum(words, ruled(`must be ${list.join(' or ')}`));
}

/** An object of the caller's that has these methods: `has`, or `orders.create`. */
export function withMethods<T>(...paths: readonly string[]) {
  return obey<T>((value) => {
    const missing = paths.find((path) => !hasMethod(value, path));
    return missing === undefined ? undefined : `must have a method "${missing}"`;
  });
}

function hasMethod(value: unknown, path: string): boolean {
  return typeof path.split('.').reduce(memberOf, value) === 'function';
}

function memberOf(value: unknown, key: string): unknown {
  return (Object(value) as Readonly<Record<string, unknown>>)[key];
}

/** A bare key, list or AbortSignal in the place of the options would be ignored. */
function shapeRule(options: unknown): string | undefined {
  const rule = 'must be an object of options';
  if (!isObject(options) || 'aborted' in options || Symbol.iterator in options) return rule;
  return 'then' in options ? `${rule}: a Promise was passed, await it first` : undefined;
}

/** Known options also of a class; without a prototype, so that nothing is inherited of an extended Object.prototype. */
function readOnce(known: readonly string[], options: object): object {
  const copy = Object.create(null) as Record<string, unknown>;
  for (const name of known) {
    const value = ownOrOfClass(options, name);
    if (value !== undefined) copy[name] = value;
  }
  for (const name of Object.keys(options)) if (!known.includes(name)) copy[name] = undefined;
  return copy;
}

/** An ignored `forbidLve` or `idempotency_key` would go unnoticed until it does harm. */
function unknownRule(issue: z.core.$ZodRawIssue, known: readonly string[]): string {
  const [name = ''] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  const intended = intendedName(name, known);
  return intended === undefined
    ? `is not an option; ${known.length === 0 ? 'there are none' : `the options are ${known.join(', ')}`}`
    : `is not an option (did you mean "${intended}"?)`;
}

/** Most often the misspelled option is the one whose absence is the other issue, so it comes first. */
function firstIssue(issues: readonly z.core.$ZodIssue[]): { path: string[]; message: string } {
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  const path = (issue?.path ?? []).map(String);
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  return {
    path: [...path, ...unknown.map((name) => name.slice(0, 60))],
    message: issue?.message ?? '',
  };
}
