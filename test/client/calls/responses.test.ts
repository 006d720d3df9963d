import { HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { UnexpectedResponseError, type MarketClient } from 'market-partner-sdk';
import { rejectionOf } from '../../support/errors.js';
import { mockMarket } from '../../support/mock-market.js';
import { recordingLogger } from '../../support/recording-logger.js';

const order = {
  zebra: 1,
  public_id: 'ord_1',
  domain: 'brew.example',
  status: 'A_STATUS_OF_TOMORROW',
  sale_price_cents: 250_000,
  currency: 'USD',
  nested: { z: null, a: [{ b: 1 }] },
  alpha: 'last',
};

const input = { domain: 'brew.example', expected_price: 250_000 };

describe('the data of a call', () => {
  it('is the parsed JSON itself: values, order of keys, unknown fields and statuses', async () => {
    const { market } = mockMarket(() => order, { validateResponses: 'error' });
    const { data, response } = await market.orders.get('ord_1').withResponse();
    expect(JSON.stringify(data)).toBe(JSON.stringify(order));
    expect(data).toBe(response.body);
  });

  it('keeps fields of the wrong kind as they came', async () => {
    const odd = { ...order, sale_price_cents: '250000', status: null };
    const { market } = mockMarket(() => odd);
    expect(await market.orders.get('ord_1')).toEqual(odd);
  });

  it('is any object where the specification names no field', async () => {
    const { market } = mockMarket(() => HttpResponse.json({}), quiet);
    expect(await market.domains.getPricing('brew.example')).toEqual({});
  });

  const quiet = { validateResponses: 'off' } as const;
  const reads = (market: MarketClient) => [
    market.domains.checkAvailability('brew.example'),
    market.domains.getPricing('brew.example'),
    market.orders.get('ord_1'),
  ];

  /** Each of these calls is refused with these words, whatever is validated. */
  async function expectRefused(
    body: unknown,
    words: RegExp | string,
    calls: (market: MarketClient) => PromiseLike<unknown>[] = reads,
  ) {
    const { market } = mockMarket(() => HttpResponse.json(body as object), quiet);
    for (const call of calls(market)) {
      const error = await rejectionOf(call);
      expect(error).toMatchObject({ name: 'UnexpectedResponseError', outcome: 'unknown', body });
      expect(error.message).toMatch(words);
    }
  }

  it.each([5, 'text', true, null, []])('is not %j, whatever is validated', async (body) => {
    await expectRefused(body, 'JSON that is not an object');
  });

  it.each([
    { error: 'the shard did not respond' },
    { errors: [{ detail: 'no shard' }], data: null },
    { success: false, message: 'try later' },
    { ok: false },
    { status: 'error', message: 'try later' },
    { statusCode: 503 },
    { type: 'about:blank', title: 'Service Unavailable', status: 503 },
    { status: '404', title: 'Not Found' },
    { data: { success: false } },
    { isError: true, content: [] },
    { has_errors: true, result: {} },
  ])('is not a record that states a failure: %j', async (body) => {
    await expectRefused(body, /a body that says|JSON that holds no list/, (market) => [
      ...reads(market),
      market.orders.quote({ domain: 'brew.example' }),
      market.orders.list(),
      market.events.list(),
    ]);
  });

  it.each([{ data: null }, { data: null, meta: { took: 3 } }, { order: null, error: null }])(
    'is not in an envelope whose record is null: %j',
    async (body) => {
      await expectRefused(body, 'JSON whose record is null', (market) => [
        ...reads(market),
        market.orders.refund({ public_id: 'ord_1' }),
      ]);
    },
  );

  it.each<[object, string]>([
    [{ order: [] }, 'JSON whose record is a list'], // as PHP writes an empty object
    [{ data: [order], total: 1 }, 'JSON whose record is a list'],
    [{ message: 'We are back at 9:00.' }, 'JSON whose record is a message'],
    [{ message: 'hello', detail: 'maintenance' }, 'JSON whose record is a message'],
  ])('is not what stands in the place of a record: %j', async (body, words) => {
    await expectRefused(body, words, (market) => [
      market.domains.checkAvailability('brew.example'),
      market.orders.get('ord_1'),
    ]);
  });

  it('may have a list under a name of its own', async () => {
    const { market } = mockMarket(() => ({ items: [] }), quiet);
    expect(await market.orders.get('ord_1')).toEqual({ items: [] });
  });

  it('may be a message of a write, or lists where the specification names no field', async () => {
    const received = { message: 'Refund requested' };
    const refunded = mockMarket(() => received).market.orders.refund({ public_id: 'ord_1' });
    expect(await refunded).toEqual(received);
    const days = { data: [{ day: '2026-11-26', clicks: 5 }] };
    const { referral } = mockMarket(() => days).market;
    expect(await referral.getAnalytics({ from: '2026-11-01' })).toEqual(days);
  });

  it.each([{ errors: ['no shard'] }, { warnings: ['slow'] }, { messages: ['hello'] }])(
    'is not the list of %j',
    async (body) => {
      await expectRefused(body, '', ({ orders, events, domains }) => [
        orders.list(),
        events.list(),
        domains.search('x'),
      ]);
    },
  );

  it('may have the status of a failure, as an order or a case that failed has', async () => {
    const failed = {
      public_id: 'ord_1',
      case_id: 'case_1',
      status: 'failed',
      message: 'no seller',
    };
    const { market } = mockMarket(() => failed, quiet);
    expect(await market.orders.get('ord_1')).toEqual(failed);
    expect(await market.brokerage.getCase('case_1')).toEqual(failed);
  });

  it('is taken out of a wrapping, where the documented fields are inside', async () => {
    for (const name of ['order', 'data', 'result']) {
      const { market } = mockMarket(() => ({ [name]: order, meta: { took: 3 } }), {
        validateResponses: 'error',
      });
      const { data, response } = await market.orders.get('ord_1').withResponse();
      expect(data).toEqual(order);
      expect(response.body).toEqual({ [name]: order, meta: { took: 3 } });
    }
  });

  it('is left in its wrapping if it could be either of two', async () => {
    const body = { before: order, after: order };
    const { market } = mockMarket(() => body, quiet);
    expect(await market.orders.get('ord_1')).toEqual(body);
  });

  it('may follow a byte order mark', async () => {
    const { market } = mockMarket(() => new HttpResponse(`\ufeff${JSON.stringify(order)}`));
    expect(await market.orders.get('ord_1')).toEqual(order);
  });

  it('of a search is the list out of its envelope', async () => {
    const listings = [{ domain: 'brew.example' }];
    for (const body of [listings, { domains: listings }, { data: listings }, { x: listings }]) {
      const { market } = mockMarket(() => body);
      expect(await market.domains.search('coffee')).toEqual(listings);
    }
  });

  it('of a search that holds no list is an error with the facts of the call', async () => {
    const { market } = mockMarket(() => ({ message: 'hello' }), {
      baseUrl: 'https://gw.example/m',
    });
    const error = await rejectionOf(market.domains.search('coffee'));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toContain('JSON that holds no list');
    expect(error).toMatchObject({
      method: 'GET',
      path: '/m/api/partner/v1/domains/search',
      response: { status: 200 },
      attempts: 1,
      body: { message: 'hello' },
    });
  });
});

describe('validateResponses', () => {
  const lacking = { public_id: 'ord_1', sale_price_cents: 2500.5 };

  it('"warn", the default, logs each field of each call once, without its value', async () => {
    const { lines, logger, warnings } = recordingLogger();
    const { market } = mockMarket(() => lacking, { logger });
    for (let count = 0; count < 3; count += 1) await market.orders.get('ord_1');
    expect(warnings().map(({ message }) => message)).toEqual([
      'orders.get: the response\'s "domain" is missing',
      'orders.get: the response\'s "status" is missing',
      'orders.get: the response\'s "sale_price_cents" is a fraction, not an integer',
      'orders.get: the response\'s "currency" is missing',
    ]);
    expect(warnings()[0]?.fields).toEqual({ call: 'orders.get', field: 'domain', status: 200 });
    await market.orders.create(input);
    expect(warnings()).toHaveLength(8);
    expect(JSON.stringify(lines)).not.toContain('2500.5');
  });

  it('"warn" logs a field once for a list of many records', async () => {
    const { logger, warnings } = recordingLogger();
    const { market } = mockMarket(
      () => ({ events: [{ partner_id: 'p' }, { partner_id: 'p' }, { id: true }] }),
      { logger },
    );
    await market.events.list();
    const fields = warnings().map((line) => line.fields.field);
    expect(fields).toEqual(['id', 'type', 'created_at', 'data']);
  });

  it('"warn" needs no logger', async () => {
    for (const options of [{}, { logger: {} }]) {
      const { market } = mockMarket(() => lacking, options);
      expect(await market.orders.get('ord_1')).toEqual(lacking);
    }
  });

  it('"off" logs nothing', async () => {
    const { logger, warnings } = recordingLogger();
    const { market } = mockMarket(() => lacking, { logger, validateResponses: 'off' });
    await market.orders.get('ord_1');
    expect(warnings()).toEqual([]);
  });

  it('"error" fails reads, with every field that is wrong', async () => {
    const { market } = mockMarket(() => lacking, { validateResponses: 'error' });
    const error = await rejectionOf(market.orders.get('ord_1'));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toContain('"domain" is missing, "status" is missing');
    expect(error).toMatchObject({ path: '/api/partner/v1/orders/ord_1', body: lacking });
    expect(await rejectionOf(market.domains.checkAvailability('brew.example'))).toBeInstanceOf(
      UnexpectedResponseError,
    );
  });

  it('"error" fails a list for one record of it', async () => {
    const good = { ...order, status: 'SETTLED' };
    const { market } = mockMarket(() => ({ orders: [good, null] }), { validateResponses: 'error' });
    expect((await rejectionOf(market.orders.list())).message).toContain('is null, not an object');
  });

  it('"error" never fails a write that succeeded: it warns', async () => {
    const { logger, warnings } = recordingLogger();
    const identified = {
      public_id: 'ord_1',
      checkout_url: 'https://x.example',
      url: 'https://y.example',
    };
    const { market } = mockMarket(() => identified, { logger, validateResponses: 'error' });
    expect(await market.orders.create(input)).toEqual(identified);
    expect(await market.checkout.createSession(input)).toEqual(identified);
    expect(
      await market.events.registerWebhook({ url: 'https://shop.example/', secret: 's' }),
    ).toEqual(identified);
    expect(new Set(warnings().map(({ fields }) => fields.call))).toEqual(
      new Set(['orders.create', 'events.registerWebhook']),
    );
  });
});
