/** A request as it came over the wire, before anything has interpreted it. */
export interface ArrivedRequest {
  readonly method: string;
  /** The path exactly as in the request line, percent-encoding untouched. */
  readonly rawPath: string;
  /** The query exactly as in the request line, without the `?`; empty where there is none. */
  readonly rawQuery: string;
  /** Names in lower case; repeated headers joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Set where the body was longer than the service reads. */
  readonly bodyTooLarge: boolean;
}

/** What the service answers, before a fault has its way with it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How an answer reaches the wire. */
export type Manner =
  | { readonly kind: 'whole' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'broken' }
  | { readonly kind: 'slow'; readonly chunkBytes: number; readonly everyMs: number }
  | { readonly kind: 'endless'; readonly everyMs: number };

/** An answer, how it is sent, and how long it is held back. */
export interface Outcome {
  readonly answer: Answer;
  readonly manner: Manner;
  /** Real milliseconds before the first byte; `Infinity` is never. */
  readonly delayMs: number;
}

/** The largest request body that the service reads, in bytes. */
export const maxBodyBytes = 1_048_576;

/** Statuses that HTTP has no body for. */
export const withoutBody: readonly number[] = [204, 205, 304];

/** Splits a request target as it stood in the request line; nothing is decoded or resolved. */
export function splitTarget(target: string): { rawPath: string; rawQuery: string } {
  const originForm = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/is.exec(target)?.[1] ?? target;
  const [beforeFragment = ''] = originForm.split('#', 1);
  const mark = beforeFragment.indexOf('?');
  const rawPath = mark === -1 ? beforeFragment : beforeFragment.slice(0, mark);
  return {
    rawPath: rawPath === '' ? '/' : rawPath,
    rawQuery: mark === -1 ? '' : beforeFragment.slice(mark + 1),
  };
}
