/** `selectConsumers`: the inboxes and outboxes that an action is for, by the names of their queues. */

import type { DurableArguments } from './arguments.js';
import { UsageError } from '../terminal.js';

/** An inbox or an outbox of an engine. */
export interface Consumer {
  readonly half: 'events' | 'orders';
  /** The option `name` of the inbox or the outbox. */
  readonly name: string;
  /** The client's environment; `undefined` where it has none that is known. */
  readonly environment: 'sandbox' | 'live' | 'test' | undefined;
  /** Its queue; an outbox has a second one for its verdicts. */
  readonly queue: string;
}

const queuePattern =
  /^market-([A-Za-z0-9-]{1,40})-(sandbox|live|test|any)-(events|orders|verdicts)$/;

export function consumerOf(queue: string): Consumer | undefined {
  const [, name, environment, half] = queuePattern.exec(queue) ?? [];
  if (name === undefined || environment === undefined) return undefined;
  return {
    name,
    environment: environment === 'any' ? undefined : (environment as 'sandbox' | 'live' | 'test'),
    half: half === 'events' ? 'events' : 'orders',
    queue: queue.replace(/verdicts$/, 'orders'),
  };
}

type Filter = Pick<DurableArguments, 'queue' | 'name' | 'environment'>;

/** @throws {@link Error} that lists the queues that are there. */
export function selectConsumers(queues: readonly string[], filter: Filter): readonly Consumer[] {
  const byQueue = new Map<string, Consumer>();
  for (const queue of queues) {
    const consumer = consumerOf(queue);
    if (consumer !== undefined) byQueue.set(consumer.queue, consumer);
  }
  const all = [...byQueue.values()];
  const selected = all.filter((consumer) => matches(consumer, filter));
  if (selected.length > 0) return selected;
  if (all.length === 0) throw new Error('There is no queue of an inbox or an outbox.');
  throw new Error(`There is no such queue. There are: ${all.map(({ queue }) => queue).join(', ')}`);
}

function matches(consumer: Consumer, { queue, name, environment }: Filter): boolean {
  if (queue !== undefined) return consumerOf(queue)?.queue === consumer.queue;
  return (
    (name === undefined || consumer.name === name) &&
    (environment === undefined || (consumer.environment ?? 'any') === environment)
  );
}

/** The three queues of a name and an environment, for `ddl`. */
export function queuesOf({ queue, name = 'default', environment }: Filter): readonly string[] {
  if (queue !== undefined) return [queueOf(queue)];
  const names = (environment === undefined ? ['sandbox', 'live'] : [environment]).flatMap((word) =>
    ['events', 'orders', 'verdicts'].map((half) => `market-${name}-${word}-${half}`),
  );
  return names.map(queueOf);
}

/** A queue's name becomes a part of SQL. */
function queueOf(queue: string): string {
  if (queuePattern.test(queue)) return queue;
  throw new UsageError(`"${queue}" is no name of a queue`);
}
