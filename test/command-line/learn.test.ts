/** `doctor --learn`: what the reads of a sandbox show of how it answers. */

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { MarketClient } from 'market-partner-sdk';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { learn } from '../../src/command-line/doctor/learn.js';
import { caller } from '../testing/independent-signer.js';
import { doctor, run, service } from './run-doctor.js';
import type { Profile } from '../../src/client/profile/profile.js';

let emulator: MarketEmulator | undefined;
afterEach(async () => emulator?.stop());

async function start(profile: Profile) {
  let nowMs = Date.parse('2026-11-21T12:00:00Z');
  emulator = await MarketEmulator.start({ profile, seed: 1, clock: () => nowMs });
  const credential = emulator.createCredential();
  const { keyId, secret } = credential;
  const { baseUrl, fetch } = emulator;
  const clock = () => nowMs;
  const market = new MarketClient({ baseUrl, keyId, secret, fetch, clock, maxRetries: 0 });
  const call = caller(emulator, credential);
  for (const name of ['brew', 'coffee', 'roast', 'tea', 'shop']) {
    nowMs += 60_000;
    const domain = `${name}.example`;
    emulator.admin.list({ domain, price_cents: 250_050 });
    const price = 250_050;
    const isCamel = profile.naming?.case === 'camel';
    const input = {
      domain,
      [isCamel ? 'expectedPrice' : 'expected_price']: price,
      [isCamel ? 'externalPaymentRef' : 'external_payment_ref']: `payment-${name}`,
    };
    const placed = await call('POST /orders', { body: input, key: name });
    expect(placed.status, JSON.stringify(placed.json)).toBe(201);
  }
  return { market, emulator };
}

const options = { quote: false, sale: undefined, signal: AbortSignal.timeout(60_000) };

/** What a read can show of six services, and what only a write does. */
const services: Readonly<Record<string, { seen: Omit<Profile, 'version'>; unseen?: object }>> = {
  'ids of the last record, epoch times': {
    seen: {
      naming: { id: 'id' },
      paging: { by: 'last', param: 'starting_after', more: 'has_more' },
      errors: { code: 'error.code', message: 'error.message' },
      dates: { form: 'seconds' },
    },
    unseen: { statuses: { REVERSED: 'REFUNDED' } },
  },
  'records in data, next links': {
    seen: {
      records: { at: 'data' },
      paging: { by: 'link', next: 'links.next' },
      errors: { code: 'error' },
      events: { order: 'newest', after: 'older', inclusive: true },
    },
  },
  'camel case, pages by number': {
    seen: {
      lists: { items: 'content' },
      naming: { case: 'camel' },
      paging: { by: 'page', pages: 'totalPages' },
      dates: { form: 'milliseconds' },
    },
  },
  'decimals as text, offsets': {
    seen: {
      lists: { items: 'results' },
      amounts: { form: 'text', unit: 'major', suffix: '' },
      paging: { by: 'offset', total: 'count' },
    },
    unseen: { inputs: { refund: { fields: { public_id: 'order_id' } } } },
  },
  'cursors in meta, records under their noun': {
    seen: {
      lists: { items: '{noun}', empty: ['null'] },
      records: { at: '{noun}' },
      paging: { by: 'cursor', next: 'meta.cursors.after', param: 'after' },
      fields: { detail: { timeline: '/timeline' } },
    },
  },
  'a result in an envelope, errors with 200': {
    seen: {
      lists: { items: 'result.items', empty: ['204'] },
      records: { at: 'result' },
      errors: { code: 'error.code', message: 'error.message', in200: { at: 'ok', is: false } },
      paging: { by: 'cursor', next: 'result.next_cursor' },
      events: { order: 'newest' },
      amounts: { form: 'object', at: 'value' },
    },
  },
  'records in attributes, ids beside them': {
    seen: {
      lists: { item: 'attributes', id: 'id' },
      records: { at: 'data.attributes', id: 'data.id' },
      paging: { by: 'cursor', next: 'links.after', end: ['absent'], param: 'after' },
    },
  },
  'bare arrays, a Link header, 404 for none': {
    seen: {
      lists: { items: '', empty: ['404'] },
      paging: { by: 'link', next: 'header:link' },
    },
  },
  'whole numbers that do not say of what, empty text at the end': {
    seen: {
      amounts: { suffix: '' },
      lists: { empty: ['absent'] },
      paging: { by: 'cursor', next: 'page.next', param: 'next', end: [''] },
    },
  },
  'decimal numbers, one list elsewhere, one record elsewhere': {
    seen: {
      amounts: { form: 'number', unit: 'major' },
      lists: { except: { links: { items: 'links.list' } } },
      records: { except: { detail: '{noun}' } },
      dates: { form: 'seconds' },
    },
    unseen: { dates: { form: 'seconds', except: { event: 'iso' } } },
  },
  'the last id under its own name, offsets from nothing': {
    seen: { paging: { by: 'last', param: 'after', more: 'more', id: 'public_id' } },
  },
};

describe('the profile that it learns', () => {
  it('of a service as this package assumes it says that all holds', async () => {
    const { market } = await start({ version: 1 });
    const { profile, rows, reads } = await learn(market, options);
    expect({ ...profile, open: undefined }).toEqual({ version: 1, open: undefined });
    expect(rows.filter(({ result }) => result === 'holds').length).toBeGreaterThanOrEqual(8);
    expect(reads).toBeLessThanOrEqual(18);
  });

  it.each(Object.entries(services))('of a service with %s is its own', async (_name, each) => {
    const { seen, unseen = {} } = each;
    const { market, emulator: service } = await start({
      version: 1,
      ...seen,
      ...unseen,
    });
    const before = service.requests.length;
    const { profile, rows, reads } = await learn(market, options);
    const { open = [], ...learned } = profile;
    expect(learned).toEqual({ version: 1, ...seen });
    expect(open).toContain('amounts.sent');
    expect(reads).toBeLessThanOrEqual(18);
    const sent = service.requests.slice(before);
    expect(sent).toHaveLength(reads);
    expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(rows.some(({ result }) => result === 'differs')).toBe(true);
  });
});

/** What the reads of a service get, by path; `undefined` is a connection that breaks. */
type Service = (path: string, query: URLSearchParams) => Response | object | undefined;

function learnAt(service: Service, more: Partial<typeof options> | object = {}) {
  const market = new MarketClient({
    baseUrl: 'https://market.example',
    keyId: 'mk_sandbox_1f0c',
    secret: 'the-secret-of-these-tests',
    maxRetries: 0,
    fetch: (address) => {
      const { pathname, searchParams } = new URL(address);
      const body = service(pathname.replace('/api/partner/v1', ''), searchParams);
      if (body === undefined) return Promise.reject(new TypeError('fetch failed'));
      return Promise.resolve(body instanceof Response ? body : Response.json(body));
    },
  });
  return learn(market, { ...options, ...more });
}

const steps = [{ event: 'order.recorded', status: 'EXTERNALLY_PAID' }];
const sold = [1, 2, 3].map((number) => ({
  public_id: `ord_${number}`,
  domain: 'shop.example',
  status: 'SETTLED',
  sale_price_cents: 250_050,
}));

describe('what stays open', () => {
  it('is everything of a service that does not answer', async () => {
    const { profile, rows, reads } = await learnAt(() => undefined);
    expect(rows.every(({ result }) => result === 'open')).toBe(true);
    expect(profile).toEqual({ version: 1, open: rows.map(({ key }) => key) });
    expect(profile.open).toEqual([
      ...['errors', 'events', 'lists', 'records', 'naming', 'dates', 'amounts', 'paging'],
      ...['lists.empty', 'filters', 'fields.order.external_payment_ref', 'amounts.sent'],
    ]);
    expect(reads).toBeLessThanOrEqual(18);
  });

  it.each<[what: string, service: Service, key: string, why: string, sale?: object]>([
    [
      'an error of no code',
      () => new Response('no', { status: 404 }),
      'errors.code',
      'no documented code in it',
    ],
    [
      'an empty error',
      () => new Response('', { status: 500 }),
      'lists.empty',
      'a list with orders, or none',
    ],
    [
      'a 404 of another code',
      () => Response.json({ code: 'gone' }, { status: 404 }),
      'lists.empty',
      'a list with orders, or none',
    ],
    [
      'an error with 200 and no flag',
      () => ({ code: 'not_found' }),
      'errors.in200',
      'a 200 without a flag',
    ],
    [
      'two lists of steps',
      (path) => (path === '/orders/ord_1' ? { ...sold[0], a: steps, b: steps } : { data: sold }),
      'fields.detail.timeline',
      'no list of steps, or several',
    ],
    ['filters without effect', () => ({ data: sold }), 'filters', '"from" has no effect'],
    [
      'orders of a domain that nobody sells',
      () => ({ data: sold }),
      'lists.empty',
      'a list with orders, or none',
    ],
    [
      'a cursor that leads nowhere',
      () => ({ data: sold, next_token: 'x' }),
      'paging',
      '"next_token" is taken by no parameter that was tried',
    ],
    [
      'a flag without a way',
      () => ({ data: sold, more: true, pages: 2, total: 9 }),
      'paging',
      'no second page',
    ],
    [
      'amounts without a unit',
      () => ({ data: [{ public_id: 'ord_1', sale_price: 5 }] }),
      'amounts.unit',
      'whole numbers without "cents" in their names',
    ],
    [
      'events of one moment',
      () => ({ events: [{ id: '1' }, { id: '2', created_at: null }] }),
      'events',
      'fewer than two events, or of one moment',
    ],
    [
      'a sale whose reference is nowhere',
      () => ({ data: sold }),
      'fields.order.external_payment_ref',
      'its value is in no order that was read',
      { domain: 'shop.example', external_payment_ref: 'p' },
    ],
  ])('is %s', async (_what, service, key, why, sale) => {
    const { rows, profile } = await learnAt(service, { sale });
    expect(rows).toContainEqual(expect.objectContaining({ key, result: 'open', detail: why }));
    expect(profile.open).toContain(key);
  });

  it('is what follows an event, if no read is left for it', async () => {
    const { rows, reads } = await learnAt((path) => {
      if (path !== '/events') return { data: sold, next_token: 'x' };
      return { events: [1, 2].map((id) => ({ id, created_at: 1_763_546_400 + id })) };
    });
    const detail = 'no read was left for what follows an event';
    expect(rows).toContainEqual(expect.objectContaining({ key: 'events', detail }));
    expect(reads).toBe(18);
  });
});

describe('by what it finds', () => {
  it.each<[what: string, service: Service, learned: object, sale?: object]>([
    [
      'a total that counts all orders',
      (_path, query) => ({ data: query.has('domain') ? [] : sold, meta: { total: 3 } }),
      { paging: { by: 'cursor', ignore: ['meta.total'] } },
    ],
    [
      '"id" of one record alone',
      (path) => {
        if (path === '/transactions') return { data: [{ transaction_id: 't', status: 'SETTLED' }] };
        return { data: path === '/orders' ? [{ id: 'ord_1', status: 'SETTLED' }] : [] };
      },
      { fields: { order: { public_id: 'id' } } },
    ],
    [
      'a reference under our name, a price under another',
      () => ({
        data: [{ ...sold[0], sale_price_cents: 1, charged: 250_050, external_payment_ref: 'p' }],
      }),
      { fields: { order: { sale_price_cents: 'charged' } } },
      { domain: 'shop.example', external_payment_ref: 'p', expected_price: 250_050 },
    ],
    [
      'a sentence for a message',
      () => Response.json({ code: 'not_found', hint: 'There is none.' }, { status: 404 }),
      { errors: { message: 'hint' } },
    ],
    [
      'milliseconds',
      () => ({ data: [{ ...sold[0], created_at: 1_763_546_400_000 }] }),
      { dates: { form: 'milliseconds' } },
    ],
    [
      'no epoch time in a small number',
      () => ({ data: [{ ...sold[0], created_at: 7, updated_at: '2026-11-19T10:00:00Z' }] }),
      {},
    ],
    [
      'ids that are numbers, beside their records',
      (path) =>
        path === '/orders'
          ? { data: [{ id: 7, attributes: sold[0] }] }
          : { data: { id: 7, attributes: { ...sold[0], timeline: steps } } },
      {
        lists: { item: 'attributes', id: 'id' },
        records: { at: 'data.attributes', id: 'data.id' },
      },
    ],
  ])('%s', async (_what, service, learned, sale) => {
    const { profile } = await learnAt(service, { sale });
    const { open, ...rest } = profile;
    expect(open).toContain('amounts.sent');
    expect(rest).toMatchObject({ version: 1, ...learned });
    if (Object.keys(learned).length === 0) expect(rest).toEqual({ version: 1 });
  });
});

describe('doctor --learn', () => {
  const folder = mkdtempSync(join(tmpdir(), 'learn-'));
  const file = join(folder, 'market.profile.json');

  it('writes the file, prints each row, and doctor then finds the service as the file says', async () => {
    const seen = { errors: { code: 'error.code' }, lists: { items: 'items' } };
    const { env } = await service({ profile: { version: 1, ...seen } });
    const learned = await run(env, '--learn', file);
    expect([learned.code, learned.err]).toEqual([0, '']);
    expect(learned.out).toMatch(/differs {2}lists .*data -> \{"items":"items"\}/);
    expect(learned.out).toMatch(/open {5}amounts.sent .*only a write shows it/);
    // One block: not what the first reads showed of the assumptions, too.
    expect(learned.out).not.toMatch(/^\w+ +(?:empty lists|sent prices) /m);
    const json = await run(env, '--learn', file, '--json');
    const { form, checks, ok } = JSON.parse(json.out) as {
      ok: boolean;
      form: { key: string; row: string; result: string; detail: string }[];
      checks: { name: string }[];
    };
    expect(ok).toBe(true);
    expect(form).toContainEqual({
      key: 'lists',
      row: 'the envelope of a list',
      result: 'differs',
      detail: 'data -> {"items":"items"}',
    });
    expect(checks.map(({ name }) => name)).not.toContain('empty lists');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: 1, ...seen });
    const compared = await run({ ...env, MARKET_PROFILE: file });
    expect(compared.out).toMatch(/holds {4}lists +as the profile says/);
    expect(compared.code).toBe(0);
    const { env: other } = await service();
    const report = await doctor(other, '--profile', file);
    expect(report).toMatchObject({ ok: false, failed: [] });
    const differing = await run(other, '--profile', file);
    expect(differing.code).toBe(1);
    expect(differing.out).toMatch(/differs {2}lists .*\{"items":"items"\} -> \{\}/);
  });

  it('sends nothing with a live key', async () => {
    const { emulator: live, env } = await service();
    const { keyId, secret } = live.createCredential({ environment: 'live' });
    Object.assign(env, { MARKET_KEY_ID: keyId, MARKET_SECRET: secret });
    expect((await run(env, '--live', '--learn', file)).code).toBe(1);
    expect(live.requests).toEqual([]);
  });

  it('finds the reference of a sale by its value, and a quote', async () => {
    const profile: Profile = {
      version: 1,
      fields: {
        order: { external_payment_ref: 'metadata.ref' },
        detail: { external_payment_ref: 'metadata.ref' },
      },
    };
    const { market } = await start(profile);
    const sale = {
      domain: 'shop.example',
      expected_price: 250_050,
      external_payment_ref: 'payment-shop',
    };
    const { profile: learned } = await learn(market, { ...options, sale, quote: true });
    expect(learned.fields).toEqual(profile.fields);
  });
});
