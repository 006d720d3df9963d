/** The shapes that the specification leaves open, each of which a partner can switch on. */

import type { ListResult } from './pages.js';

/** What a list is wrapped in. `'named'` is `{ orders: [...] }`, after what the list is of. */
export const listEnvelopes = ['data', 'items', 'results', 'named', 'array'] as const;

/** What an error's code and message are wrapped in. */
export const errorShapes = ['flat', 'nested', 'labelled'] as const;

/** What lists are wrapped in: `data`, `items`, `results`, the list's noun (`named`), or nothing (`array`). */
export type ListEnvelope = (typeof listEnvelopes)[number];

/** What errors are wrapped in: `{code,message}`, `{error:{code,message}}` or `{error,message}`. */
export type ErrorShape = (typeof errorShapes)[number];

/** The body of a list. A bare array has no place for a cursor, so it is the whole list. */
export function listBody(list: ListResult, envelope: ListEnvelope): unknown {
  if (envelope === 'array') return list.all();
  const field = envelope === 'named' ? list.name : envelope;
  return { [field]: list.items, next_cursor: list.nextCursor, ...list.extra };
}

/** The body of an error: `code` and `message` are documented, their wrapping is not. */
export function errorBody(
  error: {
    readonly code: string;
    readonly message: string;
    readonly details?: Readonly<Record<string, unknown>> | undefined;
  },
  shape: ErrorShape,
): unknown {
  const { code, message, details } = error;
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
