/** A failure of the wire in words, for the error's message. */

import type { WireFailure } from './transport.js';

export function describeFailure(failure: WireFailure): string {
  const { cause } = failure;
  const detail = cause instanceof Error ? `: ${causeText(cause)}` : '';
  if (failure.kind === 'not_sent') return `could not be sent${detail}`;
  if (failure.kind === 'too_large') return `got an answer that was not read${detail}`;
  if (failure.head !== undefined) {
    return `got an answer of status ${failure.head.status} whose body broke off${detail}`;
  }
  return `was sent and got no answer${detail}`;
}

/** The innermost message: "fetch failed" tells less than what it was caused by. */
function causeText(error: Error): string {
  let at = error;
  for (let depth = 0; depth < 5 && at.cause instanceof Error; depth += 1) at = at.cause;
  const code = 'code' in at && typeof at.code === 'string' ? at.code : '';
  return at.message === '' || at.message.includes(code)
    ? at.message || code
    : `${at.message} (${code})`;
}
