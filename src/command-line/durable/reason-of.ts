/** `reasonOf`: why an engine could not be opened, also where the error itself has no message. */

import { causeChain } from '../../client/errors/cause.js';
import { messageOf } from '../terminal.js';

/** Node reports a refused connection as an `AggregateError` without a message. */
export function reasonOf(error: unknown): string {
  const message = messageOf(error);
  if (message !== '') return message;
  const found = causeChain(error).find((each) => each.message !== '' || each.code !== '');
  return found === undefined ? 'unknown error' : found.message || found.code;
}
