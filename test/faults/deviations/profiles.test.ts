/** A client with the profile of a service does all main jobs with it: reads, sells, hears events, compares the books. */

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MarketClient, type Profile } from 'market-partner-sdk';
import { createEventInbox, createOrderOutbox, memoryEngine } from 'market-partner-sdk/durable';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { learnSandbox } from '../../../src/command-line/doctor/learn-report.js';

const services: Readonly<Record<string, Omit<Profile, 'version'>>> = {
  'ids of the last record, epoch times': {
    naming: { id: 'id' },
    paging: { by: 'last', param: 'starting_after', more: 'has_more' },
    errors: { code: 'error.code', message: 'error.message' },
    dates: { form: 'seconds' },
    statuses: { REVERSED: 'REFUNDED' },
  },
  'records in data, next links': {
    records: { at: 'data' },
    lists: { empty: ['404'] },
    paging: { by: 'link', next: 'links.next' },
    errors: { code: 'error' },
  },
  'camel case, pages by number': {
    lists: { items: 'content', empty: ['absent'] },
    naming: { case: 'camel' },
    paging: { by: 'page', pages: 'totalPages' },
    dates: { form: 'milliseconds' },
  },
  'decimals as text, offsets': {
    lists: { items: 'results' },
    amounts: { form: 'text', unit: 'major', suffix: '' },
    paging: { by: 'offset', total: 'count' },
    inputs: { refund: { fields: { public_id: 'order_id' } } },
  },
  'cursors in meta, records under their noun': {
    lists: { items: '{noun}', empty: ['null'] },
    records: { at: '{noun}' },
    paging: { by: 'cursor', next: 'meta.cursors.after', param: 'after' },
    fields: { detail: { timeline: '/timeline' } },
  },
  'a result in an envelope, errors with 200': {
    lists: { items: 'result.items', empty: ['204'] },
    records: { at: 'result' },
    errors: { code: 'error.code', message: 'error.message', in200: { at: 'ok', is: false } },
    paging: { by: 'cursor', next: 'result.next_cursor' },
    events: { order: 'newest' },
    amounts: { form: 'object', at: 'value' },
  },
};

/** What `doctor --learn` writes of a service with three orders, and what only a write shows. */
async function learned(profile: Profile, emulator: MarketEmulator): Promise<Profile> {
  const { keyId, secret } = emulator.createCredential();
  const { baseUrl, fetch } = emulator;
  const seller = new MarketClient({ baseUrl, keyId, secret, fetch, profile });
  for (const name of ['beans', 'cups', 'mugs']) {
    const domain = `${name}.example`;
    emulator.admin.list({ domain, price_cents: 250_000 });
    await seller.orders.create({ domain, expected_price: 250_000 });
  }
  const market = new MarketClient({ baseUrl, keyId, secret, fetch, maxRetries: 0 });
  const file = join(mkdtempSync(join(tmpdir(), 'learn-')), 'market.profile.json');
  const signal = AbortSignal.timeout(60_000);
  await learnSandbox(market, file, { quote: false, sale: undefined, signal });
  await Promise.all([market.close(), seller.close()]);
  const { statuses, inputs } = profile;
  const read = JSON.parse(readFileSync(file, 'utf8')) as Profile;
  return { ...read, ...(statuses && { statuses }), ...(inputs && { inputs }) };
}

async function open(profile: Profile, isLearned = false) {
  const emulator = await MarketEmulator.start({ profile, seed: 1 });
  onTestFinished(() => emulator.stop());
  const { keyId, secret } = emulator.createCredential();
  const { baseUrl, fetch } = emulator;
  if (isLearned) emulator.admin.list({ domain: 'data.example', price_cents: 250_000 });
  const own = isLearned ? await learned(profile, emulator) : profile;
  const options = { baseUrl, keyId, secret, fetch, profile: own };
  const market = new MarketClient(options);
  /** An hour later, when nothing is young. */
  const later = new MarketClient({ ...options, clock: () => Date.now() + 3_600_000 });
  onTestFinished(async () => {
    await Promise.all([market.close(), later.close()]);
  });
  for (const name of ['brew', 'coffee', 'roast', 'tea', 'shop', 'latte']) {
    emulator.admin.list({ domain: `${name}.example`, price_cents: 250_000 });
  }
  return { emulator, market, later };
}

describe.each(Object.entries(services))('at a service with %s', (_name, given) => {
  const profile: Profile = { version: 1, ...given };

  it('the calls give their records under our names', async () => {
    const { market } = await open(profile);
    const quote = await market.orders.quote({ domain: 'brew.example' });
    expect(quote).toMatchObject({ price_cents: 250_000, currency: 'USD' });
    expect(typeof quote.quote_id).toBe('string');
    const input = { domain: 'brew.example', expected_price: 250_000, quote_id: quote.quote_id };
    const order = await market.orders.create(input, { idempotencyKey: 'payment-1' });
    expect(order).toMatchObject({
      public_id: expect.stringMatching(/^ord_/) as string,
      domain: 'brew.example',
      status: 'EXTERNALLY_PAID',
      sale_price_cents: 250_000,
    });
    for (const name of ['coffee', 'roast', 'tea']) {
      await market.orders.create({ domain: `${name}.example`, expected_price: 250_000 });
    }
    const pages = await market.orders.list({ limit: 2 }).toArray();
    expect(new Set(pages.map(({ domain }) => domain)).size).toBe(4);
    expect(pages.every(({ sale_price_cents: cents }) => cents === 250_000)).toBe(true);
    expect(await market.orders.list({ domain: 'none.example' }).toArray()).toEqual([]);
    expect(await market.orders.get(order.public_id)).toMatchObject({
      public_id: order.public_id,
      timeline: expect.any(Array) as unknown[],
    });
    const pricing = market.domains.getPricing('unlisted.example');
    await expect(pricing).rejects.toMatchObject({ name: 'NotFoundError', code: 'not_found' });
  });

  it.each([
    ['given', false],
    ['learned', true],
  ])(
    'with the %s profile the outbox places one order, the inbox hears it, the books agree',
    async (_whose, isLearned) => {
      const { emulator, market, later } = await open(profile, isLearned);
      const before = (await market.events.list().toArray()).length;
      const ends: string[] = [];
      const outbox = createOrderOutbox({
        market,
        engine: memoryEngine(),
        onPlaced: (_order, { key }) => ends.push(`${key} placed`),
        onRefused: ({ reason }, { key }) => ends.push(`${key} ${reason}`),
        onAttention: ({ reason, message }, { key }) => ends.push(`${key} ${reason} ${message}`),
        logger: false,
      });
      const heard: string[] = [];
      const inbox = createEventInbox({
        market,
        engine: memoryEngine(),
        secret: 'whsec_public',
        startFrom: 'beginning',
        onEvent: ({ type }) => heard.push(type),
        logger: false,
      });
      emulator.admin.delist('shop.example');
      for (const name of ['latte', 'shop']) {
        const order = { domain: `${name}.example`, expected_price: 250_000 };
        await outbox.add({ key: `payment-${name}`, order });
      }
      await outbox.drain({ maxMs: 60_000 });
      expect(ends.sort()).toEqual(['payment-latte placed', 'payment-shop not_listed']);
      await inbox.drain({ maxMs: 60_000 });
      expect(heard).toEqual(Array.from({ length: before + 1 }, () => 'order.recorded'));
      expect(before).toBe(isLearned ? 3 : 0);
      emulator.clock.advance('1 hour');
      const sales = ['latte', 'shop'].map((name) => ({
        idempotencyKey: `payment-${name}`,
        startedAt: new Date(),
        input: {
          domain: `${name}.example`,
          expected_price: 250_000,
          external_payment_ref: `payment-${name}`,
        },
        state: name === 'latte' ? ('placed' as const) : ('refused' as const),
      }));
      const compared = later.orders.reconcile({ sales, from: new Date(Date.now() - 86_400_000) });
      // The books do not have what was sold before.
      const findings = (await compared.toArray()).filter(({ kind }) => kind !== 'unknown_here');
      expect(findings).toEqual([]);
      expect(compared.summary).toMatchObject({ sales: 2, agreed: 2 });
      await outbox.stop();
      await inbox.stop();
    },
  );
});

it('the outbox has its own quotes and refunds copy what the service asks for', async () => {
  const profile: Profile = {
    version: 1,
    inputs: {
      quote: { copy: { buyer_country: 'buyer.country' } },
      refund: {
        fields: { public_id: 'order_id' },
        copy: { amount_cents: 'sale_price_cents', currency: 'currency' },
        words: { reason: { '*': 'requested_by_customer' } },
      },
    },
  };
  const { emulator, market } = await open(profile);
  const ends: string[] = [];
  const outbox = createOrderOutbox({
    market,
    engine: memoryEngine(),
    onPlaced: ({ sale_price_cents: cents }) => ends.push(`placed ${cents}`),
    onRefused: ({ reason }) => ends.push(reason),
    onAttention: ({ message }) => ends.push(message),
    onRefunded: () => ends.push('refunded'),
    onNotRefunded: ({ message }) => ends.push(message),
    logger: false,
  });
  const buyer = { email: 'a@buyer.example', country: 'DE' };
  const order = { domain: 'latte.example', expected_price: 250_000, buyer };
  await outbox.add({ key: 'payment-1', order });
  emulator.admin.reprice('latte.example', 240_000);
  await outbox.drain({ maxMs: 60_000 });
  await outbox.refund('payment-1', { reason: 'buyer withdrew' });
  await outbox.drain({ maxMs: 60_000 });
  expect(ends).toEqual(['placed 240000', 'refunded']);
  const sent = emulator.requests.filter(({ method }) => method === 'POST');
  const bodyOf = (path: string) => {
    const request = sent.find((each) => each.path.endsWith(path));
    return JSON.parse(String(request?.body)) as unknown;
  };
  expect(bodyOf('/quotes')).toEqual({ domain: 'latte.example', buyer_country: 'DE' });
  expect(bodyOf('/refunds')).toEqual({
    order_id: expect.stringMatching(/^ord_/) as string,
    amount_cents: 240_000,
    currency: 'USD',
    reason: 'requested_by_customer',
  });
  await outbox.stop();
});
