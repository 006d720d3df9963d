/** Sales, their results, and how they are shown. */

import type { Order, OrderInput } from '../../client/model/orders.js';
import type { ListPage } from '../queue/page.js';

/** A sale to record: the order, and the key that it is sent with. */
export interface PaidSale {
  /** The Idempotency-Key of the order: the id of your payment. */
  readonly key: string;
  readonly order: OrderInput;
}

/** Why a sale was refused: no order exists, and none will. Pay the buyer back. */
export interface Refusal {
  /**
   * `'other'`: a code that this version does not know. `'resolved'`: your team's decision.
   * `'cancelled'`: `outbox.cancel` was called.
   */
  readonly reason:
    | 'price_mismatch'
    | 'quote_expired'
    | 'not_listed'
    | 'invalid'
    | 'other'
    | 'resolved'
    | 'cancelled';
  readonly message: string;
  /** What makes it certain that no order exists. */
  readonly confirmed: 'first_attempt' | 'looked_up' | 'never_sent' | 'operator';
}

/** What is asked for with `outbox.refund`. */
export interface RefundRequest {
  /** Why, for a human reader at the service: up to 1,000 characters. */
  readonly reason: string;
}

/** Why an order was not refunded, and never will be by this request. The order is still valid, if there is one. */
export interface NotRefunded {
  /**
   * - `'no_order'`: the sale ended without an order, so there is nothing to refund.
   * - `'too_late'`: the order has reached `TRANSFER_COMPLETED` (specification, part 3).
   * - `'refused'`: the service refused the request with a reason.
   * - `'resolved'`: your team's decision.
   */
  readonly reason: 'no_order' | 'too_late' | 'refused' | 'resolved';
  readonly message: string;
}

/** The refund of a sale, as its entry shows it. */
export interface OutboxRefund {
  /** `'waiting'`: not decided yet; it waits for its sale, or for the service. */
  readonly state: 'waiting' | 'refunded' | 'not_refunded' | 'attention';
  readonly reason: string;
  readonly requestedAt: string;
  /** Set when the state is `'not_refunded'`. */
  readonly notRefunded?: NotRefunded | undefined;
  readonly lastError?: string | undefined;
}

/** What needs manual review. */
export interface Attention {
  /**
   * - `'ambiguous'`: orders exist that may be this one's; see `candidates`.
   * - `'key_conflict'`: the key was used with another order.
   * - `'price_unit'`: the service refuses the very price that it quotes: `expected_price` may have another unit there.
   * - `'not_placed_in_time'`: no result within `escalateAfterMs`.
   * - `'invalid_input'`: the stored order or the client's profile was changed, or this version refuses the order.
   * - `'not_visible'`: a refund was sent, perhaps received, and nothing shows it. A retry may refund twice.
   * - `'not_refunded_in_time'`: a refund is not decided within `escalateAfterMs`.
   * - `'handler_failed'`: the result is certain, but its callback failed for good.
   */
  readonly reason:
    | 'ambiguous'
    | 'key_conflict'
    | 'price_unit'
    | 'not_placed_in_time'
    | 'invalid_input'
    | 'not_visible'
    | 'not_refunded_in_time'
    | 'handler_failed';
  readonly candidates: readonly Order[];
  readonly message: string;
}

/**
 * The status of a sale. `'refunding'` and `'refunded'` follow `'placed'`, once `refund` was called; an order that
 * is not refunded in the end is `'placed'` again. `'attention'`: the sale, or its refund, needs manual review.
 */
export type OutboxState =
  'waiting' | 'placing' | 'placed' | 'refused' | 'refunding' | 'refunded' | 'attention';

/** A sale as `get` and `list` show it. */
export interface OutboxEntry {
  readonly key: string;
  readonly state: OutboxState;
  readonly attempts: number;
  readonly addedAt: string;
  /** The order, once it is placed. */
  readonly order?: Order | undefined;
  /** Set when the state is `'refused'`. */
  readonly refusal?: Refusal | undefined;
  /** Set when the state is `'attention'`. */
  readonly attention?: Attention | undefined;
  /** Set once `refund` was called. */
  readonly refund?: OutboxRefund | undefined;
  readonly lastError?: string | undefined;
}

/** Which entries `list` returns. */
export interface OutboxListOptions {
  /** Default: every state, with those first that have not ended. One that ends meanwhile may be listed twice. */
  readonly state?: OutboxState | undefined;
  /** Default: 100. */
  readonly limit?: number | undefined;
  /** Continues after a page: its `nextCursor`. */
  readonly cursor?: string | undefined;
}

/** Entries, oldest first. */
export type OutboxPage = ListPage<OutboxEntry>;

/** The status of an outbox. Its counts are of sales and of refunds. */
export interface OutboxStatus {
  readonly waiting: number;
  readonly placing: number;
  readonly attention: number;
  /** Results whose callback has not ended. */
  readonly unreported: number;
  readonly oldestWaitingMs: number | null;
  /** Why nothing is sent for now: the service refused the credential. */
  readonly paused: string | null;
  /** Why results wait for their callbacks, of which one is tried a minute: none has succeeded for a minute. */
  readonly callbacksPaused: string | null;
  /** What the last run of `recover` could not do. */
  readonly recover: RecoverStatus;
}

/** What the last run of `recover` in this process could not do. */
export interface RecoverStatus {
  /** Why it failed, or gave no row for a minute; `null` once it succeeds. */
  readonly error: string | null;
  /** Rows that are no sale, as an amount in text is none: they are neither ordered nor paid back. */
  readonly refused: number;
  /** Sales that are stored with another order, which is kept. */
  readonly differing: number;
  /** The first ten of both. */
  readonly problems: readonly RecoverProblem[];
}

/** A row of `recover` that was not added. */
export interface RecoverProblem {
  /** The row's key, or its number where it has none: `'row 3'`. */
  readonly row: string;
  readonly kind: 'refused' | 'differs';
  readonly message: string;
}

/** What a callback receives with its result and its sale. */
export interface OutboxContext<Tx> {
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Fires after 60 s, when the outbox stops, or when another process has the result. */
  readonly signal: AbortSignal;
  /**
   * Runs `write` in the transaction that marks the callback done: both happen, or neither. On
   * SQLite, `write` is synchronous.
   *
   * @throws {@link LeaseLostError} when another process has the result; nothing was written.
   * @throws {@link TypeError} if the engine has no transactions.
   */
  readonly commit: (write: (tx: Tx) => unknown) => Promise<void>;
}
