/** Schemas of the values that the parts of the emulator share, and the check of what a caller passes. */

import * as z from 'zod/mini';
import {
  checkOptions,
  lazily,
  matching,
  oneOf,
  strict,
  text,
  withDefault,
  type Output,
  type LazySchema,
  type Schema,
} from '../core/schema/options.js';
import { ruled } from '../core/schema/must.js';
import { normalizeDomain } from './domain-name.js';
import { parseUrl } from '../core/parse-url.js';

/** A schema for each field, by its name. */
export type Fields = Readonly<Record<string, z.ZodMiniType>>;

/** The values of the fields after the check: defaults are filled in. */
export type ValuesOf<Shape extends Fields> = z.output<z.ZodMiniObject<Shape>>;

const unitMs = {
  millisecond: 1,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
} as const;

type Unit = keyof typeof unitMs;

/** A length of time: milliseconds, or a number and a unit in words. */
export type Duration = number | `${number} ${Unit}` | `${number} ${Unit}s`;

export const record = () => z.record(z.string(), z.unknown(), ruled('must be an object'));

export const environment = () => withDefault(oneOf('sandbox', 'live', 'test'), 'sandbox');

/** Money: whole cents, as a number. */
export function cents() {
  const rule = ruled('must be a whole number of cents, zero or more');
  return z.int(rule).check(z.gte(0, rule));
}

export function currency() {
  return matching(/^[A-Z]{3}$/, 'must be a currency code of three capital letters');
}

/** The address as it was given. */
export function httpUrl() {
  const rule = 'must be an absolute http or https URL';
  const isWeb = (it: string) => /^https?:$/.test(parseUrl(it)?.protocol ?? '');
  return z.string(ruled(rule)).check(z.refine(isWeb, rule));
}

/** In the one spelling that the service stores. */
export function domain() {
  return converted(text(), (name, refuse) => {
    return normalizeDomain(name) ?? refuse(`is not a domain name: ${JSON.stringify(name)}`);
  });
}

/** In milliseconds. */
export function duration() {
  const rule = "must be milliseconds of zero or more, or words like '11 minutes' or '7 days'";
  const words = /^\s*(\d+(?:\.\d+)?) (millisecond|second|minute|hour|day|week)s?\s*$/;
  const given = z.union(
    // Each with the rule: zod reports that of the nearer one.
    [
      z.number(ruled(rule)).check(z.gte(0, rule)),
      z.string(ruled(rule)).check(z.regex(words, rule)),
    ],
    ruled(rule),
  );
  return converted(given, (value, refuse) => {
    const [, count, unit] = words.exec(String(value)) ?? [];
    const ms = unit === undefined ? Number(value) : Number(count) * unitMs[unit as Unit];
    return Number.isFinite(ms) ? ms : refuse(rule);
  });
}

/** A value that is stored in another form than it is written in. */
export function converted<S extends Schema<unknown>, T>(
  schema: S,
  convert: (value: z.output<S>, refuse: (rule: string) => never) => T,
) {
  const transform = z.transform((value: z.output<S>, context): T => {
    return convert(value, (message) => {
      context.issues.push({ code: 'custom', input: value, message });
      return z.NEVER;
    });
  });
  return z.pipe(schema, transform) as z.ZodMiniPipe<S, z.ZodMiniTransform<T, z.output<S>>>;
}

const built = new WeakMap<() => Fields, LazySchema>();

/**
 * What a caller passed, by these fields and no others. Their schema is built once.
 *
 * @param within - what the names of the fields begin with in a message: `fault`
 * @throws {@link TypeError} that names the field and the rule
 */
export function check<Shape extends Fields>(
  fields: () => Shape,
  given: unknown,
  within?: string,
): ValuesOf<Shape> {
  const schema = built.get(fields) ?? lazily(() => strict(fields()));
  built.set(fields, schema);
  return checkOptions(schema, given, invalidOption, { within }) as ValuesOf<Shape>;
}

/** As {@link check}, by a schema of any kind. */
export function checkBy<S extends LazySchema>(
  schema: S,
  given: unknown,
  within?: string,
): Output<S> {
  return checkOptions(schema, given, invalidOption, { within }) as Output<S>;
}

const durationSchema = lazily(duration);

/** A duration that a method takes, in milliseconds. */
export function toMilliseconds(given: Duration): number {
  return checkOptions(durationSchema, given, invalidOption, { within: 'duration' });
}

function invalidOption(name: string, rule: string): TypeError {
  return new TypeError(`"${name}" ${rule}`);
}
