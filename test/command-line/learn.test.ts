/** `doctor --learn`: what the reads of a sandbox show of how it answers. */

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { MarketClient } from 'market-partner-sdk';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { learn } from '../../src/command-line/doctor/learn.js';
import { caller } from '../testing/independent-signer.js';
import { run, service } from './run-doctor.js';
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
    emulator.admin.list({ domain, price_cents: 250_000 });
    const price = profile.amounts?.sent === 'major' ? 2_500 : 250_000;
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
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: 1, ...seen });
    const compared = await run({ ...env, MARKET_PROFILE: file });
    expect(compared.out).toMatch(/holds {4}lists +as the profile says/);
    expect(compared.code).toBe(0);
    const { env: other } = await service();
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
      expected_price: 250_000,
      external_payment_ref: 'payment-shop',
    };
    const { profile: learned } = await learn(market, { ...options, sale, quote: true });
    expect(learned.fields).toEqual(profile.fields);
  });
});
