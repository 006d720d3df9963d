/** Intents, their verdicts, and how they are shown. */

import type { Order, OrderInput } from '../../client/model/orders.js';

/** A sale to record: the order, and the key that it is sent with. */
export interface OrderIntent {
  /** The Idempotency-Key of the order: the id of your payment. */
  readonly key: string;
  readonly order: OrderInput;
}

/** Why an intent was refused: no order exists, and none will. Pay the buyer back. */
export interface Refusal {
  /** `'other'`: a code that this version does not know; `'resolved'`: a person's word. */
  readonly reason:
    'price_mismatch' | 'quote_expired' | 'not_listed' | 'invalid' | 'other' | 'resolved';
  readonly message: string;
  /** What makes it certain that no order exists. */
  readonly confirmed: 'first_attempt' | 'looked_up' | 'person';
}

/** What a person must decide. */
export interface Attention {
  /**
   * - `'ambiguous'`: orders exist that may be this one's; see `candidates`.
   * - `'key_conflict'`: the key was used with another order.
   * - `'not_placed_in_time'`: no verdict within `escalateAfterMs`.
   * - `'invalid_input'`: the stored order was changed, or this version of the client refuses it.
   * - `'handler_failed'`: the verdict stands, and its callback failed for good.
   */
  readonly reason:
    'ambiguous' | 'key_conflict' | 'not_placed_in_time' | 'invalid_input' | 'handler_failed';
  readonly candidates: readonly Order[];
  readonly message: string;
}

/** Where an intent stands. */
export type OutboxState = 'waiting' | 'placing' | 'placed' | 'refused' | 'attention';

/** An intent as `get` and `list` show it. */
export interface OutboxEntry {
  readonly key: string;
  readonly state: OutboxState;
  readonly attempts: number;
  readonly addedAt: string;
  /** Set where the state is `'placed'`. */
  readonly order?: Order | undefined;
  /** Set where the state is `'refused'`. */
  readonly refusal?: Refusal | undefined;
  /** Set where the state is `'attention'`. */
  readonly attention?: Attention | undefined;
  readonly lastError?: string | undefined;
}

/** How an outbox stands. */
export interface OutboxStatus {
  readonly waiting: number;
  readonly placing: number;
  readonly attention: number;
  /** Verdicts whose callback has not ended. */
  readonly unreported: number;
  readonly oldestWaitingMs: number | null;
  /** Why nothing is sent for now: the service refused the credential. */
  readonly paused: string | null;
}

/** What a callback gets beside its verdict and its intent. */
export interface OutboxContext<Tx> {
  /** 1 first. */
  readonly attempt: number;
  /** Fires at 60 s, when the outbox stops, or when another process has the verdict. */
  readonly signal: AbortSignal;
  /**
   * Runs `write` in the transaction that marks the callback done: both happen, or neither. On
   * SQLite `write` is synchronous.
   *
   * @throws {@link LeaseLostError} when another process has the verdict; nothing was written.
   * @throws {@link TypeError} where the engine has no transactions.
   */
  readonly commit: (write: (tx: Tx) => unknown) => Promise<void>;
}

/** A verdict that was stored: it never changes by itself. */
export type StoredVerdict =
  | { readonly state: 'placed'; readonly order: Order }
  | { readonly state: 'refused'; readonly refusal: Refusal }
  | { readonly state: 'attention'; readonly attention: Attention };
