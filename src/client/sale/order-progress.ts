/** isOrderProgress: whether a status is later than the one that is stored. */

import { lazily, matching } from '../../core/schema/options.js';
import { checkInput } from '../input/index.js';
import { canFollow } from '../assumptions.js';
import type { OrderStatus } from '../model/index.js';

/**
 * Whether an order that you know in one status can be in the other one later. For jobs that read an order
 * and store its status: events that are handled twice, late or in another order then store the same in the
 * end.
 *
 * `EXTERNALLY_PAID`, `TRANSFER_IN_PROGRESS`, `TRANSFER_COMPLETED` and `SETTLED` follow each other in this
 * order; some may be left out. `REFUNDED` and `CANCELLED` follow each of them, and nothing follows those two. A hold may begin
 * and end until the domain is delivered. A status that this version does not know follows every other one, and
 * every other one follows it.
 *
 * Store with a condition, because two jobs may do this at once:
 * `update sale set status = $new where order_id = $id and status is not distinct from $stored`. Where no row
 * changed, let the job fail, so that it starts again.
 *
 * @param stored - the status in your database; `undefined` or `null` if none is stored yet
 * @param read - the status that the service now shows
 * @throws {@link InvalidRequestError} when one of them is not a status: a string that is not blank.
 * @see specification, part 3: states and transitions
 *
 * @example
 * ```ts
 * import { isOrderProgress } from 'market-partner-sdk';
 *
 * console.log(isOrderProgress('TRANSFER_IN_PROGRESS', 'SETTLED')); // true
 * console.log(isOrderProgress('SETTLED', 'TRANSFER_IN_PROGRESS')); // false: an old response
 * console.log(isOrderProgress(undefined, 'EXTERNALLY_PAID')); // true: nothing is stored yet
 * ```
 */
export function isOrderProgress(
  stored: OrderStatus | null | undefined,
  read: OrderStatus,
): boolean {
  checkInput(orderStatus, read, 'read');
  if (stored === undefined || stored === null) return true;
  checkInput(orderStatus, stored, 'stored');
  return canFollow(read, stored);
}

const orderStatus = lazily(() =>
  matching(/\S/, 'must be the status of an order, such as "SETTLED"'),
);
