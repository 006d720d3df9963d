/** Finding: where the books and the service differ, and the next step for each kind. */

import type { Order } from '../model/orders.js';
import type { SettlementStatement } from '../model/settlements.js';

/**
 * What `orders.reconcile` can find. docs/reconciliation.md says what to do with each.
 *
 * - `missing_at_service`: placed or open in the books, and the service has proven that it has no order.
 * - `unknown_here`: an order at the service, and no sale in the books.
 * - `order_of_a_refused_sale`: the sale is refused in the books, and its order is valid.
 * - `amount_differs`, `currency_differs`: both have the sale, with other figures.
 * - `behind`: the books have an earlier status than the service, or lack a hold, a refund, a
 *   cancellation, or the order of a sale that is open.
 * - `ahead`: the books have a later status than the service, or a refund that it does not have.
 * - `stuck`: an order that has had one status for longer than `stuckAfterMs`.
 * - `doubled`: two orders for one payment reference.
 * - `statement_differs`: the orders settled in a period do not add up to its statement.
 * - `not_checkable`: nothing was proven either way. Never a sign that the books agree.
 *
 * @example
 * ```ts
 * import type { FindingKind } from 'market-partner-sdk';
 *
 * const urgent: FindingKind[] = ['order_of_a_refused_sale', 'doubled'];
 * ```
 */
export type FindingKind =
  | 'missing_at_service'
  | 'unknown_here'
  | 'order_of_a_refused_sale'
  | 'amount_differs'
  | 'currency_differs'
  | 'behind'
  | 'ahead'
  | 'stuck'
  | 'doubled'
  | 'statement_differs'
  | 'not_checkable';

/**
 * A difference between the books and the service, or something that could not be checked.
 *
 * @example
 * ```ts
 * import type { Finding } from 'market-partner-sdk';
 *
 * const line = ({ kind, idempotencyKey, message, nextStep }: Finding) =>
 *   `${kind} ${idempotencyKey ?? ''}: ${message} ${nextStep}`;
 * ```
 */
export interface Finding {
  /** What differs. */
  readonly kind: FindingKind;
  /** What the books and the service each say. */
  readonly message: string;
  /** What to do next, in one sentence, with the method that does it. */
  readonly nextStep: string;
  /** The sale's key, if the finding is about a sale in the books. */
  readonly idempotencyKey?: string;
  /** The sale's position in `sales`, from 0. */
  readonly row?: number;
  /** The orders at the service that the finding is about. */
  readonly publicIds: readonly string[];
  /** The order as the service shows it; the later one of two. */
  readonly order?: Order;
  /** The statement, for `statement_differs`. */
  readonly statement?: SettlementStatement;
}

/** What a finding is about, without what its kind says. */
type Subject = Omit<Finding, 'kind' | 'message' | 'nextStep' | 'publicIds'> & {
  /** In place of that of its kind. */
  readonly nextStep?: string;
  readonly publicIds?: readonly string[];
};

const nextSteps: Readonly<Record<FindingKind, string>> = {
  missing_at_service:
    'Call orders.resume with the stored sale. It places the order, or says why there is none.',
  unknown_here:
    'Look for its payment. The books lost a sale, or another program uses this credential.',
  order_of_a_refused_sale:
    'Act at once. The buyer was paid back and will still get the domain. Until TRANSFER_COMPLETED, orders.refund reverses the order.',
  amount_differs: 'Compare the payment with the order.',
  currency_differs: 'Compare the payment with the order.',
  behind:
    'Read the missed events with inbox.poll or events.list; end an open sale with orders.resume.',
  ahead: 'Compare the order with the events that the books were written from.',
  stuck: "Ask the service's support, with the public_id.",
  doubled: 'Refund one of the two orders with orders.refund, before TRANSFER_COMPLETED.',
  statement_differs: 'Compare the settled orders of the period with the statement.',
  not_checkable: 'Run the comparison again later. If the finding remains, look at the order.',
};

/** Every kind with the count 0. */
export function noFindings(): Record<FindingKind, number> {
  return Object.fromEntries(Object.keys(nextSteps).map((kind) => [kind, 0])) as Record<
    FindingKind,
    number
  >;
}

export function finding(kind: FindingKind, message: string, subject: Subject = {}): Finding {
  const publicId = subject.order?.public_id;
  const publicIds = subject.publicIds ?? (typeof publicId === 'string' ? [publicId] : []);
  return { kind, message, nextStep: nextSteps[kind], ...subject, publicIds };
}
