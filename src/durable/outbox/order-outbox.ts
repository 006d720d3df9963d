/** `createOrderOutbox`: each sale that was paid ends placed, refused or in front of a person. */

import { readCarrier } from '../diagnostics.js';
import { VerdictTimeoutError, OutboxConflictError } from '../errors.js';
import { QueueRunner } from '../queue/queue-runner.js';
import { resolveOutboxOptions, type OrderOutboxOptions } from './outbox-options.js';
import { readIntent, readReport, toEntry } from './outbox-entry.js';
import type { OrderIntent, OutboxEntry, OutboxState, OutboxStatus } from './outbox-types.js';
import { createOrderPlacer, reportJob, type StoredReport } from './place-order.js';
import { createRecovery } from './recover-intents.js';
import { callbackTimeoutMs, createVerdictReporter } from './report-verdict.js';
import { createResolver } from './resolve-intent.js';
import { finalIntent, toJob, type StoredIntent } from './stored-intent.js';

/** What `createOrderOutbox` returns. */
export interface OrderOutbox<AddTx = never> {
  /**
   * Checks the intent of a new payment and stores it. Durable when resolved, or when `tx` commits.
   * The same intent again adds nothing. An old payment is for `recover`.
   *
   * @throws {@link InvalidRequestError} when the order breaks a rule; nothing was stored.
   * @throws {@link OutboxConflictError} when the key is known with another order.
   */
  add(
    intent: OrderIntent,
    options?: { readonly tx?: AddTx | undefined },
  ): Promise<{ readonly added: boolean }>;
  get(key: string): Promise<OutboxEntry | undefined>;
  /**
   * Waits until the intent is placed, refused or in front of a person: for a page that shows it.
   *
   * @throws {@link VerdictTimeoutError} after `timeoutMs`, 30,000 unless given.
   */
  waitFor(
    key: string,
    options?: { readonly timeoutMs?: number; readonly signal?: AbortSignal },
  ): Promise<OutboxEntry>;
  /**
   * A person's word on an intent in `attention`: the order that it is, that there is none, or that
   * it is tried again under the same key.
   *
   * @throws {@link DurableConfigurationError} when the intent is not in `attention`, also where
   * another call was first, or when its verdict was told and is another.
   */
  resolve(
    key: string,
    as: { readonly placed: string } | { readonly refused: string } | 'retry',
  ): Promise<void>;
  /** Places orders and runs callbacks until `stop`. */
  start(): Promise<void>;
  /**
   * Sends nothing more, lets attempts end for `graceMs` (default 25,000), gives the rest back. A later
   * call, such as `add`, opens the engine again, until the next `stop`.
   */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
  /**
   * For a cron route: places and reports what is due, until nothing is or the time is over. The last
   * quarter is for callbacks alone; in the last eighth none is started. Give it 10 seconds or more.
   */
  drain(options: { readonly maxMs: number }): Promise<OutboxDrainReport>;
  status(): Promise<OutboxStatus>;
  list(options: { readonly state: OutboxState; readonly limit?: number }): Promise<OutboxEntry[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What one drain did. */
export interface OutboxDrainReport {
  readonly placed: number;
  readonly refused: number;
  readonly attention: number;
  /** Intents without a verdict, and verdicts without their callback. */
  readonly left: number;
}

/** An attempt of the client takes 2 minutes at most; look-ups come before and after. */
const longestAttemptMs = 600_000;
/** A key that was forgotten here could sell a second domain. */
const tenYearsMs = 3_650 * 86_400_000;
const recoverEveryMs = 60_000;
const verdictPollMs = 100;

/**
 * Creates a recorder of sales that were paid. An intent is stored first, then sent with its key
 * until the service's word on it is certain; a refusal is believed only where no order can exist.
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
): OrderOutbox<AddTx> {
  const settings = resolveOutboxOptions(options);
  const { time, queueName, leaseMs } = settings;
  const counts = { placed: 0, refused: 0, attention: 0 };
  const pause: { until: number; why: string | null } = { until: 0, why: null };
  const limits = { leaseMs, keepDoneMs: tenYearsMs } as const;
  const intents = new QueueRunner(
    options.engine,
    { name: `${queueName}-orders`, maxRunMs: longestAttemptMs, ...limits },
    settings,
  );
  const verdicts = new QueueRunner(
    options.engine,
    { name: `${queueName}-verdicts`, maxRunMs: callbackTimeoutMs + 10_000, ...limits },
    settings,
  );
  const report = async (id: string, stored: StoredReport) => {
    await (await verdicts.queue()).enqueue([reportJob(id, stored, time.clock())]);
  };
  const reported = async (key: string): Promise<StoredReport | undefined> => {
    const found = (await (await verdicts.queue()).find([key])).get(key);
    return found && readReport(found);
  };
  const place = createOrderPlacer(settings, { report, reported, pause, counts });
  const tell = createVerdictReporter(settings);
  const recover = createRecovery(settings, () => intents.queue(), checkSame);
  const resolve = createResolver(settings, {
    intents: () => intents.openQueue(),
    verdicts: () => verdicts.openQueue(),
    ...{ get, report, reported },
  });

  const outbox: OrderOutbox<AddTx> = {
    add: async (intent, { tx } = {}) => {
      // Before the first await: the caller's span is active here for certain.
      const trace = readCarrier(options.tracing);
      const final = await finalIntent(options.market, intent, time.clock());
      const stored = { ...final, isNew: true, trace } as const;
      const { added } = await (await intents.openQueue()).enqueue([toJob(stored)], { tx });
      if (added.length === 0) await checkSame(stored);
      return { added: added.length > 0 };
    },
    get,
    waitFor: async (key, { timeoutMs = 30_000, signal } = {}) => {
      const until = time.clock() + timeoutMs;
      const { signal: never } = new AbortController();
      for (;;) {
        const entry = await get(key);
        if (entry !== undefined && !['waiting', 'placing'].includes(entry.state)) return entry;
        signal?.throwIfAborted();
        if (time.clock() >= until) throw new VerdictTimeoutError(key, timeoutMs);
        await time.sleep(verdictPollMs, signal ?? never);
      }
    },
    resolve,
    start: async () => {
      // Both at once, before any wait: a stop() that comes meanwhile ends this start().
      const { placing, reporting } = resumeAll();
      try {
        await verdicts.start(tell, [], reporting);
        await intents.start(place, [{ everyMs: recoverEveryMs, run: recover }], placing);
        // Beside the work: a thousand unplaced payments must not delay those that are stored.
        await intents.run(recover);
      } catch (error) {
        if (!placing.aborted) {
          await outbox.stop();
          // Sales are still paid: "add" works as on an outbox that was never started.
          resumeAll();
        }
        throw error;
      }
    },
    stop: async ({ graceMs } = {}) => {
      // An order that ends within the grace stores its verdict.
      const placed = intents.stop(graceMs);
      await Promise.all([placed, verdicts.stop(graceMs, placed)]);
    },
    drain: async ({ maxMs }) => {
      const { reporting } = resumeAll();
      const before = { ...counts };
      const until = time.clock() + maxMs;
      await recover();
      const callbacksMs = Math.min(maxMs / 4, callbackTimeoutMs);
      const ordersMs = until - time.clock() - callbacksMs;
      if (ordersMs <= 0) settings.logger.warn('"recover" left no time to place orders.', { maxMs });
      const runCallbacks = async () => {
        const leftMs = until - time.clock();
        // To be cut off costs a callback one of its attempts.
        const startMs = leftMs - callbacksMs / 2;
        if (startMs > 0 && !reporting.aborted) await verdicts.drain(tell, leftMs, startMs);
      };
      // Beside the orders, as one that hangs would leave no time; then what they made due.
      await Promise.all([ordersMs > 0 && intents.drain(place, ordersMs), runCallbacks()]);
      await runCallbacks();
      const { waiting, placing, unreported } = await status();
      return {
        placed: counts.placed - before.placed,
        refused: counts.refused - before.refused,
        attention: counts.attention - before.attention,
        left: waiting + placing + unreported,
      };
    },
    status,
    list,
    [Symbol.asyncDispose]: () => outbox.stop(),
  };
  return Object.freeze(outbox);

  function resumeAll() {
    return { placing: intents.resume(), reporting: verdicts.resume() };
  }

  async function checkSame({ key, sha256 }: StoredIntent): Promise<void> {
    const known = (await (await intents.openQueue()).find([key])).get(key);
    const intent = known && readIntent(known);
    if (intent !== undefined && intent.sha256 !== sha256) throw new OutboxConflictError(key);
  }

  async function get(key: string): Promise<OutboxEntry | undefined> {
    const intent = (await (await intents.openQueue()).find([key])).get(key);
    if (intent === undefined) return undefined;
    return toEntry(intent, (await (await verdicts.openQueue()).find([key])).get(key));
  }

  async function list({ state, limit = 100 }: { state: OutboxState; limit?: number }) {
    const queue = await intents.openQueue();
    const jobStates = { waiting: 'waiting', placing: 'running', attention: 'dead' } as const;
    if (state === 'waiting' || state === 'placing') {
      const { items } = await queue.list(jobStates[state], { limit });
      return items.map((job) => toEntry(job, undefined));
    }
    const verdictQueue = await verdicts.openQueue();
    const dead = state === 'attention';
    const { items: ofIntents } = await queue.list(dead ? 'dead' : 'done', { limit });
    const failed = dead ? (await verdictQueue.list('dead', { limit })).items : [];
    const keys = new Set([...ofIntents.map(({ id }) => id), ...failed.map(({ id }) => id)]);
    const entries = await Promise.all([...keys].map(get));
    return entries.filter((entry) => entry?.state === state).slice(0, limit) as OutboxEntry[];
  }

  async function status(): Promise<OutboxStatus> {
    const orders = await (await intents.openQueue()).counts();
    const reports = await (await verdicts.openQueue()).counts();
    return {
      waiting: orders.waiting,
      placing: orders.running,
      attention: orders.dead + reports.dead,
      unreported: reports.waiting + reports.running,
      oldestWaitingMs: orders.oldestWaitingMs,
      paused: pause.until > time.clock() ? pause.why : null,
    };
  }
}
