/**
 * Each key of a profile at a service that answers by it: all calls give what they give at a service of the default form,
 * under our names and in our units.
 */

import { describe, expect, it, onTestFinished } from 'vitest';
import { MarketClient, type Profile } from 'market-partner-sdk';
import { MarketEmulator } from 'market-partner-sdk/testing';

type Keys = Omit<Profile, 'version'>;

const dayMs = 86_400_000;

/** In currencies of two digits, none and three. */
const prices = {
  brew: ['USD', 250_000],
  tea: ['JPY', 2_500],
  cups: ['KWD', 1_005],
  mugs: ['EUR', 19_950],
} as const;

/** A service and its client with one profile, on one clock that stands still. */
async function open(keys: Keys) {
  const profile: Profile = { version: 1, ...keys };
  const time = { ms: Date.parse('2026-11-19T10:00:00Z') };
  const clock = () => time.ms;
  const emulator = await MarketEmulator.start({
    profile,
    seed: 1,
    clock,
    publicUrl: 'https://market.example',
  });
  onTestFinished(() => emulator.stop());
  const { keyId, secret } = emulator.createCredential();
  const { baseUrl, fetch } = emulator;
  const connection = { baseUrl, keyId, secret, fetch, clock, maxRetries: 0 };
  const warnings: string[] = [];
  const logger = { warn: (line: string) => warnings.push(line) };
  const market = new MarketClient({ ...connection, logger, profile });
  /** Without a profile: what it gets is what was sent. */
  const bare = new MarketClient({ ...connection, logger: {} });
  onTestFinished(async () => {
    await Promise.all([market.close(), bare.close()]);
  });
  for (const [name, [currency, price_cents]] of Object.entries(prices)) {
    emulator.admin.list({ domain: `${name}.example`, currency, price_cents });
  }
  return { emulator, market, bare, time, warnings };
}

type World = Awaited<ReturnType<typeof open>>;

async function sell({ market }: World, name: keyof typeof prices, offered?: number) {
  const [currency, listed] = prices[name];
  const input = {
    domain: `${name}.example`,
    expected_price: offered ?? listed,
    currency,
    buyer: { email: 'ada@buyer.example', country: 'DE' },
    external_payment_ref: `payment-${name}`,
  };
  return market.orders.create(input, { idempotencyKey: `payment-${name}` });
}

/** The class of what a call rejects with, which the documented code decides. */
async function failure(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'none',
    (error: unknown) => (error as Error).name,
  );
}

/** What every call gives, in one order. */
async function everything(world: World) {
  const { emulator, market, time } = world;
  const { admin } = emulator;
  const quote = await market.orders.quote({ domain: 'brew.example' });
  const brew = await sell(world, 'brew');
  time.ms += 60_000;
  const tea = await sell(world, 'tea');
  time.ms += 60_000;
  const noon = new Date(time.ms);
  const refund = await market.orders.refund({ public_id: tea.public_id, reason: 'withdrawn' });
  admin.startTransfer(brew.public_id);
  time.ms += 60_000;
  admin.completeTransfer(brew.public_id);
  const statements = admin.settle();
  time.ms += 3 * dayMs;
  const cups = await sell(world, 'cups');
  const link = await market.referral.createLink({ type: 'generic' });
  admin.recordReferralClick(link.link_id ?? '');
  for (const [amount_cents, currency] of [[10_000, 'USD'] as const, [2_000, 'USD'] as const]) {
    const sale = { amount_cents, currency, domain: 'sold.example', buyer: 'ada' };
    admin.recordReferralSale(link.link_id ?? '', sale);
  }
  const session = await market.checkout.createSession({ domain: 'mugs.example' });
  const opened = await market.brokerage.openCase({
    domain: 'wanted.example',
    tier: 'managed',
    buyer_email: 'ada@buyer.example',
    budget: 5_000,
  });
  admin.closeCase(opened.case_id ?? '');
  const commissions = await market.referral.listCommissions();
  const transactions = await market.orders.listTransactions({ limit: 2 });
  return {
    quote,
    orders: [brew, tea, cups],
    refund,
    statements: statements.length,
    detail: await market.orders.get(tea.public_id),
    listed: await market.orders.list({ limit: 2 }).toArray(),
    ofTheDay: await market.orders.list({ from: '2026-11-19', to: noon }).toArray(),
    later: await market.orders.list({ from: new Date(noon.getTime() + 2 * dayMs) }).toArray(),
    ofDomain: await market.orders.list({ domain: 'tea.example' }).toArray(),
    none: await market.orders.list({ domain: 'none.example' }).toArray(),
    search: await market.domains.search('mugs'),
    domain: await market.domains.get('mugs.example'),
    available: await market.domains.checkAvailability('mugs.example'),
    unlisted: await market.domains.checkAvailability('none.example'),
    pricing: await market.domains.getPricing('mugs.example'),
    settlements: await market.orders.listSettlements().toArray(),
    transactions: await transactions.toArray(),
    totals: transactions.totals,
    payouts: await market.orders.listPayouts().toArray(),
    session,
    eligibility: await market.brokerage.checkEligibility('brew.example'),
    opened,
    read: await market.brokerage.getCase(opened.case_id ?? ''),
    cases: await market.brokerage.listCases().toArray(),
    links: await market.referral.listLinks().toArray(),
    clicks: await market.referral.getClicks(),
    sales: await market.referral.listSales({ limit: 1 }).toArray(),
    commissions: await commissions.toArray(),
    runningBalance: commissions.runningBalance,
    analytics: await market.referral.getAnalytics({ from: new Date(time.ms - 9 * dayMs) }),
    events: await market.events.list({ limit: 3 }).toArray(),
    webhook: await market.events.registerWebhook({
      url: 'http://127.0.0.1:9/hooks',
      secret: 'whsec_public',
    }),
    notListed: await failure(market.domains.getPricing('none.example')),
    otherBody: await failure(sell(world, 'brew', 240_000)),
    afterNothing: await failure(market.events.list({ after_id: 'evt_none' }).toArray()),
  };
}

const profiles: Readonly<Record<string, Keys>> = {
  'lists: bare arrays, next links in a header': {
    lists: { items: '' },
    paging: { by: 'link', next: 'header:link' },
  },
  'lists: under their noun, one elsewhere': {
    lists: { items: '{noun}', except: { settlements: { items: 'statements.list' } } },
  },
  'lists: several places, records inside of items with the id beside them': {
    lists: { items: ['data'], item: 'attributes', id: 'id' },
    records: { at: 'data.attributes', id: 'data.id' },
  },
  'lists.empty: null': { lists: { items: 'data', empty: ['null'] } },
  'lists.empty: absent': { lists: { items: 'data', empty: ['absent', 'list'] } },
  'lists.empty: 204': { lists: { empty: ['204'] } },
  'lists.empty: 404': { lists: { empty: ['404', 'list'] } },
  'paging: a cursor in a header, a size': {
    paging: { by: 'cursor', next: 'header:x-next-cursor', param: 'after', size: 'per_page' },
  },
  'paging: a cursor that ends as empty text, a flag': {
    paging: { by: 'cursor', next: 'meta.after', end: [''], more: 'meta.has_more' },
  },
  'paging: a cursor that ends absent': {
    paging: { by: 'cursor', next: 'after', end: ['absent'], param: 'after' },
  },
  'paging: a link under a name with a dot': { paging: { by: 'link', next: ['@odata.nextLink'] } },
  'paging: pages from 0, a flag that says when it ends': {
    paging: { by: 'page', param: 'number', first: 0, more: '!last', size: 'size' },
  },
  'paging: pages without a count': { paging: { by: 'page', pages: null } },
  'paging: offsets without a count': { paging: { by: 'offset', param: 'skip', total: null } },
  'paging: after the last id, of a place of its own': {
    naming: { id: 'id' },
    paging: { by: 'last', param: 'starting_after', id: 'id', more: 'has_more' },
  },
  'paging: after the last id, which is beside the record': {
    lists: { item: 'attributes', id: 'id' },
    paging: { by: 'last', param: 'starting_after', more: 'has_more' },
  },
  'paging: none': { paging: { by: 'none' } },
  'paging: a Link header beside an object': { paging: { by: 'link', next: 'header:link' } },
  'records: in a list of names': { records: { at: ['the', 'record'] } },
  'records: some elsewhere': { records: { at: '{noun}', except: { detail: 'order', case: '' } } },
  'errors: a number for a code, a message of its own': {
    errors: { code: 'error.number', message: 'error.text', codes: { '4041': 'not_found' } },
  },
  'errors: none has a code': { errors: { code: null, message: 'detail' } },
  'errors: a 200 that states an error': { errors: { in200: { at: 'result.ok', is: 'no' } } },
  'naming: camel case, ids': { naming: { case: 'camel', id: 'id' } },
  'fields: elsewhere, from the body, as seconds to come': {
    fields: {
      order: { external_payment_ref: 'metadata.ref', created_at: ['created.at'] },
      detail: { timeline: '/timeline', external_payment_ref: 'metadata.ref' },
      quote: { expires_at: { in: 'expires_in' } },
      event: { created_at: 'occurred_at', data: 'payload' },
      pricing: { floor_price_cents: null },
    },
    records: { except: { detail: 'order' } },
  },
  'statuses in other words': {
    statuses: { PAID: 'EXTERNALLY_PAID', reversed: 'REFUNDED', accrued: 'SETTLED' },
  },
  'amounts: decimals, but of quotes': {
    amounts: {
      form: 'number',
      unit: 'major',
      except: { quote: { form: 'integer', unit: 'minor' } },
      sent: 'major',
    },
  },
  'amounts: decimals as text under shorter names': {
    amounts: { form: 'text', unit: 'major', suffix: '', sent: 'major' },
  },
  'amounts: objects, but the balance': {
    amounts: {
      form: 'object',
      at: 'value',
      unit: 'minor',
      except: { commission: { form: 'integer' }, order: { suffix: '' } },
    },
  },
  'dates: seconds, but of events': {
    dates: { form: 'seconds', except: { event: 'iso' } },
    filters: { form: 'seconds', from: 'since', to: 'until' },
  },
  'dates: milliseconds': { dates: { form: 'milliseconds' }, filters: { form: 'day' } },
  'inputs: other names, more and fewer fields': {
    inputs: {
      quote: { fields: { domain: 'domain_name' }, add: { channel: 'sdk' } },
      order: { add: { accept_terms: true }, copy: { country: 'buyer.country' } },
      refund: {
        fields: { public_id: 'order_id' },
        words: { reason: { withdrawn: 'requested_by_customer', '*': 'other' } },
      },
      case: { omit: ['budget'], fields: { buyer_email: 'email' } },
      checkout: { copy: { name: 'domain' } },
      link: { add: { program: 'default' } },
    },
  },
  'inputs: none has a rule, in camel case': {
    naming: { case: 'camel' },
    inputs: { order: { fields: { expected_price: 'price' } }, refund: { words: { reason: {} } } },
    amounts: { sent: 'minor' },
  },
};

/** Where a profile cannot give all that the default form does. */
const exceptions: Readonly<Record<string, (expected: Everything) => object>> = {
  'fields: elsewhere, from the body, as seconds to come': ({ pricing, ...expected }) => {
    expect(pricing).toHaveProperty('floor_price_cents');
    return { ...expected, pricing: { domain: pricing.domain } };
  },
  // There is no place beside the list.
  'lists: bare arrays, next links in a header': ({ totals, runningBalance, ...expected }) => {
    expect([totals, runningBalance]).not.toContain(undefined);
    return expected;
  },
  // An analysis of whole days.
  'dates: milliseconds': ({ analytics, ...expected }) => ({
    ...expected,
    analytics: { ...analytics, from: '2026-11-13T00:00:00.000Z' },
  }),
  'inputs: other names, more and fewer fields': (expected) => ({
    // What is not sent is not kept.
    ...expected,
    refund: { ...expected.refund, reason: 'requested_by_customer' },
    ...Object.fromEntries(
      (['opened', 'read'] as const).map((name) => [name, { case_id: expected[name].case_id }]),
    ),
    cases: expected.cases.map(({ case_id }) => ({ case_id })),
  }),
};

type Everything = Awaited<ReturnType<typeof everything>>;

/** Tokens without their signatures, whose key is another one in each emulator. */
function unsigned(found: Everything): Everything {
  const text = JSON.stringify(found).replace(/\.[\w-]{43}(?=")/g, '');
  return JSON.parse(text) as Everything;
}

describe.each(Object.entries(profiles))('%s', (name, keys) => {
  it('gives what the default form gives', async () => {
    const usual = unsigned(await everything(await open({})));
    const world = await open(keys);
    const found = unsigned(await everything(world));
    expect(found).toMatchObject(exceptions[name]?.(usual) ?? usual);
    expect(world.warnings).toEqual([]);
  });
});
