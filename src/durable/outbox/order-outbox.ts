/** `createOrderOutbox`: each sale that was paid ends placed, refused or in front of a person. */

import type { JobRecord } from '../engine/job.js';
import { DurableConfigurationError, NotSettledError, OutboxConflictError } from '../errors.js';
import { Service } from '../service.js';
import { resolveOutboxOptions, type OrderOutboxOptions } from './outbox-options.js';
import type {
  Attention,
  OrderIntent,
  OutboxEntry,
  OutboxState,
  OutboxStatus,
  Refusal,
  StoredVerdict,
} from './outbox-types.js';
import { createOrderPlacer, reportJob, type StoredReport } from './place-order.js';
import { callbackTimeoutMs, createVerdictReporter } from './report-verdict.js';
import { finalIntent, type StoredIntent } from './stored-intent.js';

/** What `createOrderOutbox` returns. */
export interface OrderOutbox<AddTx = never> {
  /**
   * Checks the intent and stores it. Durable when resolved, or when `tx` commits. The same intent
   * again adds nothing.
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
   * @throws {@link NotSettledError} after `timeoutMs`, 30,000 unless given.
   */
  settled(
    key: string,
    options?: { readonly timeoutMs?: number; readonly signal?: AbortSignal },
  ): Promise<OutboxEntry>;
  /**
   * A person's word on an intent in `attention`: the order that it is, that there is none, or that
   * it is tried again under the same key.
   *
   * @throws {@link DurableConfigurationError} when the intent is not in `attention`.
   */
  resolve(
    key: string,
    as: { readonly placed: string } | { readonly refused: string } | 'retry',
  ): Promise<void>;
  /** Places orders and runs callbacks until `stop`. */
  start(): Promise<void>;
  /** Sends nothing more, lets attempts end for `graceMs` (default 25,000), gives the rest back. */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
  /** For a cron route: places and reports what is due, until nothing is or the time is over. */
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
const settledPollMs = 100;

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
 * console.log((await outbox.settled('payment-1001')).state);
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
  const limits = { leaseMs, keepDoneMs: tenYearsMs, onDeadLetter: 'block' } as const;
  const intents = new Service(
    options.engine,
    { name: `${queueName}-orders`, maxRunMs: longestAttemptMs, ...limits },
    settings,
  );
  const verdicts = new Service(
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

  const outbox: OrderOutbox<AddTx> = {
    add: async (intent, { tx } = {}) => {
      const queue = await intents.queue();
      const stored = await finalIntent(options.market, intent, time.clock());
      const createdAt = new Date(stored.addedAt).toISOString();
      const job = { id: stored.key, orderingKey: stored.order.domain, createdAt };
      const { added } = await queue.enqueue([{ ...job, body: JSON.stringify(stored) }], { tx });
      if (added.length === 0) await checkSame(stored);
      return { added: added.length > 0 };
    },
    get,
    settled: async (key, { timeoutMs = 30_000, signal } = {}) => {
      const until = time.clock() + timeoutMs;
      const { signal: never } = new AbortController();
      for (;;) {
        const entry = await get(key);
        if (entry !== undefined && !['waiting', 'placing'].includes(entry.state)) return entry;
        signal?.throwIfAborted();
        if (time.clock() >= until) throw new NotSettledError(key, timeoutMs);
        await time.sleep(settledPollMs, signal ?? never);
      }
    },
    resolve,
    start: async () => {
      await recover();
      await verdicts.start(tell, []);
      await intents.start(place, [{ everyMs: recoverEveryMs, run: recover }]);
    },
    stop: async ({ graceMs } = {}) => {
      await Promise.all([intents.stop(graceMs), verdicts.stop(graceMs)]);
    },
    drain: async ({ maxMs }) => {
      const before = { ...counts };
      const until = time.clock() + maxMs;
      await recover();
      await intents.drain(place, maxMs);
      await verdicts.drain(tell, Math.max(1, until - time.clock()));
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

  async function recover(): Promise<void> {
    if (options.recover === undefined) return;
    for await (const intent of options.recover()) await outbox.add(intent);
  }

  async function checkSame({ key, sha256 }: StoredIntent): Promise<void> {
    const known = (await (await intents.queue()).find([key])).get(key);
    const intent = known && readIntent(known);
    if (intent !== undefined && intent.sha256 !== sha256) throw new OutboxConflictError(key);
  }

  async function get(key: string): Promise<OutboxEntry | undefined> {
    const intent = (await (await intents.queue()).find([key])).get(key);
    if (intent === undefined) return undefined;
    return toEntry(intent, (await (await verdicts.queue()).find([key])).get(key));
  }

  async function list({ state, limit = 100 }: { state: OutboxState; limit?: number }) {
    const queue = await intents.queue();
    const jobStates = { waiting: 'waiting', placing: 'running', attention: 'dead' } as const;
    if (state === 'waiting' || state === 'placing') {
      return (await queue.list(jobStates[state], limit)).map((job) => toEntry(job, undefined));
    }
    const verdictQueue = await verdicts.queue();
    const ofIntents = await queue.list(state === 'attention' ? 'dead' : 'done', limit);
    const failed = state === 'attention' ? await verdictQueue.list('dead', limit) : [];
    const keys = new Set([...ofIntents.map(({ id }) => id), ...failed.map(({ id }) => id)]);
    const entries = await Promise.all([...keys].map(get));
    return entries.filter((entry) => entry?.state === state).slice(0, limit) as OutboxEntry[];
  }

  async function status(): Promise<OutboxStatus> {
    const orders = await (await intents.queue()).counts();
    const reports = await (await verdicts.queue()).counts();
    return {
      waiting: orders.waiting,
      placing: orders.running,
      attention: orders.dead + reports.dead,
      unreported: reports.waiting + reports.running,
      oldestWaitingMs: orders.oldestWaitingMs,
      paused: pause.until > time.clock() ? pause.why : null,
    };
  }

  async function resolve(key: string, as: Parameters<OrderOutbox['resolve']>[1]): Promise<void> {
    const entry = await get(key);
    if (entry?.state !== 'attention') {
      const state = entry === undefined ? 'unknown' : entry.state;
      throw new DurableConfigurationError(
        `"${key}" is ${state}: only an intent in attention is resolved.`,
      );
    }
    if (entry.attention?.reason === 'handler_failed') return resolveReport(key, as);
    const queue = await intents.queue();
    if (as === 'retry') {
      await queue.retry(key);
      return;
    }
    const job = (await queue.find([key])).get(key);
    const intent = job && readIntent(job);
    if (intent === undefined) throw new DurableConfigurationError(`"${key}" cannot be read.`);
    const stored = { intent, verdict: await verdictOf(as, intent) };
    await report(key, stored);
    await queue.settle(key, JSON.stringify(stored));
  }

  /** The verdict stands: a person runs its callback again, or says that it is not needed. */
  async function resolveReport(
    key: string,
    as: Parameters<OrderOutbox['resolve']>[1],
  ): Promise<void> {
    const queue = await verdicts.queue();
    if (as === 'retry') await queue.retry(key);
    else await queue.settle(key, JSON.stringify(await reported(key)));
  }

  async function verdictOf(
    as: { readonly placed: string } | { readonly refused: string },
    { order }: StoredIntent,
  ): Promise<StoredVerdict> {
    if ('refused' in as) {
      const refusal = { reason: 'resolved', message: as.refused, confirmed: 'person' } as const;
      return { state: 'refused', refusal };
    }
    const placed = await options.market.orders.get(as.placed);
    if (placed.domain.toLowerCase() !== order.domain) {
      throw new DurableConfigurationError(
        `The order ${as.placed} is for ${placed.domain}, the intent for ${order.domain}.`,
      );
    }
    return { state: 'placed', order: placed };
  }
}

function readReport({ body, output }: JobRecord): StoredReport | undefined {
  const text = output ?? body;
  return text === undefined ? undefined : (JSON.parse(text) as StoredReport);
}

/** An intent is its job's body until it is done, then a part of its output. */
function readIntent(job: JobRecord): StoredIntent | undefined {
  if (job.output !== undefined) return readReport(job)?.intent;
  return job.body === undefined ? undefined : (JSON.parse(job.body) as StoredIntent);
}

const entryStates = { waiting: 'waiting', running: 'placing', dead: 'attention' } as const;

function toEntry(intent: JobRecord, verdictJob: JobRecord | undefined): OutboxEntry {
  const { id: key, attempt: attempts, createdAt: addedAt } = intent;
  const base = { key, attempts, addedAt };
  const stored = verdictJob ?? (intent.state === 'done' ? intent : undefined);
  const verdict = stored && readReport(stored)?.verdict;
  if (verdictJob?.state === 'dead') {
    const message = verdictJob.error ?? '';
    const attention: Attention = { reason: 'handler_failed', candidates: [], message };
    return { ...base, state: 'attention', ...verdictFields(verdict), attention };
  }
  if (verdict !== undefined) return { ...base, state: verdict.state, ...verdictFields(verdict) };
  const state = intent.state === 'done' ? 'placing' : entryStates[intent.state];
  if (state !== 'attention') return { ...base, state, lastError: intent.error };
  return { ...base, state, attention: JSON.parse(intent.error ?? '{}') as Attention };
}

function verdictFields(verdict: StoredVerdict | undefined): {
  order?: Extract<StoredVerdict, { state: 'placed' }>['order'];
  refusal?: Refusal;
} {
  if (verdict?.state === 'placed') return { order: verdict.order };
  return verdict?.state === 'refused' ? { refusal: verdict.refusal } : {};
}
