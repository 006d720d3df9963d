/** `OrderOutbox`: the public methods of an outbox. */

import type { BooksToReconcile, ReconcileOptions } from '../../client/books/reconcile-options.js';
import type { Reconciliation } from '../../client/books/reconcile.js';
import type { CancelResult } from './cancel-intent.js';
import type { AddOptions } from './outbox-store.js';
import type {
  PaidSale,
  OutboxEntry,
  OutboxListOptions,
  OutboxPage,
  OutboxStatus,
  RefundRequest,
} from './outbox-types.js';
import type { Resolution } from './resolve-intent.js';

/** How long `waitFor` waits. */
export interface WaitForOptions {
  /** In milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What one drain did. */
export interface OutboxDrainReport {
  readonly placed: number;
  readonly refused: number;
  readonly refunded: number;
  readonly notRefunded: number;
  readonly attention: number;
  /** Sales and refunds without a result, and results without their callback. */
  readonly left: number;
}

/** What `createOrderOutbox` returns. */
export interface OrderOutbox<Tx = never, AddTx = Tx> {
  /**
   * Checks the sale of a new payment and stores it. Durable when resolved, or when `tx` commits.
   * The same sale again adds nothing. Leave an old payment to `recover`.
   *
   * @throws {@link InvalidRequestError} when the order breaks a rule; nothing was stored.
   * @throws {@link OutboxConflictError} when the key is known with another order.
   */
  add(sale: PaidSale, options?: AddOptions<Tx, AddTx>): Promise<{ readonly added: boolean }>;
  /**
   * `add` in this turn, for a transaction that takes a synchronous function: `db.transaction(fn)` of
   * better-sqlite3. `tx` is the database of `sqliteEngine`, in an open transaction.
   *
   * @throws {@link TypeError} when `tx` has no open transaction, or the engine is not SQLite.
   * @throws {@link OutboxConflictError} when the key is known: only `add` compares the orders.
   * @throws {@link DurableStateError} before `credentials` returned its first credential, unless the
   * option `environment` is set: the name of the queue is unknown.
   */
  addSync(sale: PaidSale, options: { readonly tx: AddTx }): void;
  /**
   * Asks the service to reverse the order of a sale. Durable when resolved, or when `tx` commits. The request is sent once,
   * after the sale is decided, and retried only if it is certain that it did nothing. It ends with `onRefunded`,
   * `onNotRefunded` or manual review. A sale is refunded once, so a second call adds nothing.
   *
   * @throws {@link DurableStateError} when no sale has the key.
   * @throws {@link DurableConfigurationError} when the outbox has no `onRefunded` or no `onNotRefunded`.
   * @see specification, part 4.4: POST /refunds, before TRANSFER_COMPLETED
   *
   * @example
   * ```ts
   * import type { OrderOutbox } from 'market-partner-sdk/durable';
   *
   * async function withdraw(outbox: OrderOutbox, payment: string) {
   *   await outbox.refund(payment, { reason: 'the buyer withdrew' });
   *   const { state, refund } = await outbox.waitFor(payment);
   *   console.log(state === 'refunded' ? 'pay the buyer back' : refund?.notRefunded?.message);
   * }
   * console.log(typeof withdraw);
   * ```
   */
  refund(
    key: string,
    request: RefundRequest,
    options?: AddOptions<Tx, AddTx>,
  ): Promise<{ readonly added: boolean }>;
  get(key: string): Promise<OutboxEntry | undefined>;
  /**
   * Waits until the sale, and its refund if there is one, is decided or in attention: for a page that shows it.
   *
   * @throws {@link ResultTimeoutError} after `timeoutMs`. The outbox is still working on the sale; the
   * message says so if there is none with this key.
   */
  waitFor(key: string, options?: WaitForOptions): Promise<OutboxEntry>;
  /**
   * Ends a sale whose payment is gone, such as by a chargeback. Wins as long as nothing can have been
   * sent: `onRefused` then runs with the reason `'cancelled'`. Otherwise nothing more is sent, not even
   * when `resolve` retries the sale, and `message` says what follows.
   *
   * @throws {@link DurableStateError} when no sale has the key.
   */
  cancel(key: string, reason: string): Promise<CancelResult>;
  /**
   * Your team's decision on a sale in `attention`: the order that belongs to it, that there is
   * none, or that it is tried again under the same key; or on its refund.
   *
   * @throws {@link DurableStateError} when the sale is not in `attention`, was resolved
   * concurrently, or has a result that was already reported and is another.
   */
  resolve(key: string, as: Resolution): Promise<void>;
  /**
   * Whether the sale behind this order is still undecided or unreported: it has no result, or `onPlaced` has not
   * ended. Until then your records may not know the order. An inbox with the option `outbox` asks this
   * before each listener.
   */
  hasUnreportedSale(order: {
    readonly public_id: string;
    readonly domain?: string | undefined;
  }): Promise<boolean>;
  /** Places orders and runs callbacks until `stop`. Resolves when the engine is open. */
  start(): Promise<void>;
  /**
   * Sends nothing more, gives attempts `graceMs` to end (default 25,000), and releases the rest. A later
   * call, such as `add`, opens the engine again, until the next `stop`.
   */
  stop(options?: { readonly graceMs?: number | undefined }): Promise<void>;
  /**
   * For a cron route: places and reports what is due, until nothing is due or `maxMs` has passed. The last
   * quarter is for callbacks only; in the last eighth none is started. Give it 10 seconds or more.
   *
   * @throws {@link DurableStateError} when `stop` ends it: what it has placed stays placed.
   */
  drain(options: { readonly maxMs: number }): Promise<OutboxDrainReport>;
  status(): Promise<OutboxStatus>;
  list(options?: OutboxListOptions): Promise<OutboxPage>;
  /**
   * `orders.reconcile` with this outbox as the books: its sales, what became of them, its refunds, and those
   * whose `order.refunded` an inbox on the same engine has handled and still remembers (`keepDoneMs`). Any other
   * refund, and a hold, is `behind`. It writes nothing; memory as for `orders.reconcile`.
   *
   * @throws {@link InvalidRequestError} at once, when an option or the window breaks a rule.
   */
  reconcile(books: Omit<BooksToReconcile, 'sales'>, options?: ReconcileOptions): Reconciliation;
  [Symbol.asyncDispose](): Promise<void>;
}
