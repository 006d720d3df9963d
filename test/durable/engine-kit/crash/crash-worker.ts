/** `runCrashWorker`: the program that a crash test runs, kills and runs again. */

import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MarketClient } from 'market-partner-sdk';
import { DurableConfigurationError } from 'market-partner-sdk/durable';
import { createEventInbox } from 'market-partner-sdk/durable';
import type { EventContext } from 'market-partner-sdk/durable';
import { createOrderOutbox } from 'market-partner-sdk/durable';
import type { PaidSale, OrderOutboxOptions, OutboxContext } from 'market-partner-sdk/durable';
import { plantCrashFault, type CrashFault } from './crash-faults.js';
import type { EngineModule } from './engine-module.js';
import { inboxPlaces, leaseMs } from './troubles.js';
import type { QueueEngine } from '../../../../src/durable/queue/engine.js';

/** The content of the JSON file that the variable MARKET_CRASH_WORKER names. */
export interface CrashWorkerConfig {
  readonly target: 'inbox' | 'outbox';
  readonly engineModule: string;
  /** Where the engine keeps its data: the module's function gets it. */
  readonly store: string;
  readonly ledger: string;
  readonly client: { readonly baseUrl: string; readonly keyId: string; readonly secret: string };
  readonly webhookSecret: string;
  readonly intents: readonly PaidSale[];
  /** The keys of those that are refunded. */
  readonly refunds: readonly string[];
  readonly plantedFault: CrashFault | undefined;
  /** Whether the outbox gets its intents from `recover`; else they are added. */
  readonly recovers: boolean;
  /** Whether another outbox of the process adds the intents: the one that places them has seen none added. */
  readonly addsElsewhere: boolean;
  /** How the clocks go: right, wrong for the whole machine at first, or wrong in each process at first. */
  readonly clocks: 'right' | 'one' | 'many';
  /** Whether listeners take so long that a process is mostly stopped within one. */
  readonly isSlow: boolean;
  /** Whether to note that the event loop runs, ten times a second. */
  readonly beats: boolean;
  /** How far back polls read again, in milliseconds; the default where nothing is said. */
  readonly overlapMs: number | undefined;
}

/** The content of the variable MARKET_CRASH_CLOCK. */
export interface WrongClock {
  readonly byMs: number;
  /** When it is set right, by the right clock. */
  readonly untilMs: number;
}

const failureRate = 0.05;

/** The program of a worker process, started by `crashTest`. Runs until the process is killed. */
export async function runCrashWorker(module: EngineModule): Promise<void> {
  const config = JSON.parse(
    readFileSync(process.env.MARKET_CRASH_WORKER ?? '', 'utf8'),
  ) as CrashWorkerConfig;
  if (typeof (module.default as unknown) !== 'function') {
    throw new DurableConfigurationError('The engine module must export a function as default.');
  }
  const { plantedFault: fault } = config;
  const clock = wrongClock(JSON.parse(process.env.MARKET_CRASH_CLOCK ?? '') as WrongClock);
  const sound = await startWithRetry(async () => module.default(config.store, { clock, fault }));
  const engine = plantCrashFault(sound, fault, config.ledger);
  const market = new MarketClient({ ...config.client, timeoutMs: 2_000, maxRetries: 0 });
  const note = (line: string) => appendFileSync(config.ledger, `${process.pid} ${line}\n`);
  if (config.beats) setInterval(() => note('beat'), 100);
  noteStalls(note);
  const worker = { config, module, engine, market, clock, note };
  await (config.target === 'inbox' ? runInbox(worker) : runOutbox(worker));
}

/** A machine with too much to do stops a process as a freeze does, and its leases end as well. */
function noteStalls(note: (line: string) => void): void {
  let at = performance.now();
  setInterval(() => {
    const before = at;
    at = performance.now();
    if (at - before > leaseMs / 2) note('late');
  }, 50);
}

interface CrashWorker {
  readonly config: CrashWorkerConfig;
  readonly module: EngineModule;
  readonly engine: QueueEngine<unknown>;
  readonly market: MarketClient;
  readonly clock: () => number;
  readonly note: (line: string) => void;
}

function wrongClock({ byMs, untilMs }: WrongClock): () => number {
  return () => (Date.now() < untilMs ? Date.now() + byMs : Date.now());
}

async function runInbox(worker: CrashWorker): Promise<void> {
  const { config, engine, market, clock, note } = worker;
  const handle = async (
    event: { id: string; data: { order: { public_id: string } } },
    { id, commit, signal }: EventContext<unknown>,
  ) => {
    // A lock or a freeze may hold up its renewals: it is told, and nothing of it counts from then on.
    signal.addEventListener('abort', () => note(`lost ${id}`), { once: true });
    note(`start ${id} ${event.data.order.public_id}`);
    await new Promise((resolve) =>
      setTimeout(resolve, (1 + Math.random() * 8) * (config.isSlow ? 15 : 1)),
    );
    if (Math.random() < failureRate) {
      note(`fail ${id}`);
      throw new Error('planted failure');
    }
    await finish(worker, commit, id, () => note(`end ${id}`));
    ended.push(id);
  };
  const ended: string[] = [];
  const inbox = createEventInbox({
    market,
    engine,
    secret: config.webhookSecret,
    startFrom: 'beginning',
    leaseMs,
    concurrency: inboxPlaces,
    clock,
    poll: { everyMs: 500, ...overlapOf(config) },
    retry: { maxAttempts: 1_000, baseMs: 20, maxMs: 100 },
    on: {
      'order.recorded': handle,
      'order.transfer_started': handle,
      'order.transfer_completed': handle,
      'order.refunded': handle,
    },
  });
  const handler = inbox.node;
  const server = createServer((request, response) => void handler(request, response)).listen(
    0,
    '127.0.0.1',
    () => {
      console.log(`port ${(server.address() as AddressInfo).port}`);
    },
  );
  await logCompletedEvents(engine, ended, note);
  await startWithRetry(() => inbox.start());
  note('ready');
  console.log('ready');
}

/** Notes each event whose done is stored: a later start of it is a defect, whatever happens. */
async function logCompletedEvents(
  engine: QueueEngine<unknown>,
  ended: string[],
  note: (line: string) => void,
): Promise<void> {
  const limits = { leaseMs, keepDoneMs: 30 * 86_400_000 };
  const name = 'market-default-sandbox-events';
  const spec = { name, ...limits };
  const queue = await startWithRetry(() => engine.open(spec));
  const look = async () => {
    const ids = ended.splice(0);
    const found = await queue.find(ids).catch(() => new Map<string, { state: string }>());
    for (const id of ids) {
      if (found.get(id)?.state === 'done') note(`done ${id}`);
      else ended.push(id);
    }
    setTimeout(() => void look(), 10);
  };
  void look();
}

function overlapOf({ overlapMs }: CrashWorkerConfig) {
  return overlapMs === undefined ? {} : { overlapMs, overlapEvents: 0 };
}

async function runOutbox(worker: CrashWorker): Promise<void> {
  const { config, engine, market, clock, note } = worker;
  const tell = async (
    verdict: string,
    key: string,
    { commit }: OutboxContext<unknown>,
    effect = key,
  ) => {
    if (Math.random() < failureRate) throw new Error('planted failure');
    await finish(worker, commit, effect, () => note(`${verdict} ${key}`));
  };
  const options: OrderOutboxOptions<unknown, unknown> = {
    // Each intent of `recover` waits between its two look-ups.
    market,
    engine,
    leaseMs,
    clock,
    concurrency: 16,
    random: () => 0.05,
    // Waits of minutes would make the test one of hours; what is stored keeps its times. Ten minutes are no
    // wait, but the end of an attempt.
    sleep: (ms, signal) => sleepUntil(ms < 600_000 ? Math.min(ms, 500) : ms, signal),
    // What `recover` gives is looked up before it is sent: a sound outbox needs that for an empty store only.
    ...(config.recovers && { recover: () => config.intents }),
    onPlaced: (_order, { key }, context) => tell('placed', key, context),
    onRefused: (_refusal, { key }, context) => tell('refused', key, context),
    onRefunded: (_order, { key }, context) => tell('refunded', key, context, `${key}-refund`),
    onNotRefunded: (_why, { key }, context) => tell('not_refunded', key, context, `${key}-refund`),
    onAttention: ({ reason }, { key }) => note(`attention ${key} ${reason}`),
  };
  const outbox = createOrderOutbox(options);
  await startWithRetry(() => outbox.start());
  note('ready');
  console.log('ready');
  if (config.recovers) return;
  const adder = config.addsElsewhere ? createOrderOutbox(options) : outbox;
  // A shop that repeats what it is not sure of. Each process begins elsewhere: it may not live long.
  const from = Math.floor(Math.random() * config.intents.length);
  for (const intent of [...config.intents.slice(from), ...config.intents.slice(0, from)]) {
    await startWithRetry(() => adder.add(intent));
    if (!config.refunds.includes(intent.key)) continue;
    await startWithRetry(() => adder.refund(intent.key, { reason: 'the buyer withdrew' }));
  }
}

/** Notes the end inside the transaction: a kill after it must not look like a loss. */
async function finish(
  { config, module: { writeEffect, writeOutside } }: CrashWorker,
  commit: (write: (tx: unknown) => unknown) => Promise<void>,
  id: string,
  noteEnd: () => void,
): Promise<void> {
  if (config.plantedFault === 'writesOutside') await writeOutside?.(id);
  if (writeEffect === undefined || config.plantedFault === 'writesOutside') {
    noteEnd();
    return;
  }
  await commit((tx) => {
    const written = writeEffect(tx, id);
    // SQLite's writes are synchronous, and its commit takes no promise.
    if (written instanceof Promise) return written.then(noteEnd);
    noteEnd();
    return undefined;
  });
}

/** The service and the store have faults of their own while a worker starts. */
async function startWithRetry<T>(start: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await start();
    } catch (error) {
      console.error('A start failed:', error);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function sleepUntil(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
