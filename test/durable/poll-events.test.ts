import { pollEvents, type Checkpoint, type PollEventsOptions } from 'market-partner-sdk/durable';
import { fault } from 'market-partner-sdk/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MarketWorld, secret } from './support/market-world.js';

let world: MarketWorld;
let saved: Checkpoint | undefined;
let queued: string[];

beforeEach(async () => {
  world = await MarketWorld.start();
  saved = undefined;
  queued = [];
});
afterEach(() => world.stop());

const relayWith = (options: Partial<PollEventsOptions> = {}) =>
  pollEvents({
    logger: false,
    market: world.market,
    startFrom: 'beginning',
    ...world.time.options,
    checkpoint: { read: () => saved, write: (checkpoint) => (saved = checkpoint) },
    enqueue: (events) => queued.push(...events.map(({ id }) => id)),
    ...options,
  });

it('hands every event on, in order, and goes on from the checkpoint', async () => {
  await world.sell(3);
  expect(await relayWith().poll()).toMatchObject({ read: 3, added: 3 });
  await world.sell(2);
  await relayWith().poll();
  expect([...new Set(queued)]).toEqual((await world.events()).map(({ id }) => id));
});

it('writes no checkpoint for what was not taken', async () => {
  await world.sell(2);
  const enqueue = () => Promise.reject(new Error('queue down'));
  await expect(relayWith({ enqueue }).poll()).rejects.toThrow('queue down');
  expect(saved).toBeUndefined();
  await relayWith().poll();
  expect(queued).toHaveLength(2);
});

it('polls when a webhook comes, and answers 200 once the event was taken', async () => {
  const relay = relayWith({ secret });
  await world.sell(1);
  const [event] = await world.events();
  expect((await relay.handler.handle(await world.delivery(event!))).status).toBe(200);
  expect(queued).toEqual([event!.id]);
  const unknown = await world.delivery({ ...event, id: 'evt_unknown' });
  expect((await relay.handler.handle(unknown)).status).toBe(503);
});

it('polls until its signal fires', async () => {
  const stop = new AbortController();
  const running = relayWith({ signal: stop.signal, poll: { everyMs: 10_000 } }).run();
  await world.sell(1);
  await world.time.advance(60_000);
  expect(queued).toContain((await world.events())[0]!.id);
  stop.abort();
  await running;
});

it('refuses a wrong option by its name', () => {
  expect(() => relayWith({ put: 1 } as never)).toThrow('"put" is not an option');
  expect(() => relayWith({ enqueue: undefined as never })).toThrow('"enqueue"');
  expect(() => relayWith({ onGap: 'stop' as never })).toThrow('"onGap" must be a function');
  expect(() => relayWith({ onProgress: true as never })).toThrow('"onProgress" must be a function');
  expect(() => relayWith({ signal: {} as never })).toThrow('"signal" must be an AbortSignal');
});

it('logs a poll that failed, and reads it all with the next', async () => {
  const stop = new AbortController();
  const warnings: string[] = [];
  const ignore = () => undefined;
  const warn = (message: string) => warnings.push(message);
  const logger = { debug: ignore, info: ignore, warn, error: warn };
  const options = { signal: stop.signal, poll: { everyMs: 10_000, overlapEvents: 0 }, logger };
  const running = relayWith(options).run();
  await world.time.advance(1_000);
  await world.sell(1);
  world.emulator.faults.on('GET /events', fault.internalError());
  await world.time.advance(15_000);
  expect([queued, warnings.length > 0]).toEqual([[], true]);
  world.emulator.faults.clear();
  await world.time.advance(15_000);
  // Polls overlap, and come at times that vary.
  expect(new Set(queued).size).toBe(1);
  stop.abort();
  await running;
});

it('answers 503 while the queue is down, and 500 to every delivery without a secret', async () => {
  await world.sell(1);
  const [event] = await world.events();
  const down = relayWith({ secret, enqueue: () => Promise.reject(new Error('queue down')) });
  expect((await down.handler.handle(await world.delivery(event!))).status).toBe(503);
  const open = relayWith();
  expect((await open.handler.handle(await world.delivery(event!))).status).toBe(500);
  expect(queued).toEqual([]);
});

it('answers 200 to a delivery that comes again, without a poll', async () => {
  const relay = relayWith({ secret });
  await world.sell(1);
  const delivery = await world.delivery((await world.events())[0]!);
  await relay.handler.handle(delivery);
  const before = world.emulator.requests.length;
  expect((await relay.handler.handle(delivery)).status).toBe(200);
  expect(world.emulator.requests).toHaveLength(before);
});

it('goes on after a gap unless onGap says otherwise', async () => {
  await world.stop();
  world = await MarketWorld.start({ historyRetention: '7 days' });
  await world.sell(1);
  await relayWith().poll();
  await world.time.advance(8 * 86_400_000);
  await world.sell(1);
  const stopped = relayWith({ onGap: () => 'stop' }).poll();
  await expect(stopped).rejects.toMatchObject({ name: 'HistoryGapError' });
  const gaps: unknown[] = [];
  const onGap = (gap: unknown) => {
    gaps.push(gap);
    return 'from_beginning' as const;
  };
  const seen: string[] = [];
  const onProgress = ({ upTo }: { upTo: string }) => seen.push(upTo);
  const decided = relayWith({
    onGap,
    onProgress,
    checkpoint: { read: () => saved, write: () => 0 },
  });
  expect(await decided.poll()).toMatchObject({ added: 1 });
  expect([gaps.length, seen.length]).toEqual([1, 1]);
  expect(await relayWith().poll()).toMatchObject({ added: 1 });
});

it.each([
  [
    'throws',
    () => {
      throw new Error('metrics down');
    },
  ],
  ['rejects', () => Promise.reject(new Error('metrics down'))],
])('an "onProgress" that %s changes nothing', async (_what, onProgress) => {
  await world.sell(1);
  expect(await relayWith({ onProgress }).poll()).toMatchObject({ added: 1 });
  expect(queued).toHaveLength(1);
});
