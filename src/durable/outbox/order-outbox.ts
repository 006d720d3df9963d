/** `createOrderOutbox`: every paid sale ends as placed, as refused, or in manual review. */

import { bindMembers } from '../../core/bind-members.js';
import type { BooksToReconcile, ReconcileOptions } from '../../client/books/reconcile-options.js';
import type { Reconciliation } from '../../client/books/reconcile.js';
import { withAnySignal } from '../../core/time/signals.js';
import type { Time } from '../../core/time/sleep.js';
import { startTimeout, withTimeout } from '../../core/time/timeout.js';
import { readTraceContext } from '../diagnostics.js';
import { Circuit } from '../circuit.js';
import { DurableStateError, ResultTimeoutError } from '../errors.js';
import { reconcileOutbox } from './books.js';
import { checkDurableOptions, drainSchema, stopSchema } from '../options.js';
import { createCanceller, type CancelResult } from './cancel-intent.js';
import {
  addSyncSchema,
  checkAdd,
  checkRefund,
  listSchema,
  orderSchema,
  waitForSchema,
} from './check-calls.js';
import { listEntries } from './list-entries.js';
import type { OrderOutbox, OutboxDrainReport, WaitForOptions } from './outbox-api.js';
import { resolveOutboxOptions, type OrderOutboxOptions } from './outbox-options.js';
import { OutboxStore, type AddOptions, type OutboxHealth } from './outbox-store.js';
import type {
  PaidSale,
  OutboxEntry,
  OutboxListOptions,
  OutboxPage,
  OutboxStatus,
  RefundRequest,
} from './outbox-types.js';
import { pauseLeftMs, type OutboxActivity } from './attempt.js';
import { Recovery } from './recover-intents.js';
import { callbackTimeoutMs, createReporter } from './report-verdict.js';
import { createResolver, type Resolution } from './resolve-intent.js';
import { createRunner } from './run-intent.js';
import { toStoredIntent, type StoredIntent } from './stored-intent.js';

const recoverEveryMs = 60_000;
const verdictPollMs = 100;

/**
 * Creates an outbox for paid sales. A sale is stored first, then sent with its key
 * until the service's decision is certain; a refusal is believed only if no order can exist.
 *
 * @throws {@link DurableConfigurationError} when an option is wrong; the message names it.
 * @see specification, part 4.2: POST /orders
 *
 * @example
 * ```ts
 * import { MarketClient } from 'market-partner-sdk';
 * import { createOrderOutbox, sqliteEngine } from 'market-partner-sdk/durable';
 *
 * const outbox = createOrderOutbox({
 *   market: new MarketClient(),
 *   engine: sqliteEngine('market.db'),
 *   onPlaced: (order, { key }) => console.log(key, 'is', order.status),
 *   onRefused: ({ reason }, { key }) => console.log('pay back', key, reason),
 *   onAttention: ({ message }, { key }) => console.log('look at', key, message),
 * });
 * await outbox.start();
 * await outbox.add({
 *   key: 'payment-1001',
 *   order: { domain: 'brew.example', expected_price: 250_000, currency: 'USD' },
 * });
 * console.log((await outbox.waitFor('payment-1001')).state);
 * await outbox.stop();
 * ```
 */
export function createOrderOutbox<Tx = never, AddTx = Tx>(
  options: OrderOutboxOptions<Tx, AddTx>,
): OrderOutbox<Tx, AddTx> {
  return new Outbox(options);
}

class Outbox<Tx, AddTx> implements OrderOutbox<Tx, AddTx> {
  readonly cancel: (key: string, reason: string) => Promise<CancelResult>;
  readonly resolve: (key: string, as: Resolution) => Promise<void>;

  readonly #settings;
  readonly #store: OutboxStore<Tx, AddTx>;
  readonly #activity: OutboxActivity = {
    pause: undefined,
    counts: { placed: 0, refused: 0, refunded: 0, not_refunded: 0, attention: 0 },
  };
  readonly #circuit: Circuit;
  readonly #place;
  readonly #report;
  readonly #recovery: Recovery<Tx, AddTx>;

  constructor(options: OrderOutboxOptions<Tx, AddTx>) {
    const settings = resolveOutboxOptions(options);
    const circuit = new Circuit(settings.time, 'callback');
    const store = new OutboxStore(settings, circuit);
    this.#settings = settings;
    this.#store = store;
    this.#place = createRunner(settings, store, this.#activity);
    this.#report = createReporter(settings, circuit);
    this.#circuit = circuit;
    this.#recovery = new Recovery(settings, store);
    this.cancel = createCanceller(settings, store);
    this.resolve = createResolver(settings, store);
    bindMembers(this);
  }

  async add(intent: PaidSale, options: AddOptions<Tx, AddTx> = {}) {
    const checked = checkAdd(options);
    // Before the first await: the caller's span is certainly active here.
    return { added: await this.#store.add({ intent: this.#newIntent(intent) }, checked) };
  }

  addSync(intent: PaidSale, options: { readonly tx: AddTx }): void {
    const { tx } = checkDurableOptions(addSyncSchema, options);
    this.#store.addSync(this.#newIntent(intent), tx as AddTx);
  }

  async refund(key: string, request: RefundRequest, options: AddOptions<Tx, AddTx> = {}) {
    const { time, tracing } = this.#settings;
    const { reason } = checkRefund(request, this.#settings);
    const checked = checkAdd(options);
    const trace = readTraceContext(tracing);
    const intent = await this.#store.findIntent(key);
    if (intent === undefined) throw new DurableStateError(`No sale has the key "${key}".`);
    const refund = { refundOf: intent.key, reason, addedAt: time.clock(), trace };
    return { added: await this.#store.add({ intent, refund }, checked) };
  }

  get(key: string): Promise<OutboxEntry | undefined> {
    return this.#store.get(key);
  }

  async waitFor(key: string, options: WaitForOptions = {}): Promise<OutboxEntry> {
    const checked = checkDurableOptions(waitForSchema, options);
    const { timeoutMs, signal = new AbortController().signal } = checked;
    const { time } = this.#settings;
    return withTimeout(time, timeoutMs, async (timeout) => {
      for (;;) {
        // Before the read: one that began before the end may miss a result.
        const isLast = timeout.aborted;
        const entry = await this.get(key);
        const isOpen = ['waiting', 'placing', 'refunding'].includes(entry?.state ?? 'waiting');
        if (entry !== undefined && !isOpen) return entry;
        signal.throwIfAborted();
        if (isLast) throw new ResultTimeoutError(key, timeoutMs, entry !== undefined);
        await withAnySignal(signal, timeout, (either) => time.sleep(verdictPollMs, either));
      }
    });
  }

  async start(): Promise<void> {
    // Take both signals before the first await, so that a concurrent `stop()` cancels this `start()`.
    const { placing, reporting } = this.#resumeAll();
    const { intents, verdicts } = this.#store;
    try {
      await this.#settings.queues.check();
      await verdicts.start(this.#report, [], reporting);
      const recover = { everyMs: recoverEveryMs, run: () => this.#recover() };
      await intents.start(this.#place, [recover], placing);
    } catch (error) {
      if (!placing.aborted) {
        await this.stop();
        // Reopen the queues: `add` must keep working after a failed `start()`.
        this.#resumeAll();
      }
      throw error;
    }
    // In the background: a thousand unplaced payments must not delay those that are stored.
    void this.#recover().catch(() => undefined);
  }

  async stop(options: { readonly graceMs?: number | undefined } = {}): Promise<void> {
    const { graceMs } = checkDurableOptions(stopSchema, options);
    const { intents, verdicts } = this.#store;
    // An order that ends within the grace stores its result.
    const placed = intents.stop(graceMs);
    await Promise.all([placed, verdicts.stop(graceMs, placed)]);
  }

  async drain(options: { readonly maxMs: number }): Promise<OutboxDrainReport> {
    const { maxMs } = checkDurableOptions(drainSchema, options);
    const { placing, reporting } = this.#resumeAll();
    const { intents, verdicts } = this.#store;
    const before = { ...this.#activity.counts };
    const plan = planDrain(this.#settings.time, maxMs, callbackTimeoutMs);
    const { ordersEnd, lastCallbackStart, end } = plan;
    const placeOrders = async () => {
      if (!ordersEnd.aborted && !placing.aborted) await intents.drain(this.#place, ordersEnd);
    };
    const runCallbacks = async () => {
      if (lastCallbackStart.aborted || reporting.aborted) return;
      await verdicts.drain(this.#report, end, lastCallbackStart);
    };
    try {
      // Three at once: neither a `recover` nor an order that hangs may use up the time of the others.
      const recovered = this.#recover(ordersEnd);
      await Promise.all([recovered, placeOrders(), runCallbacks()]);
      // Once more, for the sales that were recovered and for the results of these orders.
      await placeOrders();
      await runCallbacks();
    } finally {
      await plan.clear();
    }
    // Counting would open the queues again.
    placing.throwIfAborted();
    const { counts } = this.#activity;
    const { sales } = await this.#store.counts();
    return {
      placed: counts.placed - before.placed,
      refused: counts.refused - before.refused,
      refunded: counts.refunded - before.refunded,
      notRefunded: counts.not_refunded - before.not_refunded,
      attention: counts.attention - before.attention,
      left: sales.waiting + sales.placing + sales.unreported,
    };
  }

  async status(): Promise<OutboxStatus> {
    const { sales } = await this.#store.counts();
    const isPaused = pauseLeftMs(this.#activity) > 0;
    return {
      ...sales,
      paused: isPaused ? (this.#activity.pause?.reason ?? null) : null,
      ...this.#health,
    };
  }

  async list(options: OutboxListOptions = {}): Promise<OutboxPage> {
    return listEntries(this.#store, checkDurableOptions(listSchema, options));
  }

  reconcile(books: Omit<BooksToReconcile, 'sales'>, options?: ReconcileOptions): Reconciliation {
    return reconcileOutbox(this.#store, this.#settings.market.orders, books, options);
  }

  async hasUnreportedSale(given: { readonly public_id: string; readonly domain?: string }) {
    const order = checkDurableOptions(orderSchema, given, 'order');
    const { intents } = this.#store;
    await intents.openQueue();
    await intents.run((stopped) => this.#recovery.runFirst(stopped));
    return this.#store.hasUnreportedSale(order);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #newIntent(intent: PaidSale): StoredIntent {
    const { market, time, tracing } = this.#settings;
    const trace = readTraceContext(tracing);
    const stored = toStoredIntent(market.orders, intent, time.clock());
    return { ...stored, isNew: true, trace };
  }

  #resumeAll() {
    const { intents, verdicts } = this.#store;
    return { placing: intents.resume(), reporting: verdicts.resume() };
  }

  get #health(): OutboxHealth {
    return { callbacksPaused: this.#circuit.reason, recover: this.#recovery.status };
  }

  /** Ends early with the session. What it found is stored for `durable status`, which runs in another process. */
  #recover(end?: AbortSignal): Promise<void> {
    return this.#store.intents.run(async (stopped) => {
      await withAnySignal(stopped, end ?? stopped, (signal) => this.#recovery.run(signal));
      await this.#store.saveHealth(this.#health);
    });
  }
}

/**
 * Signals that fire at the moments of a drain. By timers: a clock that is set meanwhile moves none of them.
 * The last quarter is for callbacks only, unless that is longer than one callback may run.
 */
function planDrain(time: Time, maxMs: number, callbackTimeoutMs: number) {
  const callbacksMs = Math.min(maxMs / 4, callbackTimeoutMs);
  const orders = startTimeout(time, maxMs - callbacksMs);
  const lastCallback = startTimeout(time, maxMs - callbacksMs / 2);
  const end = startTimeout(time, maxMs);
  return {
    /** Orders that are still running are released. The time after it is for their callbacks. */
    ordersEnd: orders.signal,
    /** A callback that is cut off loses an attempt, so none is started after this. */
    lastCallbackStart: lastCallback.signal,
    end: end.signal,
    clear: () => Promise.all([orders, lastCallback, end].map((timeout) => timeout.clear())),
  };
}
