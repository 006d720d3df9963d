/** Schemas of options, and `checkOptions`, which throws the first broken rule. must.ts describes the whole. */

import * as z from 'zod/mini';
import { isObject, isPlainObject, ownOrOfClass } from '../json.js';
import type { Logger } from '../logger.js';
import { boundedName, brokenShape, callbackRule, withExample } from '../option-rules.js';
import { must, obey, ruled, withoutExtensions, type LazySchema, type Schema } from './must.js';

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
  readonly within?: string | undefined;
  /** Shown if something other than an object was passed: `{ graceMs: 5_000 }`. */
  readonly example?: string | undefined;
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
  const result = withoutExtensions(() => z.safeParse(schema(), options));
  if (result.success) return result.data;
  const { path = [], message = '' } = result.error.issues[0] ?? {};
  const names = within === undefined || path.length === 0 ? path : [within, ...path];
  if (names.length > 0) throw invalid(names.map(boundedName).join('.'), message);
  throw invalid(whole, withExample(message, example));
}

/**
 * An object that has these options and no others. Not a `z.object`, which runs the schema of each option that
 * is absent too: the options of a call would take twice as long.
 */
export function strict<Shape extends z.core.$ZodShape>(shape: Shape) {
  const known = Object.keys(shape);
  const fields = Object.entries(shape).map(([name, schema]) => ({
    name,
    schema,
    isOptional: schema instanceof z.ZodMiniOptional,
  }));
  const check = z.transform((options: unknown, { issues }) => {
    const hint = typeof options === 'number' ? indexHint : undefined;
    const broken = brokenShape(options, known, hint);
    if (broken !== undefined) {
      const { message, name } = broken;
      const path = name === undefined ? [] : [name];
      issues.push({ code: 'custom', input: options, path, message });
      return z.NEVER;
    }
    // What an instance of a class has may be an accessor of its class.
    const read = isPlainObject(options) ? ownOf : ownOrOfClass;
    const checked: Record<string, unknown> = {};
    for (const { name, schema, isOptional } of fields) {
      const value = read(options as object, name);
      if (value === undefined && isOptional) continue;
      const { success, data, error } = z.safeParse(schema, value);
      if (success && data !== undefined) checked[name] = data;
      for (const { path, message } of error?.issues ?? [])
        issues.push({ code: 'custom', input: value, path: [name, ...path], message });
    }
    return checked;
  });
  return check as Schema<unknown> as Schema<z.output<z.ZodMiniObject<Shape>>>;
}

/** Options inside options; absent is `{}`, so that their own defaults apply. */
export function nested<S extends Schema<unknown>>(schema: S): z.ZodMiniPrefault<S> {
  return z.prefault(schema, {} as z.util.NoUndefined<z.input<S>>);
}

export const boolean = () => z.boolean(ruled('must be true or false'));
export const string = () => z.string(ruled('must be a string'));
export const text = () => matching(/\S/, 'must be a non-empty string');

export function matching(pattern: RegExp, rule: string): z.ZodMiniString {
  // Aborted, so that a union of it and others has the union's rule.
  return z.string(ruled(rule)).check(z.regex(pattern, { error: rule, abort: true }));
}

export const callback = <T>() => obey<T>(callbackRule);

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
    const missing = paths.find((path) => !hasMethod(value, ...path.split('.')));
    return missing === undefined ? undefined : `must have a method "${missing}"`;
  });
}

/** @param path - `has`, or `orders`, `create` */
export function hasMethod(value: unknown, ...path: readonly string[]): boolean {
  return typeof path.reduce(memberOf, value) === 'function';
}

function memberOf(value: unknown, key: string): unknown {
  return (Object(value) as Readonly<Record<string, unknown>>)[key];
}

/** `names.map(method)` passes the index in the place of the options. */
const indexHint = 'in a map(), write (each) => method(each), since it passes the index too';

function ownOf(options: object, name: string): unknown {
  return Object.hasOwn(options, name) ? memberOf(options, name) : undefined;
}
