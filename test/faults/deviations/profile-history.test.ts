/** The history in each order that a profile knows: callers and the inbox read it oldest first, from where they left off. */

import { describe, expect, it, onTestFinished } from 'vitest';
import type { MarketEvent, Profile } from 'market-partner-sdk';
import { createEventInbox, memoryEngine } from 'market-partner-sdk/durable';
import { signWebhook } from 'market-partner-sdk/webhooks';
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

const wire = { url: 'http://127.0.0.1:9/hooks', partnerId: 'partner_1' };

function inboxOf({ world, market }: Awaited<ReturnType<typeof open>>) {
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
  return { inbox, heard };
}

/** The last delivery as the emulator sent it. Nothing listens there. */
async function delivered({ emulator }: MarketWorld) {
  await emulator.idle();
  const { body = '', signature = '' } = emulator.deliveries.at(-1) ?? {};
  return { body, headers: { 'x-market-signature': signature } };
}

it.each<[form: string, keys: Omit<Profile, 'version'>, sent: object]>([
  ['camel case', { naming: { case: 'camel' } }, { createdAt: expect.any(String) as string }],
  ['epoch times', { dates: { form: 'seconds' } }, { created_at: expect.any(Number) as number }],
  [
    'amounts in major units, other statuses',
    {
      amounts: { form: 'text', unit: 'major', suffix: '' },
      statuses: { PAID: 'EXTERNALLY_PAID' },
    },
    { data: { order: { sale_price: '1000.00', status: 'PAID' } } },
  ],
  [
    'fields elsewhere',
    { fields: { event: { data: 'payload', created_at: 'meta.at' }, order: { domain: 'name' } } },
    { payload: { order: { name: expect.any(String) as string } } },
  ],
])('an event in %s has one form, delivered and listed', async (_form, keys, sent) => {
  const given = await open({ version: 1, ...keys });
  const { world, market, sell } = given;
  world.emulator.admin.registerWebhook(wire.url, secret, { partnerId: 'prt_1' });
  const { inbox, heard } = inboxOf(given);
  await sell();
  const delivery = await delivered(world);
  expect(JSON.parse(delivery.body)).toMatchObject(sent);
  const [listed] = await market.events.list().toArray();
  expect((await inbox.handle(delivery)).status).toBe(200);
  await inbox.drain({ maxMs: 60_000 });
  expect(heard).toEqual([listed]);
  expect(listed).toMatchObject({
    type: 'order.recorded',
    created_at: expect.stringMatching(/^\d{4}-/) as string,
    data: {
      order: {
        domain: expect.stringMatching(/^sale-/) as string,
        sale_price_cents: 100_000,
        status: 'EXTERNALLY_PAID',
      },
    },
  });
  await inbox.stop({ graceMs: 0 });
});

it('an event that the history does not show is stored in our form', async () => {
  const given = await open({ version: 1, naming: { case: 'camel' }, dates: { form: 'seconds' } });
  const { world, sell } = given;
  world.emulator.admin.registerWebhook(wire.url, secret, { partnerId: 'prt_1' });
  const { inbox, heard } = inboxOf(given);
  // The history must once have shown whose it is.
  await sell();
  const first = inbox.handle(await delivered(world));
  await world.time.advance(60_000);
  expect((await first).status).toBe(200);
  world.emulator.faults.history.late('90 days');
  const { domain } = await sell();
  for (let minute = 0; minute < 40 && heard.length < 2; minute += 1) {
    const response = inbox.handle(await delivered(world));
    await world.time.advance(60_000);
    await response;
    await inbox.drain({ maxMs: 1_000 });
  }
  expect(heard.at(-1)).toMatchObject({
    type: 'order.recorded',
    created_at: expect.stringMatching(/^\d{4}-/) as string,
    partner_id: 'prt_1',
    data: { order: { domain, sale_price_cents: 100_000 } },
  });
  await inbox.stop({ graceMs: 0 });
});

it('a delivery that contradicts the profile is refused by its key', async () => {
  const given = await open({ version: 1, dates: { form: 'seconds' } });
  const lines: string[] = [];
  const inbox = createEventInbox({
    market: given.market,
    engine: memoryEngine(given.world.time.options),
    secret,
    startFrom: 'beginning',
    onEvent: () => undefined,
    logger: { warn: (line: string) => lines.push(line) },
    ...given.world.time.options,
  });
  const event = { id: 'evt_1', type: 'order.recorded', created_at: 'today', data: {} };
  expect((await inbox.handle(await given.world.delivery(event))).status).toBe(400);
  expect(lines.join()).toMatch(/no event|not an event: it contradicts "dates" of the profile/);
  await inbox.stop({ graceMs: 0 });
});

it('an id that is a whole number is a text, delivered as in the history', async () => {
  const { market } = await open({ version: 1 });
  const events = [{ id: 7, type: 'order.recorded', created_at: '2026-03-01T12:00:00Z', data: {} }];
  const numbered = market.withOptions({
    fetch: () => Promise.resolve(Response.json({ events, next_cursor: null })),
  });
  const heard: string[] = [];
  const inbox = createEventInbox({
    market: numbered,
    engine: memoryEngine(),
    secret,
    startFrom: 'beginning',
    onEvent: ({ id }) => heard.push(id),
    logger: false,
  });
  const body = JSON.stringify(events[0]);
  const headers = { 'x-market-signature': signWebhook(body, secret) };
  expect((await inbox.handle({ body, headers })).status).toBe(200);
  await inbox.drain({ maxMs: 60_000 });
  expect(heard).toEqual(['7']);
  await inbox.stop({ graceMs: 0 });
});
