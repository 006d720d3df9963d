/**
 * checkOptions: reads the options of a function or a class once, and checks them by a table. Every part
 * of the package uses it, so it imports nothing from any of them.
 */

import { intendedName } from './field-names.js';
import { isObject } from './json.js';

/** Returns the rule that a value breaks, in words that follow the option's name. */
export type OptionCheck = (value: unknown) => string | undefined;

/** The check of an option that must be passed. */
type RequiredCheck = OptionCheck & { readonly isRequired: true };

/** Every option that exists, with its check. `true` for one that is checked where it is read. */
export type OptionTable<T> = Readonly<Record<keyof T & string, OptionCheck | RequiredCheck | true>>;

/** Creates the error of a broken rule: each part of the package has a class of its own. */
export type OptionErrorFactory = (name: string, rule: string) => Error;

/** How messages call the options as a whole. */
interface OptionsPlace {
  /** For options inside an option: `retry` gives messages about `retry.maxAttempts`. */
  readonly within?: string;
  /** Shown if something other than an object was passed. */
  readonly example?: string;
}

/**
 * Returns a copy in which each option was read once: a getter cannot change a value after its check.
 * Options that are `undefined` are left out.
 *
 * Throws what `invalid` creates: for anything other than an object of options, an option that does not
 * exist, one that is missing, and one that breaks its rule. No message shows a value: it may be a secret.
 */
export function checkOptions<T extends object>(
  table: OptionTable<T>,
  options: unknown,
  invalid: OptionErrorFactory,
  place: OptionsPlace = {},
): T {
  const { within } = place;
  const nameOf = (name: string) => (within === undefined ? name : `${within}.${name}`);
  const { copy, names } = readOptions(Object.keys(table), options, invalid, place);
  const unknown = names.find((name) => !Object.hasOwn(table, name));
  // An ignored `forbidLve` or `idempotency_key` would go unnoticed until it does harm.
  if (unknown !== undefined) {
    throw invalid(nameOf(unknown.slice(0, 60)), unknownOptionRule(unknown, Object.keys(table)));
  }
  for (const [name, check] of Object.entries<OptionCheck | true>(table)) {
    if (check === true || (copy[name] === undefined && !('isRequired' in check))) continue;
    const rule = ruleBrokenBy(copy[name], check);
    if (rule !== undefined) throw invalid(nameOf(name), rule);
  }
  return copy as T;
}

/** Refuses an option that is left out. */
export function required(check: OptionCheck): RequiredCheck {
  const checkPresent: OptionCheck = (value) => {
    const rule = check(value);
    return rule !== undefined && value === undefined ? `is required: it ${rule}` : rule;
  };
  return Object.assign(checkPresent, { isRequired: true as const });
}

export function optionCheck(rule: string, isValid: (value: unknown) => boolean): OptionCheck {
  return (value) => (isValid(value) ? undefined : rule);
}

export const boolean = optionCheck('must be true or false', (it) => typeof it === 'boolean');
export const string = optionCheck('must be a string', (it) => typeof it === 'string');
export const nonEmptyString = optionCheck(
  'must be a non-empty string',
  (it) => typeof it === 'string' && it.trim() !== '',
);

/** A class passes `typeof`, and throws "cannot be invoked without 'new'" when it is called. */
export const callback: OptionCheck = (value) => {
  if (typeof value !== 'function') return 'must be a function';
  const isClass = /^class\b/.test(Function.prototype.toString.call(value));
  return isClass ? 'must be a function, not a class' : undefined;
};

/** By its shape: a signal may come from another realm or from a polyfill. */
export const abortSignal = optionCheck('must be an AbortSignal', (value) => {
  const { aborted, addEventListener, removeEventListener } = Object(value) as Partial<AbortSignal>;
  return (
    typeof aborted === 'boolean' &&
    typeof addEventListener === 'function' &&
    typeof removeEventListener === 'function'
  );
});

export const tracingLike = optionCheck('must be what openTelemetry(api) returns', isObject);

export const loggerLike = optionCheck(
  'must be an object whose debug, info, warn and error, if it has them, are functions',
  (value) =>
    isObjectOrFunction(value) &&
    ['debug', 'info', 'warn', 'error'].every(
      (level) => value[level] === undefined || typeof value[level] === 'function',
    ),
);

/** Timers count in 32 bits; a longer delay would end at once. */
const longestTimerMs = 2 ** 31 - 1;

/** A duration that a timer can wait for. */
export const milliseconds = optionCheck(
  `must be a number of milliseconds above 0, at most ${longestTimerMs}`,
  (value) => typeof value === 'number' && value > 0 && value <= longestTimerMs,
);

export function wholeNumber(least: number, most = Infinity): OptionCheck {
  const range = most === Infinity ? `${least} up` : `${least} to ${most}`;
  return optionCheck(
    `must be a whole number from ${range}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
  );
}

export function oneOf(...words: readonly string[]): OptionCheck {
  const quoted = words.map((word) => `"${word}"`);
  const list = [quoted.slice(0, -1).join(', '), ...quoted.slice(-1)].filter((part) => part !== '');
  return optionCheck(`must be ${list.join(' or ')}`, (value) => words.includes(value as string));
}

/** An object of the caller's that has these methods: `has`, or `orders.create`. */
export function withMethods(...paths: readonly string[]): OptionCheck {
  return (value) => {
    const missing = paths.find((path) => !hasMethod(value, path));
    return missing === undefined ? undefined : `must have a method "${missing}"`;
  };
}

/** @param path - `has`, or `orders.create` */
export function hasMethod(value: unknown, path: string): boolean {
  const found = path
    .split('.')
    .reduce<unknown>((at, key) => (Object(at) as Record<string, unknown>)[key], value);
  return typeof found === 'function';
}

function readOptions(
  known: readonly string[],
  options: unknown,
  invalid: OptionErrorFactory,
  { within = 'options', example }: OptionsPlace,
): { copy: Record<string, unknown>; names: string[] } {
  const rule = `must be an object of options${example === undefined ? '' : `, such as ${example}`}`;
  const copy: Record<string, unknown> = {};
  let refused: string;
  try {
    if (typeof options === 'number') refused = `${rule}; ${indexHint}`;
    else if (!isOptionsObject(options)) refused = rule;
    else if ('then' in options) refused = `${rule}; a Promise was passed: await it first`;
    else {
      const names = Object.keys(options);
      for (const name of known) {
        const value = options[name];
        if (value !== undefined) copy[name] = value;
      }
      return { copy, names };
    }
  } catch (error) {
    refused = unreadableRule(error);
  }
  throw invalid(within, refused);
}

/** `names.map(method)` passes the index in the place of the options. */
const indexHint = 'in a map(), write (each) => method(each), since it passes the index too';

/** A bare key, list or AbortSignal in the place of the options would be ignored. */
function isOptionsObject(options: unknown): options is Record<string, unknown> {
  return isObject(options) && !('aborted' in options) && !(Symbol.iterator in options);
}

function unknownOptionRule(name: string, known: readonly string[]): string {
  const intended = intendedName(name, known);
  return intended === undefined
    ? `is not an option; the options are ${known.join(', ')}`
    : `is not an option (did you mean "${intended}"?)`;
}

function ruleBrokenBy(value: unknown, check: OptionCheck): string | undefined {
  try {
    return check(value);
  } catch (error) {
    // A revoked proxy and a getter may throw anything.
    return unreadableRule(error);
  }
}

function unreadableRule(error: unknown): string {
  const reason = error instanceof Error ? error.message : 'one of them threw';
  return `cannot be read: ${reason.slice(0, 200)}`;
}

function isObjectOrFunction(value: unknown): value is Record<string, unknown> {
  return isObject(value) || typeof value === 'function';
}
