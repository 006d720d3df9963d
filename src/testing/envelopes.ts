/** The shapes of lists and errors that the specification leaves open. */

/** The known list envelopes. `'named'` is `{ orders: [...] }`, after the list's noun. */
export const listEnvelopes = ['data', 'items', 'results', 'named', 'array'] as const;

/** The known shapes of errors. */
export const errorShapes = ['flat', 'nested', 'labelled'] as const;

/** The envelope of lists: `data`, `items`, `results`, the list's noun (`named`), or nothing (`array`). */
export type ListEnvelope = (typeof listEnvelopes)[number];

/** The shape of errors: `{code,message}`, `{error:{code,message}}` or `{error,message}`. */
export type ErrorShape = (typeof errorShapes)[number];

/** A list before it is put in its envelope. */
export interface ListResult {
  /** The list's noun, such as `orders`: the field of the envelope `'named'`. */
  readonly name: string;
  readonly items: readonly unknown[];
  readonly nextCursor: string | null;
  /** All items: the envelope `'array'` has no place for a cursor. */
  readonly all: () => readonly unknown[];
  /** Fields next to the list. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** The body of a list. A bare array has no cursor, so it holds the whole list. */
export function listBody(list: ListResult, envelope: ListEnvelope): unknown {
  if (envelope === 'array') return list.all();
  const field = envelope === 'named' ? list.name : envelope;
  return { [field]: list.items, next_cursor: list.nextCursor, ...list.extra };
}

/** An error before it is put in its envelope. */
export interface ErrorContent {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** The body of an error: `code` and `message` are documented, their envelope is not. */
export function errorBody({ code, message, details }: ErrorContent, shape: ErrorShape): unknown {
  const extra = details === undefined ? {} : { details };
  switch (shape) {
    case 'flat':
      return { code, message, ...extra };
    case 'nested':
      return { error: { code, message, ...extra } };
    case 'labelled':
      return { error: code, message, ...extra };
  }
}
