/** The bridge from a rule, which is a plain function, to a schema. */

import * as zod from 'zod/mini';

/**
 * A check whose result is `Out`; run it with `checkInput`. Its schema is made when it is first needed:
 * a call needs one or two, and all of them together would be a quarter of what loading the package takes.
 */
export type Check<Out> = () => zod.ZodMiniType<Out>;

/** The rule that a value breaks, in words that follow its name; `undefined` when it breaks none. */
export type Fault = (value: unknown) => string | undefined;

/** A check of one value that leaves it as it is. */
export function rule<Out>(fault: Fault): Check<Out> {
  return madeOnce(() =>
    zod.custom<Out>((value) => fault(value) === undefined, {
      error: ({ input }) => fault(input),
    }),
  );
}

/** A check whose value is then brought into the form in which it is sent. */
export function normalized<In, Out>(check: Check<In>, normalize: (value: In) => Out): Check<Out> {
  return madeOnce(() => zod.pipe(check(), zod.transform(normalize)));
}

/** A check of a value that may be left out. */
export function optional<Out>(check: Check<Out>): Check<Out | undefined> {
  return madeOnce(() => zod.optional(check()));
}

/** Makes the schema when it is first asked for, and gives the same one from then on. */
export function madeOnce<Out>(make: Check<Out>): Check<Out> {
  let made: zod.ZodMiniType<Out> | undefined;
  return () => (made ??= make());
}
