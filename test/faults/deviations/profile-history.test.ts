/** The history in each order that a profile knows: callers and the inbox read it oldest first, from where they left off. */

import { describe, expect, it, onTestFinished } from 'vitest';
import type { MarketEvent, Profile } from 'market-partner-sdk';
import { createEventInbox, memoryEngine } from 'market-partner-sdk/durable';
import { MarketWorld, secret } from '../../durable/support/market-world.js';

const forms: [string, Profile['events']][] = [
  ['oldest first, the known event again', { inclusive: true }],
  ['newest first within a page', { order: 'newest' }],
  ['newest first within a page, the known event again', { order: 'newest', inclusive: true }],
  ['newest first, on to older ones', { order: 'newest', after: 'older' }],
  [
    'newest first, on to older ones, the known event again',
    { order: 'newest', after: 'older', inclusive: true },
  ],
];

async function open(profile: Profile) {
  const world = await MarketWorld.start({ profile });
  onTestFinished(() => world.stop());
  const market = world.client({ profile });
  onTestFinished(() => market.close());
  const sell = async () => {
    const domain = `sale-${world.emulator.requests.length}.example`;
    world.emulator.admin.list({ domain, price_cents: 100_000 });
    await world.time.advance(60_000);
    return market.orders.create({ domain, expected_price: 100_000 });
  };
  return { world, market, sell };
}

const domainsOf = (events: readonly MarketEvent[]) =>
  events.map(({ data }) => (data as { order: { domain: string } }).order.domain);

describe.each(forms)('a history %s', (_form, events) => {
  const profile: Profile = { version: 1, ...(events && { events }) };

  it('is listed oldest first, after the event that was asked for', async () => {
    const { world, market, sell } = await open(profile);
    const sold: string[] = [];
    for (let count = 0; count < 7; count += 1) sold.push((await sell()).domain);
    const all = await market.events.list({ limit: 2 }).toArray();
    expect(domainsOf(all)).toEqual(sold);
    const after = (at: number) => ({ limit: 2, after_id: all[at]?.id ?? '' });
    expect(domainsOf(await market.events.list(after(2)).toArray())).toEqual(sold.slice(3));
    expect(await market.events.list(after(6)).toArray()).toEqual([]);
    const unknown = market.events.list({ after_id: 'evt_unknown' });
    await expect(unknown).rejects.toMatchObject({ code: 'validation_error' });
    expect(world.emulator.requests.at(-1)?.path).toMatch(/\/events$/);
  });

  it('is read by an inbox in order, and on from where it was', async () => {
    const { world, market, sell } = await open(profile);
    const heard: MarketEvent[] = [];
    const inbox = createEventInbox({
      market,
      engine: memoryEngine(world.time.options),
      secret,
      startFrom: 'beginning',
      poll: { pageSize: 2 },
      onEvent: (event) => heard.push(event),
      logger: false,
      ...world.time.options,
    });
    const sold: string[] = [];
    for (let count = 0; count < 5; count += 1) sold.push((await sell()).domain);
    await inbox.drain({ maxMs: 60_000 });
    expect(domainsOf(heard)).toEqual(sold);
    for (let count = 0; count < 3; count += 1) sold.push((await sell()).domain);
    await inbox.drain({ maxMs: 60_000 });
    expect(domainsOf(heard)).toEqual(sold);
    await inbox.stop({ graceMs: 0 });
  });
});

it('a profile without the newest first has no way to older events', () => {
  const profile = { version: 1, events: { after: 'older' } } as const;
  const world = MarketWorld.start({ profile });
  return expect(world).rejects.toThrow(/"profile\.events" must have "order": "newest"/);
});

it.each([
  ['camel case', { naming: { case: 'camel' } }],
  ['epoch times', { dates: { form: 'seconds' } }],
  [
    'amounts in major units, other statuses',
    {
      amounts: { form: 'text', unit: 'major', suffix: '' },
      statuses: { PAID: 'EXTERNALLY_PAID' },
    },
  ],
] as const)('an event in %s has our form, though a delivery came first', async (_form, keys) => {
  const profile: Profile = { version: 1, ...keys };
  const { world, market, sell } = await open(profile);
  const heard: MarketEvent[] = [];
  const inbox = createEventInbox({
    market,
    engine: memoryEngine(world.time.options),
    secret,
    startFrom: 'beginning',
    onEvent: (event) => heard.push(event),
    logger: false,
    ...world.time.options,
  });
  await sell();
  const [listed] = await market.events.list().toArray();
  const response = await inbox.handle(await world.delivery(listed ?? {}));
  expect(response.status).toBe(200);
  await inbox.drain({ maxMs: 60_000 });
  expect(heard).toEqual([listed]);
  expect(listed).toMatchObject({
    type: 'order.recorded',
    created_at: expect.stringMatching(/^\d{4}-/) as string,
    data: { order: { sale_price_cents: 100_000, status: 'EXTERNALLY_PAID' } },
  });
  await inbox.stop({ graceMs: 0 });
});
