/** A failure of the wire in words, for the error's message. */

import { causeChain } from '../errors/cause.js';
import type { WireFailure } from './transport.js';

export function describeFailure(failure: WireFailure): string {
  const detail = causeText(failure.cause);
  if (failure.kind === 'not_sent') return `could not be sent${detail}`;
  if (failure.kind === 'too_large') return `got an answer that was not read${detail}`;
  if (failure.head !== undefined) {
    return `got an answer of status ${failure.head.status} whose body broke off${detail}`;
  }
  return `was sent and got no answer${detail}`;
}

/** The innermost message: "fetch failed" tells less than what it was caused by. */
function causeText(cause: unknown): string {
  const innermost = causeChain(cause).at(-1);
  if (innermost === undefined) return '';
  const { code } = innermost;
  // Node lists the files that asked for a missing module below the sentence.
  const [message = ''] = innermost.message.split('\n');
  if (message === '') return code === '' ? '' : `: ${code}`;
  return message.includes(code) ? `: ${message}` : `: ${message} (${code})`;
}
