/** `runCrashWorker`: the program that a crash test runs, kills and runs again. */

import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MarketClient } from 'market-partner-sdk';
import { DurableConfigurationError } from 'market-partner-sdk/durable';
import { createEventInbox } from 'market-partner-sdk/durable';
import type { EventContext } from 'market-partner-sdk/durable';
import type { DurableEngine } from 'market-partner-sdk/durable';
import { createOrderOutbox } from 'market-partner-sdk/durable';
import type { OrderIntent, OutboxContext } from 'market-partner-sdk/durable';
import { plantFault, type PlantedFault } from '../planted-fault.js';

/** The content of the JSON file that the variable MARKET_CRASH_WORKER names. */
export interface CrashWorkerConfig {
  readonly target: 'inbox' | 'outbox';
  readonly engineModule: string;
  /** Where the engine keeps its data: the module's function gets it. */
  readonly store: string;
  readonly ledger: string;
  readonly client: { readonly baseUrl: string; readonly keyId: string; readonly secret: string };
  readonly webhookSecret: string;
  readonly intents: readonly OrderIntent[];
  readonly plantedFault: PlantedFault | undefined;
}

/** What the module of an engine exports. */
export interface EngineModule {
  readonly default: (store: string) => DurableEngine<unknown> | Promise<DurableEngine<unknown>>;
  /** Writes an effect in a transaction of the engine, without any unique key. */
  readonly writeEffect?: (tx: unknown, id: string) => unknown;
  /** The ids of all effects, in a list. */
  readonly readEffects?: (store: string) => string[] | Promise<string[]>;
}

const leaseMs = 1_000;
const failureRate = 0.05;

/** The program of a worker process, started by `crashTest`. Runs until the process is killed. */
export async function runCrashWorker(module: EngineModule): Promise<void> {
  const config = JSON.parse(
    readFileSync(process.env.MARKET_CRASH_WORKER ?? '', 'utf8'),
  ) as CrashWorkerConfig;
  if (typeof (module.default as unknown) !== 'function') {
    throw new DurableConfigurationError('The engine module must export a function as default.');
  }
  const sound = await startWithRetry(async () => module.default(config.store));
  const engine = config.plantedFault === undefined ? sound : plantFault(sound, config.plantedFault);
  const market = new MarketClient({ ...config.client, timeoutMs: 2_000, maxRetries: 0 });
  const note = (line: string) => appendFileSync(config.ledger, `${process.pid} ${line}\n`);
  await (config.target === 'inbox'
    ? runInbox(config, module, engine, market, note)
    : runOutbox(config, module, engine, market, note));
}

async function runInbox(
  config: CrashWorkerConfig,
  { writeEffect }: EngineModule,
  engine: DurableEngine<unknown>,
  market: MarketClient,
  note: (line: string) => void,
): Promise<void> {
  const handle = async (
    event: { id: string; data: { order: { public_id: string } } },
    { id, commit }: EventContext<unknown>,
  ) => {
    note(`start ${id} ${event.data.order.public_id}`);
    await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * 8));
    if (Math.random() < failureRate) {
      note(`fail ${id}`);
      throw new Error('planted failure');
    }
    await finish(commit, writeEffect, id, () => note(`end ${id}`));
    ended.push(id);
  };
  const ended: string[] = [];
  const inbox = createEventInbox({
    ...{ market, engine, secret: config.webhookSecret, startFrom: 'beginning', leaseMs },
    poll: { everyMs: 500 },
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
}

/** Notes each event whose done is stored: a later start of it is a defect, whatever happens. */
async function logCompletedEvents(
  engine: DurableEngine<unknown>,
  ended: string[],
  note: (line: string) => void,
): Promise<void> {
  const limits = { leaseMs, maxRunMs: 70_000, keepDoneMs: 30 * 86_400_000 };
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

async function runOutbox(
  config: CrashWorkerConfig,
  { writeEffect }: EngineModule,
  engine: DurableEngine<unknown>,
  market: MarketClient,
  note: (line: string) => void,
): Promise<void> {
  const tell = async (verdict: string, key: string, { commit }: OutboxContext<unknown>) => {
    if (Math.random() < failureRate) throw new Error('planted failure');
    await finish(commit, writeEffect, key, () => note(`${verdict} ${key}`));
  };
  const outbox = createOrderOutbox({
    // Each intent of `recover` waits between its two look-ups.
    ...{ market, engine, leaseMs, concurrency: 16, random: () => 0.05 },
    // Waits of minutes would make the test one of hours; what is stored keeps its times.
    sleep: (ms, signal) => sleepUntil(Math.min(ms, 500), signal),
    recover: () => config.intents,
    onPlaced: (_order, { key }, context) => tell('placed', key, context),
    onRefused: (_refusal, { key }, context) => tell('refused', key, context),
    onAttention: ({ reason }, { key }) => note(`attention ${key} ${reason}`),
  });
  await startWithRetry(() => outbox.start());
}

/** Notes the end inside the transaction: a kill after it must not look like a loss. */
async function finish(
  commit: (write: (tx: unknown) => unknown) => Promise<void>,
  writeEffect: EngineModule['writeEffect'],
  id: string,
  noteEnd: () => void,
): Promise<void> {
  if (writeEffect === undefined) {
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
