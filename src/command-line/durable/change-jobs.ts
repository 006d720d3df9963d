/** The actions that change a job. Each does what the program's own method does, or less. */

import type { DurableEngine } from '../../durable/queue/engine.js';
import type { OutboxEntry } from '../../durable/outbox/outbox-types.js';
import type { Consumer } from './consumers.js';
import { openInbox, openOutbox } from './open-consumer.js';
import type { Action } from './action.js';

const dayMs = 86_400_000;
/** A discarded event is known until the program's own prune, whatever that keeps. */
const longestKeepMs = 3_650 * dayMs;

/** A dead letter, and the one consumer that has it. */
type Found =
  | { readonly consumer: Consumer; readonly entry: undefined }
  | { readonly consumer: Consumer; readonly entry: OutboxEntry };

export const retryDeadLetter: Action = async (engine, consumers, { id = '', ...options }) => {
  const { consumer, entry } = await findDeadLetter(engine, consumers, id);
  const { queue } = consumer;
  if (entry === undefined) {
    requireChange(await withInbox(engine, consumer, (inbox) => inbox.retry(id)), id);
    return done(queue, id, 'retried', 'waits again, from attempt 1; your program handles it');
  }
  const isCallback = entry.attention?.reason === 'handler_failed';
  if (!isCallback && !options.doesPaymentStand) throw new Error(paymentQuestion(id));
  await withOutbox(engine, consumer, (outbox) => outbox.resolve(id, 'retry'));
  const what = isCallback
    ? 'keeps its verdict; your program runs its callback again'
    : 'waits again, under the same key; your program sends it';
  return done(queue, id, 'retried', what);
};

export const discardEvent: Action = async (engine, consumers, { id = '', reason }) => {
  const { consumer, entry } = await findDeadLetter(engine, consumers, id);
  if (entry !== undefined) throw new Error(noDiscard(entry));
  requireChange(await withInbox(engine, consumer, (inbox) => inbox.discard(id, reason)), id);
  const what = 'is ended without being handled; later events of its order go on';
  return done(consumer.queue, id, 'discarded', what);
};

export const pruneEvents: Action = async (engine, consumers, { olderThanDays, queue }) => {
  const inboxes = consumers.filter(({ half }) => half === 'events');
  if (inboxes.length === 0 && queue !== undefined) {
    throw new Error(
      'Orders are not pruned: a key that was forgotten here could sell a second domain.',
    );
  }
  const pruned = [];
  for (const consumer of inboxes) {
    const keepDoneMs = olderThanDays * dayMs;
    const count = await withInbox(engine, consumer, (inbox) => inbox.prune(), keepDoneMs);
    pruned.push({ queue: consumer.queue, pruned: count });
  }
  const lines = pruned.map((each) => `${each.queue}: ${each.pruned} done events forgotten`);
  return { json: { queues: pruned }, lines };
};

/** @throws {@link Error} where there is none, or where two queues have one of this id. */
async function findDeadLetter(
  engine: DurableEngine,
  consumers: readonly Consumer[],
  id: string,
): Promise<Found> {
  const found: Found[] = [];
  for (const consumer of consumers) {
    if (consumer.half === 'events') {
      if (await isDeadEvent(engine, consumer, id)) found.push({ consumer, entry: undefined });
      continue;
    }
    const entry = await withOutbox(engine, consumer, (outbox) => outbox.get(id));
    if (entry?.state === 'attention') found.push({ consumer, entry });
  }
  const [only, ...others] = found;
  if (only === undefined) {
    const queues = consumers.map(({ queue }) => queue).join(', ');
    throw new Error(`"${id}" is no dead letter and no order in attention of ${queues}.`);
  }
  if (others.length === 0) return only;
  const queues = found.map(({ consumer }) => consumer.queue).join(' and ');
  throw new Error(`"${id}" is a dead letter of ${queues}: say which with --queue.`);
}

async function isDeadEvent(
  engine: DurableEngine,
  { queue: name }: Consumer,
  id: string,
): Promise<boolean> {
  const queue = await engine.open({
    ...{ name, leaseMs: 30_000, maxRunMs: 70_000, keepDoneMs: longestKeepMs },
  });
  try {
    return (await queue.find([id])).get(id)?.state === 'dead';
  } finally {
    await queue.close();
  }
}

async function withInbox<T>(
  engine: DurableEngine,
  consumer: Consumer,
  work: (inbox: ReturnType<typeof openInbox>) => Promise<T>,
  keepDoneMs = longestKeepMs,
): Promise<T> {
  const inbox = openInbox(engine, consumer, keepDoneMs);
  try {
    return await work(inbox);
  } finally {
    await inbox.stop();
  }
}

async function withOutbox<T>(
  engine: DurableEngine,
  consumer: Consumer,
  work: (outbox: ReturnType<typeof openOutbox>) => Promise<T>,
): Promise<T> {
  const outbox = openOutbox(engine, consumer);
  try {
    return await work(outbox);
  } finally {
    await outbox.stop();
  }
}

/** Another command may have been faster: then nothing was changed here. */
function requireChange(isChanged: boolean, id: string): void {
  if (!isChanged) throw new Error(`"${id}" is no dead letter any more.`);
}

function done(queue: string, id: string, action: 'retried' | 'discarded', what: string) {
  return { json: { queue, id, action }, lines: [`${queue}: ${id} ${what}`] };
}

/** A sale that was paid back by hand must not be recorded afterwards. */
function paymentQuestion(id: string): string {
  return (
    `"${id}" is a sale, and a retry may record its order. Look whether the buyer was paid back meanwhile. ` +
    'If not, run this again with --payment-stands. If so, end it in your program: ' +
    `outbox.resolve("${id}", { refused: "paid back" }), after orders.list({ domain }) has shown that there is no order.`
  );
}

/** From a shell, a person cannot tell whether the order exists. */
function noDiscard({ key, attention, order }: OutboxEntry): string {
  if (attention?.reason === 'handler_failed') {
    const verdict = order === undefined ? 'refused' : `placed as ${order.public_id}`;
    return (
      `"${key}" is ${verdict}: that stands, and only its callback failed. Nothing was discarded. ` +
      `Repair the callback, then: durable retry ${key}`
    );
  }
  return (
    `"${key}" is a sale that was paid, and its order may exist. Nothing was discarded. ` +
    'Look with orders.list({ domain }). Then, in your program: ' +
    `outbox.resolve("${key}", { placed: "<public_id>" }) where the order exists, ` +
    `outbox.resolve("${key}", { refused: "<why>" }) where it does not: onRefused then pays the buyer back.`
  );
}
