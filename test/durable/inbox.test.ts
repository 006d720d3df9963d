import { AuthenticationError, type MarketEvent } from 'market-partner-sdk';
import { fault } from 'market-partner-sdk/testing';
import {
  createEventInbox,
  memoryEngine,
  type EventContext,
  type EventInbox,
  type EventInboxOptions,
} from 'market-partner-sdk/durable';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recordingLogger } from '../support/recording-logger.js';
import { MarketWorld, secret } from './support/market-world.js';

let world: MarketWorld;
let handled: string[];
const inboxes: EventInbox[] = [];

beforeEach(async () => {
  world = await MarketWorld.start();
  handled = [];
});
afterEach(async () => {
  for (const inbox of inboxes.splice(0)) await inbox.stop({ graceMs: 0 });
  await world.stop();
});

const note = ({ type, data }: MarketEvent) => {
  const { order } = data as { order: { public_id: string } };
  handled.push(`${type} ${order.public_id}`);
};

function inboxWith(options: Partial<EventInboxOptions> = {}): EventInbox {
  const inbox = createEventInbox({
    ...{ market: world.market, secret, startFrom: 'beginning', random: () => 0.5 },
    ...{ engine: memoryEngine(world.time.options), ...world.time.options },
    on: {
      'order.recorded': note,
      'order.transfer_started': note,
      'order.transfer_completed': note,
    },
    ...options,
  });
  inboxes.push(inbox);
  return inbox;
}

const drain = (inbox: EventInbox) => inbox.drain({ maxMs: 10_000 });

describe('intake', () => {
  it('answers 200 when the event is stored, and handles it once however often it comes', async () => {
    const inbox = inboxWith();
    await world.sell(1);
    const [event] = await world.events();
    const delivery = await world.delivery(event!);
    expect((await inbox.handle(delivery)).status).toBe(200);
    expect(await inbox.status()).toMatchObject({ waiting: 1, duplicates: 0 });
    expect((await inbox.handle(delivery)).status).toBe(200);
    expect(await drain(inbox)).toEqual({ handled: 1, failed: 0, dead: 0, left: 0 });
    expect((await inbox.handle(delivery)).status).toBe(200);
    await drain(inbox);
    expect(handled).toHaveLength(1);
    expect(await inbox.status()).toMatchObject({ duplicates: 2, missedWebhooks: 0 });
  });

  it('refuses a delivery with a wrong signature, and stores nothing', async () => {
    const inbox = inboxWith();
    await world.sell(1);
    const [event] = await world.events();
    const { body } = await world.delivery(event!);
    const headers = { 'x-market-signature': 'a'.repeat(64) };
    expect((await inbox.handle({ headers, body })).status).toBe(401);
    expect(await inbox.status()).toMatchObject({ waiting: 0 });
  });

  it('answers 503 while the history is down, and loses nothing', async () => {
    const inbox = inboxWith();
    await world.sell(1);
    const delivery = await world.delivery((await world.events())[0]!);
    world.emulator.faults.on('GET /events', fault.internalError());
    expect((await inbox.handle(delivery)).status).toBe(503);
    world.emulator.faults.clear();
    await drain(inbox);
    expect(handled).toHaveLength(1);
  });

  it('answers 503 when the engine fails', async () => {
    const engine = memoryEngine(world.time.options);
    const open: typeof engine.open = async (spec) => ({
      ...(await engine.open(spec)),
      enqueue: () => Promise.reject(new Error('disk full')),
    });
    const inbox = inboxWith({ engine: { ...engine, open } });
    await world.sell(1);
    const delivery = await world.delivery((await world.events())[0]!);
    expect((await inbox.handle(delivery)).status).toBe(503);
  });

  it('waits a moment for a history that lags behind the webhook', async () => {
    const inbox = inboxWith();
    world.emulator.faults.history.late(1_000);
    await world.sell(1);
    const id = (await recordedIds()).at(-1)!;
    const delivery = await world.delivery(orderEvent(id));
    const answer = inbox.handle(delivery);
    await world.time.advance(1_500);
    expect((await answer).status).toBe(200);
  });

  it('answers 503 when the history does not show the event in time', async () => {
    const inbox = inboxWith();
    const answer = inbox.handle(await world.delivery(orderEvent('evt_unknown')));
    await world.time.advance(5_000);
    expect((await answer).status).toBe(503);
    expect(await inbox.status()).toMatchObject({ waiting: 0 });
  });

  it('shares polls among deliveries that come at once', async () => {
    const inbox = inboxWith();
    await world.sell(20);
    const events = await world.events();
    const before = world.emulator.requests.length;
    const answers = await Promise.all(
      events.map(async (event) => inbox.handle(await world.delivery(event))),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(world.emulator.requests.length - before).toBeLessThan(10);
    await drain(inbox);
    expect(handled).toHaveLength(20);
  });

  it('finds events whose webhooks were lost, and counts them', async () => {
    const seen: boolean[] = [];
    const inbox = inboxWith({
      on: { 'order.recorded': (_event, { viaWebhook }) => seen.push(viaWebhook) },
    });
    await world.sell(3);
    expect(await inbox.poll()).toMatchObject({ read: 3, added: 3, missedWebhooks: 0 });
    const [first] = await world.events();
    expect((await inbox.handle(await world.delivery(first!))).status).toBe(200);
    await drain(inbox);
    expect(seen).toEqual([true, false, false]);
    await world.time.advance(61_000);
    expect(await inbox.status()).toMatchObject({ missedWebhooks: 2 });
  });

  it('finds an event that the history shows behind the checkpoint', async () => {
    const inbox = inboxWith();
    world.emulator.faults.history.late('2 minutes', { times: 1 });
    await world.sell(1);
    await world.sell(3);
    await drain(inbox);
    expect(handled).toHaveLength(3);
    await world.time.advance(121_000);
    expect(await inbox.poll()).toMatchObject({ added: 1, late: 1 });
    await drain(inbox);
    expect(handled).toHaveLength(4);
    expect(await inbox.status()).toMatchObject({ late: 1 });
  });

  it('passes over types without a listener; onUnknown takes those of later versions', async () => {
    const unknown: string[] = [];
    const inbox = inboxWith({ onUnknown: ({ type }) => unknown.push(type) });
    const delivery = await world.delivery({
      ...{ id: 'evt_x', type: 'order.settled', created_at: '2026-03-01T12:00:00Z', data: {} },
    });
    expect((await inbox.handle(delivery)).status).toBe(200);
    await world.sell(1);
    await drain(inbox);
    expect([unknown, handled.length]).toEqual([[], 1]);
  });

  it('stops when a delivery is for another partner', async () => {
    const inbox = inboxWith();
    await world.sell(2);
    const [first, second] = await world.events();
    expect((await inbox.handle(await world.delivery(first!, 'partner_1'))).status).toBe(200);
    expect((await inbox.handle(await world.delivery(second!, 'partner_2'))).status).toBe(503);
    await expect(inbox.poll()).rejects.toMatchObject({ name: 'PartnerChangedError' });
  });

  it('stores a delivery that names no partner', async () => {
    const inbox = inboxWith();
    await world.sell(2);
    const [first, second] = await world.events();
    expect((await inbox.handle(await world.delivery(first!, ''))).status).toBe(200);
    expect((await inbox.handle(await world.delivery(second!, 'partner_1'))).status).toBe(200);
  });

  it('knows the partner of earlier processes, also where a delivery comes before the first poll', async () => {
    const engine = memoryEngine(world.time.options);
    await world.sell(2);
    const [first, second] = await world.events();
    await inboxWith({ engine }).handle(await world.delivery(first!, 'partner_1'));
    await drain(inboxWith({ engine }));
    const next = inboxWith({ engine });
    expect((await next.handle(await world.delivery(second!, 'partner_2'))).status).toBe(503);
    await expect(next.poll()).rejects.toMatchObject({ name: 'PartnerChangedError' });
    const same = inboxWith({ engine });
    expect((await same.handle(await world.delivery(second!, 'partner_1'))).status).toBe(200);
  });

  const orderEvent = (id: string) => ({
    ...{ id, type: 'order.recorded', created_at: new Date(world.time.nowMs).toISOString() },
    data: { order: { public_id: 'ord_x' } },
  });

  /** Ids of events, also of those that the history hides for now. */
  async function recordedIds(): Promise<string[]> {
    const { nowMs } = world.time;
    world.time.nowMs += 3_600_000;
    const events = await world.events();
    world.time.nowMs = nowMs;
    return events.map(({ id }) => id);
  }
});

describe('the place in the history', () => {
  it('begins at the beginning, at an event, or now', async () => {
    await world.sell(3);
    const [first] = await world.events();
    const now = inboxWith({ startFrom: 'now' });
    expect(await now.poll()).toMatchObject({ added: 0, passed: 3 });
    const after = inboxWith({ startFrom: { after_id: first!.id } });
    expect(await after.poll()).toMatchObject({ added: 2 });
    expect(await inboxWith().poll()).toMatchObject({ added: 3 });
    await world.sell(1);
    expect(await now.poll()).toMatchObject({ added: 1 });
    expect(await after.poll()).toMatchObject({ added: 1 });
  });

  it('does not pass the first event, where the history was empty at "now"', async () => {
    const inbox = inboxWith({ startFrom: 'now' });
    expect(await inbox.poll()).toMatchObject({ passed: 0 });
    await world.sell(1);
    expect(await inbox.poll()).toMatchObject({ added: 1 });
  });

  it('reads a long history page by page, and says how far it is', async () => {
    await world.sell(25);
    const upTo: number[] = [];
    const onProgress = ({ read }: { read: number }) => upTo.push(read);
    const inbox = inboxWith({ poll: { pageSize: 10 }, onProgress });
    expect(await inbox.poll()).toMatchObject({ read: 25, added: 25 });
    expect(upTo.slice(0, 3)).toEqual([10, 20, 25]);
  });

  it('reads on where a poll broke off', async () => {
    await world.sell(25);
    const inbox = inboxWith({ poll: { pageSize: 10 } });
    let reads = 0;
    const isSecondPage = ({ endpoint }: { endpoint: string | undefined }) =>
      endpoint === 'GET /events' && (reads += 1) >= 2;
    world.emulator.faults.on(isSecondPage, fault.internalError());
    await expect(inbox.poll()).rejects.toMatchObject({ status: 500 });
    expect(await inbox.status()).toMatchObject({ waiting: 10 });
    world.emulator.faults.clear();
    await drain(inbox);
    expect(new Set(handled).size).toBe(25);
    expect(handled).toHaveLength(25);
  });

  it('heals a checkpoint that the service refuses, without handling anything twice', async () => {
    await world.sell(5);
    const inbox = inboxWith();
    await drain(inbox);
    await world.sell(1);
    const hasPlace = ({ rawQuery }: { rawQuery: string }) => rawQuery.includes('after_id');
    world.emulator.faults.on(hasPlace, fault.status(400));
    // The end of the history is behind such a place, too: a page of the whole is read.
    await inbox.poll().catch(() => undefined);
    world.emulator.faults.clear();
    await drain(inbox);
    expect(handled).toHaveLength(6);
    expect(new Set(handled).size).toBe(6);
  });

  it('stops at a gap that cannot be closed, and goes on when told to', async () => {
    await world.stop();
    world = await MarketWorld.start({ historyRetention: '7 days' });
    const engine = memoryEngine(world.time.options);
    const inbox = inboxWith({ engine });
    await world.sell(2);
    await drain(inbox);
    await world.time.advance(8 * 86_400_000);
    await world.sell(1);
    await expect(inbox.poll()).rejects.toMatchObject({ name: 'HistoryGapError' });
    expect((await inbox.status()).gap).toMatchObject({ name: 'HistoryGapError' });
    const delivery = await world.delivery((await world.events())[0]!);
    expect((await inbox.handle(delivery)).status).toBe(503);

    const going = inboxWith({ engine, onGap: () => 'from_beginning' });
    expect(await going.poll()).toMatchObject({ added: 1 });
    expect((await going.status()).gap).toBeNull();
  });

  it('does not handle again what was done and forgotten', async () => {
    const inbox = inboxWith({ keepDoneMs: 86_400_000 });
    await world.sell(2);
    await drain(inbox);
    const [first] = await world.events();
    await world.time.advance(2 * 86_400_000);
    expect(await inbox.prune()).toBe(2);
    await world.sell(1);
    await drain(inbox);
    expect((await inbox.handle(await world.delivery(first!))).status).toBe(200);
    await drain(inbox);
    expect(handled).toHaveLength(3);
  });

  it('skips a periodic poll when another process polled just now', async () => {
    const engine = memoryEngine(world.time.options);
    const one = inboxWith({ engine });
    const two = inboxWith({ engine });
    await one.start();
    await two.start();
    const reads = () =>
      world.emulator.requests.filter(({ path }) => path.endsWith('/events')).length;
    const before = reads();
    await world.time.advance(10 * 60_000);
    expect(reads() - before).toBeGreaterThanOrEqual(8);
    expect(reads() - before).toBeLessThanOrEqual(14);
  });
});

describe('handling', () => {
  it('handles the events of a sale in their order, one after the other', async () => {
    const [order] = await world.sell(1);
    world.emulator.admin.startTransfer(order!.public_id);
    world.emulator.admin.completeTransfer(order!.public_id);
    let running = 0;
    const slow = async (event: MarketEvent) => {
      expect((running += 1)).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      note(event);
      running -= 1;
    };
    const types = ['order.recorded', 'order.transfer_started', 'order.transfer_completed'];
    const inbox = inboxWith({ on: Object.fromEntries(types.map((type) => [type, slow])) });
    await drain(inbox);
    expect(handled).toEqual(types.map((type) => `${type} ${order!.public_id}`));
  });

  it('repeats a failed listener with growing waits, holds its sale and lets others pass', async () => {
    const [first, second] = await world.sell(2);
    world.emulator.admin.startTransfer(first!.public_id);
    let failures = 2;
    const failing = (event: MarketEvent) => {
      note(event);
      const { order } = event.data as { order: { public_id: string } };
      if (order.public_id === first!.public_id && failures-- > 0) throw new Error('database down');
    };
    const inbox = inboxWith({
      on: { 'order.recorded': failing, 'order.transfer_started': note },
    });
    expect(await drain(inbox)).toEqual({ handled: 1, failed: 1, dead: 0, left: 2 });
    await world.time.advance(499);
    expect(await drain(inbox)).toMatchObject({ handled: 0, failed: 0 });
    await world.time.advance(1);
    expect(await drain(inbox)).toMatchObject({ failed: 1 });
    await world.time.advance(1_000);
    expect(await drain(inbox)).toEqual({ handled: 2, failed: 0, dead: 0, left: 0 });
    expect(handled.filter((line) => line.endsWith(second!.public_id))).toHaveLength(1);
    expect(handled.at(-1)).toBe(`order.transfer_started ${first!.public_id}`);
  });

  it('makes a dead letter of what fails for good; retry and discard free its sale', async () => {
    const [order] = await world.sell(1);
    world.emulator.admin.startTransfer(order!.public_id);
    world.emulator.admin.completeTransfer(order!.public_id);
    let broken = true;
    const dead: string[] = [];
    const inbox = inboxWith({
      retry: { maxAttempts: 2, baseMs: 10 },
      onDeadLetter: ({ id, error }) => dead.push(`${id} ${error.split('\n')[0]}`),
      on: {
        'order.recorded': (event) => {
          if (broken) throw new Error('no such column');
          note(event);
        },
        'order.transfer_started': () => Promise.reject(new Error('never')),
        'order.transfer_completed': note,
      },
    });
    const drainAll = async () => {
      for (let round = 0; round < 3; round += 1) {
        await drain(inbox);
        await world.time.advance(60_000);
      }
    };
    await drainAll();
    const [letter] = await inbox.deadLetters();
    expect(letter).toMatchObject({ orderingKey: order!.public_id, attempts: 2 });
    expect(dead).toEqual([`${letter!.id} Error: no such column`]);
    expect(await inbox.status()).toMatchObject({ dead: 1, waiting: 2 });

    broken = false;
    expect(await inbox.retry(letter!.id)).toBe(true);
    expect(await inbox.retry(letter!.id)).toBe(false);
    await drainAll();
    const [next] = await inbox.deadLetters();
    expect(next?.event.type).toBe('order.transfer_started');
    expect(await inbox.discard(next!.id, 'done by hand')).toBe(true);
    await drainAll();
    expect(handled.map((line) => line.split(' ')[0])).toEqual([
      'order.recorded',
      'order.transfer_completed',
    ]);
  });

  it('buries an event whose listener ends the process each time', async () => {
    const engine = memoryEngine(world.time.options);
    const open: typeof engine.open = async (spec) => {
      const queue = await engine.open(spec);
      // The job was claimed twelve times before, and nobody lived to say what came of it.
      const work: typeof queue.work = (run, options) =>
        queue.work((job) => run({ ...job, attempt: 13 }), options);
      return { ...queue, work };
    };
    const inbox = inboxWith({ engine: { ...engine, open } });
    await world.sell(1);
    expect(await drain(inbox)).toMatchObject({ handled: 0, dead: 1 });
    expect(handled).toEqual([]);
  });

  it('does not count an error of the credential against the event, for an hour', async () => {
    const failure = new AuthenticationError('wrong secret', { status: 401 });
    const inbox = inboxWith({
      retry: { maxAttempts: 2, baseMs: 1_000, maxMs: 1_000 },
      on: { 'order.recorded': () => Promise.reject(failure) },
    });
    await world.sell(1);
    for (let round = 0; round < 5; round += 1) {
      expect(await drain(inbox)).toMatchObject({ failed: 1, dead: 0 });
      await world.time.advance(60_000);
    }
    await world.time.advance(3_600_000);
    expect(await drain(inbox)).toMatchObject({ dead: 1 });
  });

  it('counts a listener that takes too long as a failed attempt, and tells it', async () => {
    let context: EventContext<never> | undefined;
    const inbox = inboxWith({
      handlerTimeoutMs: 5_000,
      on: {
        'order.recorded': (_event, given) => {
          context = given;
          return new Promise(() => undefined);
        },
      },
    });
    await world.sell(1);
    const drained = inbox.drain({ maxMs: 60_000 });
    await world.time.advance(5_001);
    expect(await drained).toMatchObject({ handled: 0, failed: 1 });
    expect(context?.signal.aborted).toBe(true);
  });

  it('gives running events back when the grace is over', async () => {
    let context: EventContext<never> | undefined;
    const listener = vi.fn((_event: MarketEvent, given: EventContext<never>) => {
      context = given;
      return new Promise(() => undefined);
    });
    const engine = memoryEngine(world.time.options);
    const inbox = inboxWith({ engine, on: { 'order.recorded': listener } });
    await world.sell(1);
    await inbox.start();
    await world.time.advance(0);
    expect(listener).toHaveBeenCalledOnce();
    const stopped = inbox.stop({ graceMs: 1_000 });
    await world.time.advance(999);
    expect(context?.signal.aborted).toBe(false);
    await world.time.advance(2);
    await stopped;
    expect(context?.signal.aborted).toBe(true);
    await drain(inboxWith({ engine }));
    expect(handled).toHaveLength(1);
  });

  it('refuses commit where the engine has no transactions', async () => {
    let refusal: unknown;
    const inbox = inboxWith({
      on: {
        'order.recorded': async (_event, { commit }) => {
          await commit(() => undefined).catch((error: unknown) => (refusal = error));
        },
      },
    });
    await world.sell(1);
    await drain(inbox);
    expect(refusal).toBeInstanceOf(TypeError);
  });
});

describe('life', () => {
  it('does not start when the first poll fails', async () => {
    const { keyId, secret } = world.emulator.createCredential({ scopes: ['search'] });
    const market = world.client({ keyId, secret });
    await expect(inboxWith({ market }).start()).rejects.toMatchObject({ name: 'ForbiddenError' });
  });

  it('polls and handles from time to time once it was started', async () => {
    const inbox = inboxWith();
    await inbox.start();
    await world.sell(2);
    await world.time.advance(80_000);
    expect(handled).toHaveLength(2);
    world.emulator.faults.on('GET /events', fault.internalError());
    await world.time.advance(200_000);
    world.emulator.faults.clear();
    await world.sell(1);
    await world.time.advance(80_000);
    expect(handled).toHaveLength(3);
  });

  it.each<[string, Record<string, unknown>]>([
    ['"retires" is not an option', { retires: 3 }],
    ['"on.order.setled" is not an option', { on: { 'order.setled': note } }],
    ['"on[\'order.settled\']" must be a function', { on: { 'order.settled': 'x' } }],
    ['"startFrom" must be', { startFrom: 'start' }],
    ['"market" must have a method "events.list"', { market: {} }],
    ['"engine" must have a method "open"', { engine: 'market.db' }],
    ['"concurrency" must be a whole number', { concurrency: 0 }],
    ['"keepDoneMs" must be a whole number', { keepDoneMs: 1_000 }],
    ['"poll.everyMs" must be a whole number', { poll: { everyMs: 0.5 } }],
    ['"poll.every" is not an option', { poll: { every: 1 } }],
    ['"retry.maxMs" must not be below', { retry: { baseMs: 10, maxMs: 1 } }],
    ['"name" must be', { name: 'a:b' }],
  ])('refuses a wrong option: %s', (message, options) => {
    expect(() => inboxWith(options)).toThrow(message);
  });
});

describe('less common ways', () => {
  it('without a secret each delivery is answered 500 with the reason in the log, and no webhook counts as missed', async () => {
    const log = recordingLogger();
    const inbox = inboxWith({ secret: undefined, logger: log.logger });
    await world.sell(1);
    const [event] = await world.events();
    expect((await inbox.handle(await world.delivery(event!))).status).toBe(500);
    expect(log.lines).toMatchObject([
      { fields: { error: expect.stringContaining('"secret" is not set') as string } },
    ]);
    await drain(inbox);
    expect(handled).toHaveLength(1);
    await world.time.advance(120_000);
    expect(await inbox.status()).toMatchObject({ missedWebhooks: 0 });
  });

  it('a delivery of what was handled and forgotten long ago is answered 200 and not stored', async () => {
    const inbox = inboxWith({ keepDoneMs: 86_400_000 });
    const old = { id: 'evt_old', type: 'order.recorded', created_at: '2026-01-01T00:00:00Z' };
    const delivery = await world.delivery({ ...old, data: { order: { public_id: 'ord_1' } } });
    const before = world.emulator.requests.length;
    expect((await inbox.handle(delivery)).status).toBe(200);
    expect(world.emulator.requests).toHaveLength(before);
    expect(await inbox.status()).toMatchObject({ waiting: 0 });
  });

  it('"orderingKey" decides what waits for what', async () => {
    await world.sell(3);
    const [first] = (await world.events()).map(({ id }) => id);
    const attempts: string[] = [];
    const inbox = inboxWith({
      orderingKey: () => 'all',
      on: {
        'order.recorded': ({ id }) => {
          attempts.push(id);
          return id === first ? Promise.reject(new Error('database down')) : undefined;
        },
      },
    });
    expect(await drain(inbox)).toEqual({ handled: 0, failed: 1, dead: 0, left: 3 });
    expect(attempts).toEqual([first]);
  });

  it('a type of a later version goes to onUnknown, and an event without an order waits for none', async () => {
    const unknown: string[] = [];
    const events = [
      { id: 'evt_a', type: 'domain.renamed', data: {} },
      { id: 'evt_b', type: 'domain.renamed', data: { order: 'ord_1' } },
      { id: 'evt_c', type: 'domain.renamed', data: { order: { public_id: '' } } },
      'no event',
      { id: '', type: 'domain.renamed', data: {} },
    ].map((event) => (typeof event === 'string' ? event : { created_at: nowIso(), ...event }));
    const page = { items: events, hasNextPage: () => false };
    const market = { events: { list: () => Promise.resolve(page) } } as never;
    const inbox = inboxWith({
      market,
      onUnknown: ({ id }) => {
        unknown.push(id);
        if (id === 'evt_a') throw new Error('fails alone');
      },
    });
    expect(await inbox.poll()).toMatchObject({ read: 3, added: 3 });
    expect(await drain(inbox)).toMatchObject({ handled: 2, failed: 1 });
    expect(unknown.sort()).toEqual(['evt_a', 'evt_b', 'evt_c']);
  });

  it('an event is left to the process that has a listener for it, as in a rolling deploy', async () => {
    const engine = memoryEngine(world.time.options);
    const old = inboxWith({ engine, on: { 'order.recorded': note } });
    const current = inboxWith({ engine });
    const [order] = await world.sell(1);
    world.emulator.admin.startTransfer(order!.public_id);
    await current.poll();
    await drain(old);
    expect(handled).toEqual([`order.recorded ${order!.public_id}`]);
    expect(await old.status()).toMatchObject({ waiting: 1, dead: 0 });
    await world.time.advance(1_000);
    await drain(current);
    expect(handled.at(-1)).toBe(`order.transfer_started ${order!.public_id}`);
  });

  it('an event whose listener is gone for good is a dead letter that says so', async () => {
    const engine = memoryEngine(world.time.options);
    await inboxWith({ engine }).poll();
    await world.sell(1);
    await inboxWith({ engine }).poll();
    const without = inboxWith({ engine, on: {}, retry: { maxAttempts: 2 } });
    await drain(without);
    await world.time.advance(60_000);
    await drain(without);
    const [letter] = await without.deadLetters();
    expect(letter!.error).toContain('has no listener for order.recorded');
    expect(await without.discard(letter!.id, 'not needed any more')).toBe(true);
  });

  it('an engine that cannot be opened is asked again by the next call', async () => {
    const engine = memoryEngine(world.time.options);
    let isDown = true;
    const open: typeof engine.open = (spec) =>
      isDown ? Promise.reject(new Error('no database')) : engine.open(spec);
    const inbox = inboxWith({ engine: { ...engine, open } });
    await expect(inbox.start()).rejects.toThrow('no database');
    isDown = false;
    await inbox.start();
    await inbox.start();
    expect(await inbox.status()).toMatchObject({ waiting: 0 });
  });

  it('a callback that fails, and an error that is no Error, change nothing that is stored', async () => {
    const errors: string[] = [];
    const inbox = inboxWith({
      retry: { maxAttempts: 1 },
      logger: { debug: ignore, info: ignore, warn: ignore, error: (text) => errors.push(text) },
      onDeadLetter: () => Promise.reject(new Error('mail server down')),
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a listener may
      on: { 'order.recorded': () => Promise.reject('') },
    });
    await world.sell(1);
    expect(await drain(inbox)).toMatchObject({ dead: 1 });
    expect(await inbox.deadLetters()).toMatchObject([{ error: 'unknown' }]);
    expect(errors).toContain('A callback of the inbox or outbox failed.');
  });

  it('an error of the credential after the last attempt is not the end of the event', async () => {
    const failure = new AuthenticationError('wrong secret', { status: 401 });
    let isWrong = true;
    const inbox = inboxWith({
      retry: { maxAttempts: 1, baseMs: 1_000, maxMs: 1_000 },
      on: { 'order.recorded': (event) => (isWrong ? Promise.reject(failure) : note(event)) },
    });
    await world.sell(1);
    expect(await drain(inbox)).toMatchObject({ failed: 1, dead: 0 });
    await world.time.advance(1_000);
    expect(await drain(inbox)).toMatchObject({ failed: 1, dead: 0 });
    isWrong = false;
    await world.time.advance(1_000);
    expect(await drain(inbox)).toMatchObject({ handled: 1 });
  });

  it('a history that fails behind the checkpoint is no gap: the next poll goes on', async () => {
    const inbox = inboxWith();
    await world.sell(2);
    await drain(inbox);
    world.emulator.faults.on('GET /events', fault.internalError());
    await expect(inbox.poll()).rejects.toMatchObject({ status: 500 });
    expect((await inbox.status()).gap).toBeNull();
    world.emulator.faults.clear();
    await world.sell(1);
    await drain(inbox);
    expect(handled).toHaveLength(3);
  });

  it('a long overlap is kept by fewer places, and still finds what is late', async () => {
    const inbox = inboxWith({ poll: { overlapEvents: 250, overlapMs: 0 } });
    await world.sell(240);
    world.emulator.faults.history.late('2 minutes', { times: 1 });
    await world.sell(1);
    await world.sell(20);
    await drain(inbox);
    expect(handled).toHaveLength(260);
    await world.time.advance(121_000);
    expect(await inbox.poll()).toMatchObject({ added: 1, late: 1 });
  });

  it('an await using inbox stops at the end of its block', async () => {
    const inbox = inboxWith();
    await inbox.start();
    await inbox[Symbol.asyncDispose]();
    await world.sell(1);
    await world.time.advance(120_000);
    expect(handled).toEqual([]);
  });

  it('refuses options that are none', () => {
    expect(() => createEventInbox(null as never)).toThrow('The options must be an object');
    expect(() => inboxWith({ on: null as never })).toThrow('"on" must be an object');
  });

  const ignore = () => undefined;
  const nowIso = () => new Date(world.time.nowMs).toISOString();
});
