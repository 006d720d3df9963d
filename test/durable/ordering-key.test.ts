import { createEventInbox, memoryEngine, type EventInbox } from 'market-partner-sdk/durable';
import type { MarketEvent } from 'market-partner-sdk';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordingLogger } from '../support/recording-logger.js';
import { MarketWorld, secret } from './support/market-world.js';

let world: MarketWorld;
let inbox: EventInbox | undefined;

beforeEach(async () => {
  world = await MarketWorld.start();
});
afterEach(async () => {
  await inbox?.stop({ graceMs: 0 });
  await world.stop();
});

const badKeys: [string, (event: MarketEvent) => unknown][] = [
  ['throws', ({ data }) => (data as { order: { owner: { id: string } } }).order.owner.id],
  ['returns an empty text', () => ''],
  ['returns no text', () => 7],
  ['returns half a character', () => '\ud800'],
];

it.each(badKeys)(
  'an "orderingKey" that %s for one event stops no other',
  async (_what, orderingKey) => {
    const handled: string[] = [];
    const { logger, lines } = recordingLogger();
    await world.sell(2);
    const [first, second] = await world.events();
    inbox = createEventInbox({
      market: world.market,
      secret,
      startFrom: 'beginning',
      logger,
      engine: memoryEngine(world.time.options),
      ...world.time.options,
      orderingKey: (event) => (event.id === first!.id ? orderingKey(event) : 'all') as string,
      on: { 'order.recorded': ({ id }) => handled.push(id) },
    });
    expect(await inbox.poll()).toMatchObject({ added: 2 });
    expect((await inbox.handle(await world.delivery(first!))).status).toBe(200);
    await inbox.drain({ maxMs: 10_000 });
    expect(handled.sort()).toEqual([first!.id, second!.id].sort());
    const { order } = first!.data as { order: { public_id: string } };
    const errors = lines.filter(({ level }) => level === 'error');
    expect(errors).toMatchObject([{ fields: { id: first!.id, orderingKey: order.public_id } }]);
    expect(errors[0]!.message).toContain('orderingKey');
  },
);
