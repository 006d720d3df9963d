/**
 * The validator of the package: schemas of zod, and the sentence of a broken rule.
 *
 * A value crosses a public boundary once, and is checked there:
 *
 *   must.ts     a rule in words: `must('must be a function', isFunction)`, `optional`, `withDefault`, `lazily`
 *   options.ts  what a program configures: `strict({ ... })` knows every option, `checkOptions` throws the first
 *               broken rule through the error factory of the part: invalid('retry.maxMs', 'must be ...')
 *   records.ts  what is sent to the service: `record({ ... })` checks the documented fields and passes others,
 *               `checkRecord` returns all broken rules
 *
 *   const pollSchema = lazily(() =>
 *     strict({
 *       everyMs: withDefault(wholeNumber(1), 60_000), // the only place of the default
 *       onGap: optional(callback<(gap: Gap) => void>()),
 *       retry: nested(retrySchema()), // absent is {}: its own defaults apply
 *     } satisfies Fields<PollOptions>), // the public interface, held against its schema
 *   );
 *   type PollSettings = Output<typeof pollSchema>;
 *   const settings = checkOptions(pollSchema, options, invalidOption);
 *
 * - A schema is built when it is first needed: building all of them would take a quarter of the loading time.
 * - Each property is read once: what is checked is what is used.
 * - A message has the path of the value and the rule. It never repeats a value, which may be a secret: `describe`
 *   tells its type.
 */

import * as z from 'zod/mini';

/** A schema that accepts anything and returns `T`. */
export type Schema<T> = z.ZodMiniType<T>;
export type LazySchema<S extends Schema<unknown> = Schema<unknown>> = () => S;
/** What a schema returns. */
export type Output<S extends LazySchema> = z.output<ReturnType<S>>;
/** One schema for each field of a public interface: `{ ... } satisfies Fields<PollOptions>`. */
export type Fields<T> = { readonly [K in keyof T]-?: Schema<T[K]> };

/** Builds a schema, or its fields, at the first call and returns the same from then on. */
export function lazily<T extends object>(build: () => T): () => T {
  let built: T | undefined;
  return () => (built ??= build());
}

/**
 * A value that keeps a rule.
 *
 * @param rule - in words that follow the value's name: `must be a function`; a function for one of several
 */
export function must<T>(
  rule: string | ((value: unknown) => string),
  isValid: (value: unknown) => boolean,
): z.ZodMiniCustom<T, T> {
  return z.custom<T>(isValid, ruled(rule));
}

/** A value that keeps the rule which `violation` returns for any other: `must be a non-empty string`. */
export function obey<T>(violation: (value: unknown) => string | undefined): z.ZodMiniCustom<T, T> {
  return must<T>(
    (value) => violation(value) ?? '',
    (value) => violation(value) === undefined,
  );
}

/** Any value: one that is checked where it is used. */
export function anything<T>(): z.ZodMiniCustom<T, T> {
  return z.custom<T>();
}

export function optional<S extends Schema<unknown>>(schema: S): z.ZodMiniOptional<S> {
  return z.optional(schema);
}

/** zod calls a default that is a function, and copies an object: this one is used as it is. */
export function withDefault<S extends Schema<unknown>>(
  schema: S,
  value: z.util.NoUndefined<z.output<S>>,
): z.ZodMiniDefault<S> {
  return z._default(schema, () => value);
}

/** The parameters of a schema of zod whose broken rule is this one. */
export function ruled(rule: string | ((value: unknown) => string)) {
  return {
    error: ({ input }: { readonly input?: unknown }) => {
      const broken = typeof rule === 'string' ? rule : rule(input);
      return input === undefined && broken.startsWith('must')
        ? `is required and ${broken}`
        : broken;
    },
  };
}

/**
 * zod lists the fields of objects with `for in`, and fails if a program gave `Object.prototype` a method that
 * shows there. Such methods are hidden while it runs, which no other code can see: it runs in one go.
 */
export function withoutExtensions<T>(run: () => T): T {
  const names = Object.keys(Object.prototype);
  if (names.length === 0) return run();
  const show = (enumerable: boolean) => {
    // Without a prototype: the extension may itself be named `get`.
    const change = Object.assign(Object.create(null) as PropertyDescriptor, { enumerable });
    for (const name of names) Object.defineProperty(Object.prototype, name, change);
  };
  try {
    show(false);
    return run();
  } finally {
    show(true);
  }
}

/** A value by its type; its content may be a secret. */
export function describe(value: unknown): string {
  if (value === undefined || value === null || Number.isNaN(value)) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
