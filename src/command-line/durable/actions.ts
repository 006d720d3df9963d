/** The actions of `durable` on the inboxes and outboxes of an engine. No body is shown: it holds buyers' data. */

import {
  isAbandoned,
  listEntries,
  retryIntent,
  toDeadLetter,
  type InboxCheckpoint,
  type OutboxEntry,
  type OutboxHealth,
} from '../../durable/operator.js';
import { messageOf, UsageError } from '../terminal.js';
import type { Consumer } from './consumers.js';

/** The command's checked arguments. */
export interface ActionOptions {
  readonly ids: readonly string[];
  /** Instead of `ids`: all that fit. */
  readonly all: Filter | undefined;
  /** Asks at the terminal before all are changed. */
  readonly confirm: (question: string) => Promise<boolean>;
  /** Why events are discarded. */
  readonly reason: string;
  readonly doesPaymentStand: boolean;
  readonly isNotRefunded: boolean;
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** Which dead letters `--all` means. */
export interface Filter {
  /** The reason of an attention; the one of a dead event is `handler_failed`. */
  readonly reason: string | undefined;
  /** Unix milliseconds: what was added before is left. */
  readonly since: number | undefined;
}

/** What an action prints. */
export interface ActionResult {
  readonly json: object;
  readonly lines: readonly string[];
  /** Whether something needs manual review, so that `--check` exits with 1. */
  readonly needsOperator?: boolean;
  /** Whether something was not done. */
  readonly isIncomplete?: boolean;
}

export type Action = (
  consumers: readonly Consumer[],
  options: ActionOptions,
) => Promise<ActionResult>;

/** How much waits, runs and needs manual review. */
export const readStatus: Action = async (consumers) => {
  const queues = await inTurn(consumers, async (consumer) => {
    const { queue, kind } = consumer;
    const fields = await (kind === 'events' ? inboxStatus(consumer) : outboxStatus(consumer));
    return { queue, ...fields };
  });
  const lines = queues.flatMap(({ queue, ...fields }) => {
    const texts: string[] = [];
    const warnings: string[] = [];
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === 'object' && value !== null) warnings.push(...recoverLines(value));
      else if (value === true) warnings.push(`  ${warningTexts[name] ?? name}`);
      else if (name === 'paused' && value !== null) warnings.push(`  ${value}`);
      else if (typeof value !== 'boolean' && !silent.includes(name))
        texts.push(textOf(name, value));
    }
    return [queue, `  ${texts.join(', ')}`, ...warnings];
  });
  const needsOperator = queues.some(
    (each) =>
      each.isStranded ||
      each.paused !== null ||
      ('dead' in each ? each.isUnread || each.dead > 0 : each.isUnrecovered || each.attention > 0),
  );
  return { json: { queues }, lines, needsOperator };
};

/** Inboxes poll every minute; a service that is away for longer than this is worth an alarm. */
const unreadAfterMs = 15 * 60_000;

const warningTexts: Readonly<Record<string, string>> = {
  isStranded: 'stranded: work has been due for over a minute, and no program takes it',
  isUnrecovered: 'unrecovered: "recover" did not add every payment',
  isUnread: 'unread: the history was last read over 15 minutes ago; polls fail, or no program runs',
};

function inboxStatus(consumer: Consumer) {
  return consumer.useQueue(async (queue) => {
    const { waiting, running, dead, oldestWaitingMs, overdueMs } = await queue.counts();
    const {
      at: readAt = null,
      horizon: readTo = null,
      ...place
    } = (await queue.checkpoint()) ?? {};
    const { paused = null } = place as InboxCheckpoint;
    const isStranded = isAbandoned({ overdueMs });
    const isUnread = readAt !== null && Date.now() - Date.parse(readAt) > unreadAfterMs;
    return {
      waiting,
      running,
      dead,
      oldestWaitingMs,
      readAt,
      readTo,
      isStranded,
      isUnread,
      paused,
    };
  });
}

function outboxStatus(consumer: Consumer) {
  return consumer.useOutbox(async (store) => {
    const { sales, isAbandoned: isStranded } = await store.counts();
    const { callbacksPaused = null, recover = null } = (await store.findHealth()) ?? {};
    const hasProblems = recover !== null && recover.refused + recover.differing > 0;
    const isUnrecovered = hasProblems || typeof recover?.error === 'string';
    return { ...sales, isStranded, paused: callbacksPaused, isUnrecovered, recover };
  });
}

/** Which payments "recover" could not add. Somebody must correct their rows. */
function recoverLines(recover: OutboxHealth['recover']): readonly string[] {
  const { error, problems, refused, differing } = recover;
  const more = refused + differing - problems.length;
  return [
    ...(error === null ? [] : [`  recover failed: ${firstLine(error)}`]),
    ...problems.map(({ row, kind, message }) => `  recover: ${row} ${kind}: ${firstLine(message)}`),
    ...(more > 0 ? [`  recover: and ${more} more`] : []),
  ];
}

/** Shown only while there is something to say. */
const silent = ['paused', 'recover'];

const labels: Readonly<Record<string, string>> = {
  oldestWaitingMs: 'oldest waiting',
  readAt: 'history read at',
  readTo: 'up to',
};

function textOf(name: string, value: number | string | null): string {
  const label = labels[name] ?? name;
  if (value === null) return `${label} -`;
  if (name === 'oldestWaitingMs') return `${label} ${Math.round(Number(value) / 1_000)} s`;
  return `${label} ${value}`;
}

/** The events and the orders that need manual review. */
export const listDeadLetters: Action = async (consumers, { limit, cursor }) => {
  if (cursor !== undefined && consumers.length > 1) {
    throw new UsageError('"--cursor" belongs to one queue. Choose it with --queue');
  }
  const queues = await inTurn(consumers, async (consumer) => {
    const list = consumer.kind === 'events' ? deadEvents : ordersInAttention;
    return { queue: consumer.queue, ...(await list(consumer, { limit, cursor })) };
  });
  const lines = queues.flatMap(({ queue, found, nextCursor }) => [
    ...found.map(({ json, text }) => `${queue} ${json.id} ${text}`),
    ...(nextCursor === null
      ? []
      : [`${queue}: more with --queue ${queue} --cursor "${nextCursor}"`]),
  ]);
  const json = queues.map(({ queue, found, nextCursor }) => ({
    queue,
    deadLetters: found.map((each) => each.json),
    nextCursor,
  }));
  return { json: { queues: json }, lines: lines.length === 0 ? ['no dead letters'] : lines };
};

type ListOptions = Pick<ActionOptions, 'limit' | 'cursor'>;

function deadEvents(consumer: Consumer, options: ListOptions) {
  return consumer.useQueue(async (queue) => {
    const { items, nextCursor } = await queue.list('dead', options);
    const found = items.map(toDeadLetter).map(({ id, orderingKey, attempts, error, event }) => {
      const { type, created_at } = event;
      const after = `after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
      return {
        json: { id, type, created_at, orderingKey, attempts, error },
        text: `${type} of ${orderingKey}, ${after}: ${firstLine(error)}`,
      };
    });
    return { found, nextCursor };
  });
}

function ordersInAttention(consumer: Consumer, options: ListOptions) {
  return consumer.useOutbox(async (store) => {
    const page = await listEntries(store, { state: 'attention', ...options });
    const found = page.map((entry) => {
      const { key: id, attempts, addedAt, attention, order, refusal } = entry;
      const { reason = '', message = '', candidates = [] } = attention ?? {};
      const ids = candidates.map(({ public_id }) => public_id);
      const verdict = (order && 'placed') ?? (refusal && 'refused') ?? null;
      const refund = isRefund(entry) ? 'refund: ' : '';
      const possible = ids.length === 0 ? '' : `; it may be ${ids.join(' or ')}`;
      return {
        json: { id, addedAt, attempts, reason, message, candidates: ids, verdict },
        text: `${refund}${reason}: ${firstLine(message)}${possible}`,
      };
    });
    return { found, nextCursor: page.nextCursor };
  });
}

/** A handler's error comes with its stack. */
function firstLine(text: string): string {
  return text.slice(0, 1_000).split('\n', 1)[0] ?? '';
}

export const retryDeadLetters: Action = (consumers, options) =>
  changeEach(consumers, options, { verb: 'retried', change: retryDeadLetter, needs: needsFlag });

export const discardEvents: Action = (consumers, options) =>
  changeEach(consumers, options, {
    verb: 'discarded',
    change: discardEvent,
    needs: (entry) => (entry === undefined ? undefined : 'outbox.resolve() in your program'),
  });

interface Change {
  readonly verb: 'retried' | 'discarded';
  readonly change: (
    consumers: readonly Consumer[],
    id: string,
    options: ActionOptions,
  ) => Promise<ActionResult>;
  /** What `--all` lacks to change this one. */
  readonly needs: (entry: OutboxEntry | undefined, options: ActionOptions) => string | undefined;
}

/** Each for itself: one that cannot be changed leaves the others to their own. */
async function changeEach(
  consumers: readonly Consumer[],
  options: ActionOptions,
  { verb, change, needs }: Change,
): Promise<ActionResult> {
  const { ids, all, confirm } = options;
  const [only, ...others] = ids;
  if (only !== undefined && others.length === 0) return change(consumers, only, options);
  const left = new Map<string, number>();
  const selected = ids.map((id) => ({ id, in: consumers }));
  for (const { consumer, id, entry } of all === undefined ? [] : await findAll(consumers, all)) {
    const needed = needs(entry, options);
    if (needed === undefined) selected.push({ id, in: [consumer] });
    else left.set(needed, (left.get(needed) ?? 0) + 1);
  }
  const leftLines = [...left].map(([needed, count]) => `${count} left: needs ${needed}`);
  const count = `${selected.length} dead ${selected.length === 1 ? 'letter' : 'letters'}`;
  if (all !== undefined && selected.length > 0) {
    const question = [...leftLines, `${count} will be ${verb}.`].join('\n');
    if (!(await confirm(question))) throw new Error('Nothing was changed.');
  }
  const results: object[] = [];
  const failed: { readonly id: string; readonly error: string }[] = [];
  for (const { id, in: queues } of selected) {
    try {
      results.push((await change(queues, id, options)).json);
    } catch (error) {
      failed.push({ id, error: messageOf(error) });
    }
  }
  return {
    json: { results, failed, left: Object.fromEntries(left) },
    lines: [
      `${results.length} of ${count} ${verb}`,
      ...leftLines,
      ...failed.map(({ id, error }) => `${id}: ${error}`),
    ],
    isIncomplete: failed.length > 0,
  };
}

const pageSize = 500;

/** All of them, before the first is changed: a change moves the pages. */
async function findAll(
  consumers: readonly Consumer[],
  { reason, since = -Infinity }: Filter,
): Promise<(Found & { readonly id: string })[]> {
  const found: (Found & { readonly id: string })[] = [];
  for (const consumer of consumers) {
    let cursor: string | undefined;
    do {
      const page = await deadLettersOf(consumer, { limit: pageSize, cursor });
      for (const { id, entry, addedAt } of page.items) {
        const isMeant = reason === undefined || reason === reasonOf(entry);
        if (isMeant && addedAt.getTime() >= since) found.push({ consumer, id, entry });
      }
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }
  return found;
}

function deadLettersOf(consumer: Consumer, options: ListOptions) {
  if (consumer.kind === 'events') {
    return consumer.useQueue(async (queue) => {
      const { items, nextCursor } = await queue.list('dead', options);
      const found = items.map(({ id, enqueuedAt }) => ({
        id,
        entry: undefined,
        addedAt: enqueuedAt,
      }));
      return { items: found, nextCursor };
    });
  }
  return consumer.useOutbox(async (store) => {
    const page = await listEntries(store, { state: 'attention', ...options });
    const items = page.map((entry) => ({
      id: entry.key,
      entry,
      addedAt: new Date(entry.addedAt),
    }));
    return { items, nextCursor: page.nextCursor };
  });
}

/** An event is dead because its handler failed. */
function reasonOf(entry: OutboxEntry | undefined): string | undefined {
  return entry === undefined ? 'handler_failed' : entry.attention?.reason;
}

function needsFlag(
  entry: OutboxEntry | undefined,
  { doesPaymentStand, isNotRefunded }: ActionOptions,
): string | undefined {
  if (reasonOf(entry) === 'handler_failed' || entry === undefined) return undefined;
  if (isRefund(entry)) return isNotRefunded ? undefined : '--not-refunded';
  return doesPaymentStand ? undefined : '--payment-stands';
}

const retryDeadLetter: Change['change'] = async (consumers, id, options) => {
  const { doesPaymentStand, isNotRefunded } = options;
  const { consumer, entry } = await findDeadLetter(consumers, id);
  if (entry === undefined) {
    requireChange(await consumer.useQueue((queue) => queue.retry(id)), id);
    return changed(consumer, id, 'retried', 'waits again, from attempt 1; your program handles it');
  }
  const isCallback = entry.attention?.reason === 'handler_failed';
  if (isRefund(entry) && !isNotRefunded) throw new Error(refundQuestion(id));
  if (!isCallback && !isRefund(entry) && !doesPaymentStand) throw new Error(paymentQuestion(id));
  await consumer.useOutbox((store) => retryIntent(store, id, Date.now()));
  const what = isCallback
    ? 'keeps its verdict; your program runs its callback again'
    : isRefund(entry)
      ? 'has its refund wait again; your program sends it once more'
      : 'waits again, under the same key; your program sends it';
  return changed(consumer, id, 'retried', what);
};

const discardEvent: Change['change'] = async (consumers, id, { reason }) => {
  const { consumer, entry } = await findDeadLetter(consumers, id);
  if (entry !== undefined) throw new Error(noDiscard(entry));
  const output = JSON.stringify({ discarded: reason });
  requireChange(await consumer.useQueue((queue) => queue.complete(id, output)), id);
  const what = 'is ended without being handled; later events of its order go on';
  return changed(consumer, id, 'discarded', what);
};

/** A dead letter, and the one consumer that has it. */
interface Found {
  readonly consumer: Consumer;
  /** Of an outbox. */
  readonly entry: OutboxEntry | undefined;
}

/** @throws {@link Error} if there is none, or if two queues have one with this id. */
async function findDeadLetter(consumers: readonly Consumer[], id: string): Promise<Found> {
  const found: Found[] = [];
  for (const consumer of consumers) {
    if (consumer.kind === 'events') {
      const job = await consumer.useQueue(async (queue) => (await queue.find([id])).get(id));
      if (job?.state === 'dead') found.push({ consumer, entry: undefined });
      continue;
    }
    const entry = await consumer.useOutbox((store) => store.get(id));
    if (entry?.state === 'attention') found.push({ consumer, entry });
  }
  const [only, ...others] = found;
  if (only === undefined) {
    const queues = consumers.map(({ queue }) => queue).join(', ');
    throw new Error(
      `No dead letter and no order needing attention has the id "${id}" (searched ${queues}).`,
    );
  }
  if (others.length === 0) return only;
  const queues = found.map(({ consumer }) => consumer.queue).join(' and ');
  throw new Error(`"${id}" is a dead letter of ${queues}. Choose one with --queue.`);
}

async function inTurn<T>(
  consumers: readonly Consumer[],
  read: (consumer: Consumer) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  for (const consumer of consumers) results.push(await read(consumer));
  return results;
}

/** Another command may have been faster, and nothing was changed here. */
function requireChange(isChanged: boolean, id: string): void {
  if (!isChanged) throw new Error(`"${id}" is no longer a dead letter.`);
}

function changed(
  { queue }: Consumer,
  id: string,
  action: 'retried' | 'discarded',
  what: string,
): ActionResult {
  return { json: { queue, id, action }, lines: [`${queue}: ${id} ${what}`] };
}

/** A sale that was paid back by hand must not be recorded afterwards. */
function paymentQuestion(id: string): string {
  return (
    `"${id}" is a sale, and a retry may record its order. Find out whether the buyer was paid back in the meantime. ` +
    'If not, run this again with --payment-stands. If so, end it in your program: ' +
    `outbox.resolve("${id}", { refused: "paid back" }), after orders.list({ domain }) has shown that no order exists.`
  );
}

/** Whether it is the refund of a sale that needs manual review. */
function isRefund({ refund, attention }: OutboxEntry): boolean {
  return refund?.state === 'attention' && attention?.reason !== 'handler_failed';
}

/** `POST /refunds` has no key: a second request after one that was done pays twice. */
function refundQuestion(id: string): string {
  return (
    `"${id}" is a sale whose refund may have been done, and a retry sends it once more. Ask the service's support. ` +
    'If it has no refund of the order, run this again with --not-refunded. If it has, end it in your program: ' +
    `outbox.resolve("${id}", { refunded: "<why>" }).`
  );
}

/** Nobody can tell from a shell whether the order exists. */
function noDiscard(entry: OutboxEntry): string {
  const { key, attention, order } = entry;
  if (isRefund(entry)) {
    return (
      `"${key}" is a sale whose refund may have been done. Nothing was discarded. Ask the service's support. Then, in your program: ` +
      `outbox.resolve("${key}", { refunded: "<why>" }) if it was, ` +
      `outbox.resolve("${key}", { notRefunded: "<why>" }) if the order stands.`
    );
  }
  if (attention?.reason === 'handler_failed') {
    const verdict = order === undefined ? 'refused' : `placed as ${order.public_id}`;
    return (
      `"${key}" is ${verdict}: that stands, and only its callback failed. Nothing was discarded. ` +
      `Repair the callback, then run durable retry ${key}`
    );
  }
  return (
    `"${key}" is a sale that was paid, and its order may exist. Nothing was discarded. ` +
    'Look with orders.list({ domain }). Then, in your program: ' +
    `outbox.resolve("${key}", { placed: "<public_id>" }) if the order exists, ` +
    `outbox.resolve("${key}", { refused: "<why>" }) if it does not. Then onRefused pays the buyer back.`
  );
}
