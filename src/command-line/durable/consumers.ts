/** `selectConsumers`: the inboxes and outboxes of an engine, as the command shows them. */

import {
  OutboxStore,
  parseQueueName,
  QueueNames,
  useQueue,
  type DurableQueue,
  type QueueEngine,
  type QueueEnvironment,
  type QueueParts,
} from '../../durable/operator.js';
import { resolveTime } from '../../core/time/sleep.js';
import { safeLogger } from '../../core/logger.js';

/** Which of them to select: all that match. */
export interface Selection {
  readonly queue?: string | undefined;
  readonly name?: string | undefined;
  readonly environment?: string | undefined;
}

/** An inbox or an outbox. It runs no work, and creates no queue. */
export class Consumer {
  readonly kind: 'events' | 'orders';
  readonly environment: QueueEnvironment;
  /** An outbox has a second queue for its results. */
  readonly queue: string;
  readonly #engine: QueueEngine;
  readonly #queues: QueueNames;

  constructor(engine: QueueEngine, { name, environment, kind }: QueueParts) {
    const time = resolveTime({});
    this.kind = kind === 'events' ? 'events' : 'orders';
    this.environment = environment;
    this.#queues = new QueueNames({ market: { environment: undefined }, name, environment, time });
    this.queue = this.#queues.of(this.kind);
    this.#engine = engine;
  }

  useQueue<T>(work: (queue: DurableQueue) => Promise<T>): Promise<T> {
    return useQueue(this.#engine, this.queue, work);
  }

  async useOutbox<T>(work: (store: OutboxStore<never, never>) => Promise<T>): Promise<T> {
    const store = new OutboxStore<never, never>({
      engine: this.#engine,
      queues: this.#queues,
      leaseMs: 30_000,
      concurrency: 1,
      time: resolveTime({}),
      random: () => Math.random(),
      logger: safeLogger(undefined),
    });
    try {
      return await work(store);
    } finally {
      await Promise.all([store.intents.stop(), store.verdicts.stop()]);
    }
  }
}

/** @throws {@link Error} that lists the queues that are there. */
export async function selectConsumers(
  engine: QueueEngine,
  { queue, name, environment }: Selection,
): Promise<readonly Consumer[]> {
  const asked = queue?.replace(/-verdicts$/, '-orders');
  const all = new Map<string, Consumer>();
  const selected: Consumer[] = [];
  for (const each of [...(await engine.listQueues())].sort()) {
    const parts = parseQueueName(each);
    if (parts === undefined) continue;
    const consumer = new Consumer(engine, parts);
    if (all.has(consumer.queue)) continue;
    all.set(consumer.queue, consumer);
    const hasName = name === undefined || parts.name === name;
    const hasEnvironment = environment === undefined || parts.environment === environment;
    if (asked === undefined ? hasName && hasEnvironment : asked === consumer.queue) {
      selected.push(consumer);
    }
  }
  if (selected.length > 0) return selected;
  if (all.size === 0) throw new Error('There is no queue of an inbox or an outbox.');
  throw new Error(`There is no such queue. There are: ${[...all.keys()].join(', ')}`);
}
