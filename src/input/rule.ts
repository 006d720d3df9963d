/** The bridge from a rule, which is a plain function, to a schema. */

import { custom, pipe, transform, type ZodMiniType } from 'zod/mini';

/** A schema whose result is `Out`. Run it with `checkInput`. */
export type Check<Out> = ZodMiniType<Out>;

/** The rule that a value breaks, in words that follow its name; `undefined` when it breaks none. */
export type Fault = (value: unknown) => string | undefined;

/** A check of one value that leaves it as it is. */
export function rule<Out>(fault: Fault): Check<Out> {
  return custom<Out>((value) => fault(value) === undefined, {
    error: ({ input }) => fault(input),
  });
}

/** A check whose value is then brought into the form in which it is sent. */
export function normalized<In, Out>(check: Check<In>, normalize: (value: In) => Out): Check<Out> {
  return pipe(check, transform(normalize));
}
