/** LazySchema, and the functions that build one from a rule in plain TypeScript. */

import * as zod from 'zod/mini';

/**
 * A schema that is built when a call first needs it. A call needs one or two; building all of them
 * would take a quarter of the time in which the package loads.
 */
export type LazySchema<Out> = () => zod.ZodMiniType<Out>;

/** Returns the rule that a value breaks, in words that follow its name; `undefined` if none. */
type Validator = (value: unknown) => string | undefined;

/** A schema that accepts a value as it is. */
export function validated<Out>(validator: Validator): LazySchema<Out> {
  return lazy(() =>
    zod.custom<Out>((value) => validator(value) === undefined, {
      error: ({ input }) => validator(input),
    }),
  );
}

/** A schema that accepts a value and then brings it into the form in which it is sent. */
export function normalized<In, Out>(
  schema: LazySchema<In>,
  normalize: (value: In) => Out,
): LazySchema<Out> {
  return lazy(() => zod.pipe(schema(), zod.transform(normalize)));
}

/** A schema that also accepts `undefined`. */
export function optional<Out>(schema: LazySchema<Out>): LazySchema<Out | undefined> {
  return lazy(() => zod.optional(schema()));
}

/** Builds the schema at the first call and returns the same one from then on. */
export function lazy<Out>(build: LazySchema<Out>): LazySchema<Out> {
  let schema: zod.ZodMiniType<Out> | undefined;
  return () => (schema ??= build());
}
