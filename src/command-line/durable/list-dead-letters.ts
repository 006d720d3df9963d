/** `listDeadLetters`: the events and the orders that need a person. No body is shown: it has buyers. */

import type { DurableEngine } from '../../durable/queue/engine.js';
import type { Consumer } from './consumers.js';
import { openInbox, openOutbox } from './open-consumer.js';
import type { Action } from './action.js';

interface Line {
  readonly id: string;
  readonly text: string;
}

export const listDeadLetters: Action = async (engine, consumers, { limit }) => {
  const queues = [];
  const lines: string[] = [];
  for (const consumer of consumers) {
    const read = consumer.half === 'events' ? deadEvents : ordersInAttention;
    const found = await read(engine, consumer, limit);
    queues.push({ queue: consumer.queue, deadLetters: found.map(({ json }) => json) });
    lines.push(...found.map(({ line: { id, text } }) => `${consumer.queue} ${id} ${text}`));
    if (found.length === limit) lines.push(`${consumer.queue}: the first ${limit} are shown`);
  }
  return { json: { queues }, lines: lines.length === 0 ? ['no dead letters'] : lines };
};

type Found = readonly { readonly json: object; readonly line: Line }[];

async function deadEvents(
  engine: DurableEngine,
  consumer: Consumer,
  limit: number,
): Promise<Found> {
  const inbox = openInbox(engine, consumer, keepDoneMs);
  try {
    const dead = await inbox.deadLetters({ limit });
    return dead.map(({ id, orderingKey, attempts, error, event: { type, created_at } }) => ({
      json: { id, type, created_at, orderingKey, attempts, error },
      line: {
        id,
        text: `${type} of ${orderingKey}, after ${countOf(attempts)}: ${firstLine(error)}`,
      },
    }));
  } finally {
    await inbox.stop();
  }
}

async function ordersInAttention(
  engine: DurableEngine,
  consumer: Consumer,
  limit: number,
): Promise<Found> {
  const outbox = openOutbox(engine, consumer);
  try {
    const entries = await outbox.list({ state: 'attention', limit });
    return entries.map(({ key: id, attempts, addedAt, attention, order, refusal }) => {
      const { reason = '', message = '', candidates = [] } = attention ?? {};
      const ids = candidates.map(({ public_id }) => public_id);
      const verdict = order === undefined ? refusal && 'refused' : 'placed';
      const possible = ids.length === 0 ? '' : `; it may be ${ids.join(' or ')}`;
      return {
        json: { id, addedAt, attempts, reason, message, candidates: ids, verdict: verdict ?? null },
        line: { id, text: `${reason}: ${firstLine(message)}${possible}` },
      };
    });
  } finally {
    await outbox.stop();
  }
}

/** Only `prune` reads it. */
const keepDoneMs = 30 * 86_400_000;

/** A handler's error comes with its stack. */
function firstLine(text: string): string {
  return text.slice(0, 300).split('\n', 1)[0] ?? '';
}

function countOf(attempts: number): string {
  return `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
}
