/** readError and withAnswer: errors read by their fields, not their class, since there may be two copies of the package. */

import { escapeInvisible } from './escape-invisible.js';

/** What is read of an error of any origin. */
export interface ErrorToRead {
  readonly code?: unknown;
  readonly outcome?: unknown;
  readonly body?: unknown;
  readonly response?: unknown;
  readonly retryAfterMs?: unknown;
  readonly advice?: unknown;
}

export interface ResponseToRead {
  readonly status?: unknown;
  readonly headers?: unknown;
}

/** What is known of an error of any origin. */
export type ErrorFields = Required<Omit<ErrorToRead, 'response'> & ResponseToRead>;

export function readError(error: unknown): ErrorFields {
  const { code, outcome, body, response, retryAfterMs, advice } = Object(error) as ErrorToRead;
  const { status, headers } = Object(response) as ResponseToRead;
  return { status, headers, code, outcome, body, retryAfterMs, advice };
}

/**
 * The response in brief, such as `422 price_mismatch "The price is 300 now."` or `200 text/html`; `undefined` if there
 * was none.
 */
export function answerOf(error: unknown): string | undefined {
  const { status, headers, code, body } = readError(error);
  if (typeof status !== 'number') return undefined;
  const { message, error: inner } = Object(body) as { message?: unknown; error?: unknown };
  const text = message ?? (Object(inner) as { message?: unknown }).message;
  const named = typeof code === 'string' ? ` ${escapeInvisible(code.slice(0, 100))}` : '';
  const quoted = typeof text === 'string' ? ` "${escapeInvisible(text.slice(0, 500))}"` : '';
  return `${status}${named}${quoted}${named === '' ? contentOf(headers) : ''}`;
}

/** Of a response that is not the service's: where it leads, or what it is. */
function contentOf(headers: unknown): string {
  const { location, 'content-type': type } = Object(headers) as Record<string, unknown>;
  if (typeof location === 'string') return ` to ${escapeInvisible(location.slice(0, 500))}`;
  return typeof type === 'string' ? ` ${escapeInvisible(type.slice(0, 100))}` : '';
}

/** For people: a text about an error, with the response that the error's own message leaves out. */
export function withAnswer(text: string, error: unknown): string {
  const answer = answerOf(error);
  return answer === undefined ? text : `${text} (${answer})`;
}
