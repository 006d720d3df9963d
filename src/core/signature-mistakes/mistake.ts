/** SignatureMistake: a row of the tables of what usually goes wrong with a signature. */

/** What was signed, or was the key, in place of the right one. */
export interface SignatureMistake<Wrong> {
  /** A whole sentence that repeats no secret. */
  readonly sentence: string;
  readonly wrong: Wrong;
}

/** The mistakes that can be made of a value: a form that does not exist, or is the right one, is none. */
export function mistakes<Wrong extends string | Uint8Array>(
  right: Wrong,
  rows: readonly (readonly [sentence: string, wrong: Wrong | undefined])[],
): SignatureMistake<Wrong>[] {
  return rows.flatMap(([sentence, wrong]) =>
    wrong === undefined || wrong === right ? [] : [{ sentence, wrong }],
  );
}
