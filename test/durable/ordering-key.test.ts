import type { MarketEvent } from 'market-partner-sdk';
import { expect, it } from 'vitest';
import { drain, useInboxHarness } from './support/inbox-harness.js';

const harness = useInboxHarness();

const badKeys: [string, (event: MarketEvent) => unknown][] = [
  ['throws', ({ data }) => (data as { order: { owner: { id: string } } }).order.owner.id],
  ['returns an empty text', () => ''],
  ['returns no text', () => 7],
  ['returns half a character', () => '\ud800'],
];

it.each(badKeys)(
  'an "orderingKey" that %s for one event stops no other',
  async (_what, orderingKey) => {
    const { world } = harness;
    await world.sell(2);
    const [first] = await world.events();
    const inbox = harness.inbox({
      orderingKey: (event) => (event.id === first!.id ? orderingKey(event) : 'all') as string,
    });
    expect(await inbox.poll()).toMatchObject({ added: 2 });
    expect((await inbox.handle(await world.delivery(first!))).status).toBe(200);
    await drain(inbox);
    expect(new Set(harness.handled).size).toBe(2);
    const { order } = first!.data as { order: { public_id: string } };
    const errors = harness.log.lines.filter(({ level }) => level === 'error');
    expect(errors).toMatchObject([{ fields: { id: first!.id, orderingKey: order.public_id } }]);
    expect(errors[0]!.message).toContain('orderingKey');
  },
);
