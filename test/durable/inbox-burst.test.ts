import type { MarketEvent } from 'market-partner-sdk';
import { expect, it } from 'vitest';
import { useInboxHarness } from './support/inbox-harness.js';
import { withQueues } from './support/open-engines.js';

const harness = useInboxHarness();

/** A history that takes 50 ms for each request, and when each came. */
class SlowHistory {
  readonly events: MarketEvent[] = [];
  readonly requests: number[] = [];

  add(): MarketEvent {
    const number = this.events.length + 1;
    const event = {
      id: `evt_${number}`,
      type: 'order.recorded',
      created_at: new Date(harness.world.time.nowMs).toISOString(),
      data: { order: { public_id: `ord_${number}` } },
    } as unknown as MarketEvent;
    this.events.push(event);
    return event;
  }

  readonly market = {
    events: {
      list: ({ after_id, limit = 100 }: { after_id?: string; limit?: number }) =>
        this.#page(this.events.findIndex(({ id }) => id === after_id) + 1, limit),
    },
  } as never;

  async #page(from: number, limit: number): Promise<unknown> {
    this.requests.push(harness.world.time.nowMs);
    await harness.world.time.options.sleep(50, new AbortController().signal);
    const items = this.events.slice(from, from + limit);
    return {
      items,
      // The service names a next position on the last page, too.
      hasNextPage: () => items.length > 0,
      nextPage: () => this.#page(from + limit, limit),
    };
  }
}

it('50 deliveries a second are answered 200 within 1.5 s, by at most 25 requests a second', async () => {
  const history = new SlowHistory();
  // What the last minute of such a burst leaves in the overlap, which periodic polls read again.
  for (let event = 0; event < 3_000; event += 1) history.add();
  const inbox = harness.inbox({ market: history.market, poll: { everyMs: 10_000 } });
  const started = inbox.start();
  await harness.world.time.advance(5_000);
  await started;
  const answers: { status: number; tookMs: number }[] = [];
  const deliver = async (event: MarketEvent) => {
    const begunAt = harness.world.time.nowMs;
    const { status } = await inbox.handle(await harness.world.delivery(event));
    answers.push({ status, tookMs: harness.world.time.nowMs - begunAt });
  };
  const deliveries = 50 * 15;
  history.requests.length = 0;
  for (let delivery = 0; delivery < deliveries; delivery += 1) {
    void deliver(history.add());
    await harness.world.time.advance(20);
  }
  await harness.world.time.advance(2_000);
  expect(answers).toHaveLength(deliveries);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const sorted = answers.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  expect(sorted[Math.floor(sorted.length * 0.99)]).toBeLessThan(1_500);
  expect(busiestSecond(history.requests)).toBeLessThanOrEqual(25);
});

function busiestSecond(times: readonly number[]): number {
  const inSecond = (from: number) => times.filter((at) => at >= from && at < from + 1_000).length;
  return Math.max(...times.map(inSecond));
}

it('a delivery by itself costs the page with its event and the empty one after it', async () => {
  const inbox = harness.inbox();
  await harness.world.sell(200);
  await inbox.poll();
  for (let sale = 0; sale < 3; sale += 1) {
    const event = (await harness.sold(1)).at(-1)!;
    const before = harness.reads;
    expect((await inbox.handle(await harness.world.delivery(event))).status).toBe(200);
    expect(harness.reads - before).toBe(2);
  }
});

it('polls for deliveries do not replace the periodic one that reads the overlap', async () => {
  const inbox = harness.inbox();
  await inbox.start();
  harness.world.emulator.faults.history.late('30 seconds', { times: 1 });
  await harness.world.sell(1);
  for (let second = 0; second < 10; second += 1) {
    const event = (await harness.sold(1)).at(-1)!;
    await harness.deliver(inbox, event);
    await harness.world.time.advance(5_000);
  }
  expect(harness.handled).toHaveLength(11);
  expect(await inbox.status()).toMatchObject({ late: 1 });
});

it.each([
  ['is refused', 'refuses'],
  ['is slow', 'hangs'],
] as const)(
  'a delivery whose event another instance stores is answered 200 where its own poll %s',
  async (_, own) => {
    const engine = harness.engine;
    const [event] = await harness.sold(1);
    let hasAsked = false;
    const list = async () => {
      hasAsked = true;
      await harness.world.time.options.sleep(
        own === 'hangs' ? 60_000 : 100,
        new AbortController().signal,
      );
      throw new Error('429');
    };
    const other = harness.inbox({ engine });
    const inbox = harness.inbox({ engine, market: { events: { list } } as never });
    const waiting = inbox.handle(await harness.world.delivery(event!));
    await harness.world.time.advance(50);
    expect(hasAsked).toBe(true);
    await other.poll();
    await harness.world.time.advance(1_000);
    expect(await Promise.race([waiting, Promise.resolve('still waiting')])).toMatchObject({
      status: 200,
    });
  },
);

it('a poll that takes long costs the store a few questions, and leaves no timer behind', async () => {
  let questions = 0;
  const engine = withQueues(harness.engine, (queue) => ({
    find: (ids) => {
      questions += 1;
      return queue.find(ids);
    },
  }));
  const [event] = await harness.sold(1);
  const sleep = harness.world.time.options.sleep;
  const list = async () => {
    await sleep(20_000, new AbortController().signal);
    throw new Error('too slow');
  };
  const inbox = harness.inbox({ engine, market: { events: { list } } as never });
  const answer = inbox.handle(await harness.world.delivery(event!));
  await harness.world.time.advance(5_000);
  expect((await answer).status).toBe(503);
  const asked = questions;
  expect(asked).toBeLessThanOrEqual(6);
  await harness.world.time.advance(10_000);
  expect(questions).toBe(asked);
});
