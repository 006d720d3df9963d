/** `verdictName`: tells whether two verdicts say the same. */

import type { StoredVerdict } from './outbox-types.js';

/** Two verdicts of one name do not contradict each other. */
export function verdictName(verdict: StoredVerdict): string {
  return verdict.state === 'placed' ? `placed ${verdict.order.public_id}` : verdict.state;
}
