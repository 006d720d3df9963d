/** What the emulator asks for, and how it refuses, where a profile says so. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { MarketEmulator } from 'market-partner-sdk/testing';
import type { Profile } from 'market-partner-sdk';
import { caller, type Reply } from './independent-signer.js';
import { startOfTime } from './emulator-fixture.js';

type Keys = Omit<Profile, 'version'>;

async function service(keys: Keys) {
  const profile: Profile = { version: 1, ...keys };
  const emulator = await MarketEmulator.start({ profile, seed: 1, clock: () => startOfTime });
  onTestFinished(() => emulator.stop());
  return { emulator, call: caller(emulator, emulator.createCredential()) };
}

const order = { domain: 'brew.example', expected_price: 250_000 };

describe('a request that is not in the form of the profile is refused', () => {
  const terms: Keys = { inputs: { order: { add: { accept_terms: true } } } };
  const unaccepted = { ...order, accept_terms: false };
  const copied: Keys = { inputs: { quote: { copy: { buyer_country: 'buyer.country' } } } };
  const renamed: Keys = { inputs: { quote: { fields: { domain: 'name' } } } };
  const quote = { domain: 'brew.example' };
  const camel: Keys = { naming: { case: 'camel' } };
  const major: Keys = { amounts: { sent: 'major' } };
  const priced = (expected_price: unknown) => ({ ...order, expected_price });
  const noAmount = /"expected_price" is no decimal amount/;
  const pages: Keys = { paging: { by: 'page', first: 1 } };
  const last: Keys = { paging: { by: 'last', param: 'after' } };
  const noPlace = /The place in the list of (orders|links) is not one/;
  const seconds: Keys = { filters: { form: 'seconds' } };
  const noSeconds = /number of seconds/;

  it.each<[what: string, keys: Keys, call: string, body: object | undefined, words: RegExp]>([
    ['without an added field', terms, 'POST /orders', order, /"accept_terms" is required/],
    ['with another value for it', terms, 'POST /orders', unaccepted, /"accept_terms" is required/],
    ['without a copied field', copied, 'POST /quotes', quote, /"buyer_country" is required/],
    ['under our name', renamed, 'POST /quotes', quote, /"domain" is required/],
    ['under snake case', camel, 'POST /refunds', { public_id: 'ord_1' }, /"public_id" is required/],
    ['with more digits than its currency has', major, 'POST /orders', priced(2_500.005), noAmount],
    ['with a word for a price', major, 'POST /orders', priced('much'), noAmount],
    ['from a page that is no number', pages, 'GET /orders?page=two', undefined, noPlace],
    ['from a page before the first', pages, 'GET /orders?page=0', undefined, noPlace],
    ['after a record that is not there', last, 'GET /links?after=lnk_none', undefined, noPlace],
    ['with a date that is no number', seconds, 'GET /orders?from=2026-11-19', undefined, noSeconds],
  ])('%s', async (_what, keys, endpoint, body, words) => {
    const { call } = await service(keys);
    const { status, json } = await call(endpoint, { ...(body && { body }), key: 'k-1' });
    expect([status, json.code]).toEqual([400, 'validation_error']);
    expect(json.message).toMatch(words);
  });
});

it.each<[what: string, keys: Keys, query: string, found: number]>([
  ['a date under our name', { filters: { from: 'since' } }, 'from=2100-01-01', 2],
  ['a date under its own', { filters: { from: 'since' } }, 'since=2100-01-01', 0],
  ['a day, to its end', { filters: { form: 'day' } }, 'to=2026-11-19', 2],
  ['a cursor under our name', { paging: { by: 'cursor', param: 'after' } }, 'cursor=x', 2],
  ['a size under its own name', { paging: { by: 'offset', size: 'count' } }, 'count=1', 1],
  ['a size where there are no pages', { paging: { by: 'none' } }, 'limit=1', 2],
])('what it does not know, it ignores %s', async (_what, keys, query, found) => {
  const { call } = await service(keys);
  for (const name of ['brew', 'roast']) {
    const placed = await call('POST /orders', { body: { domain: `${name}.example` }, key: name });
    expect(placed.status).toBe(201);
  }
  expect((await call(`GET /orders?${query}`)).json.data).toHaveLength(found);
});

describe('its errors', () => {
  const forbidden = async (keys: Keys): Promise<Reply> => {
    const { emulator } = await service(keys);
    return caller(emulator, emulator.createCredential({ scopes: ['search'] }))('GET /links');
  };

  it('have their code, message and details where the profile says', async () => {
    const { status, json } = await forbidden({
      errors: { code: 'error.type', message: 'error.text', codes: { NO_SCOPE: 'forbidden' } },
    });
    expect([status, json]).toEqual([
      403,
      {
        error: { type: 'NO_SCOPE', text: expect.stringContaining('needs the scope') as string },
        details: { required_scope: 'refer' },
      },
    ]);
  });

  it('come with 200 where the profile says so', async () => {
    const { status, json } = await forbidden({ errors: { in200: { at: 'ok', is: false } } });
    expect([status, json.ok, json.code]).toEqual([200, false, 'forbidden']);
  });
});
