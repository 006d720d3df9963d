/** `readStatus`: how much waits, runs and needs a person, for each inbox and outbox. */

import type { DurableEngine } from '../../durable/queue/engine.js';
import type { Consumer } from './consumers.js';
import { openOutbox } from './open-consumer.js';
import type { Action } from './action.js';

/** Reads count jobs and the checkpoint alone: these decide nothing. */
const limits = { leaseMs: 30_000, maxRunMs: 70_000 } as const;
const dayMs = 86_400_000;

type Field = number | string | null;
type Fields = Readonly<Record<string, Field>>;

export const readStatus: Action = async (engine, consumers) => {
  const queues: ({ queue: string } & Fields)[] = [];
  for (const consumer of consumers) {
    const read = consumer.half === 'events' ? eventStatus : orderStatus;
    queues.push({ ...(await read(engine, consumer)), queue: consumer.queue });
  }
  return { json: { engine: engine.name, queues }, lines: queues.flatMap(toLines) };
};

async function eventStatus(engine: DurableEngine, { queue: name }: Consumer): Promise<Fields> {
  const queue = await engine.open({ name, keepDoneMs: 30 * dayMs, ...limits });
  try {
    const { waiting, running, dead, oldestWaitingMs } = await queue.counts();
    const checkpoint = await queue.checkpoint();
    // The history was read at this time, up to an event of that time.
    const { at: readAt = null, horizon: readTo = null } = checkpoint ?? {};
    return { waiting, running, dead, oldestWaitingMs, readAt, readTo };
  } finally {
    await queue.close();
  }
}

async function orderStatus(engine: DurableEngine, consumer: Consumer): Promise<Fields> {
  const outbox = openOutbox(engine, consumer);
  try {
    const { waiting, placing, attention, unreported, oldestWaitingMs } = await outbox.status();
    return { waiting, placing, attention, unreported, oldestWaitingMs };
  } finally {
    await outbox.stop();
  }
}

function toLines({ queue, ...fields }: { queue: string } & Fields): string[] {
  const texts = Object.entries(fields).map(([name, value]) => textOf(name, value));
  return [queue, `  ${texts.join(', ')}`];
}

const labels: Readonly<Record<string, string>> = {
  oldestWaitingMs: 'oldest waiting',
  readAt: 'history read at',
  readTo: 'up to',
};

function textOf(name: string, value: Field): string {
  const label = labels[name] ?? name;
  if (value === null) return `${label} -`;
  if (name === 'oldestWaitingMs') return `${label} ${Math.round(Number(value) / 1_000)} s`;
  return `${label} ${value}`;
}
