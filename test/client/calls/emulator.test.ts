import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ForbiddenError,
  InternalServerError,
  MarketClient,
  type ClientOptions,
  type FetchLike,
} from 'market-partner-sdk';
import { fault, MarketEmulator, type CredentialOptions } from 'market-partner-sdk/testing';
import { fakeSleep, VirtualTime } from '../../support/virtual-time.js';
import { everyCall, type Given } from '../../specification.js';
import { rejectionOf } from '../../support/errors.js';

const allScopes = ['search', 'embed', 'buy', 'broker', 'refer', 'report', 'webhook'] as const;

const order = { domain: 'brew.example', expected_price: 250_000, currency: 'USD' };

let emulator: MarketEmulator;
const clients: MarketClient[] = [];

beforeEach(async () => {
  emulator = await MarketEmulator.start({ pathPrefix: '/gateway' });
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await emulator.stop();
});

function marketWith(credential: CredentialOptions = {}, options: ClientOptions = {}): MarketClient {
  const { keyId, secret } = emulator.createCredential(credential);
  const market = new MarketClient({
    baseUrl: emulator.baseUrl,
    keyId,
    secret,
    validateResponses: 'error',
    clock: emulator.clock.now,
    ...options,
  });
  clients.push(market);
  return market;
}

/** An order and a case for the calls that need one. */
async function records(): Promise<Given> {
  const market = marketWith();
  const [listing] = await market.domains.search('travel');
  const { public_id } = await market.orders.create({
    domain: listing?.domain ?? '',
    expected_price: listing?.price_cents ?? 0,
  });
  const { case_id = '' } = await market.brokerage.openCase({
    tier: 'self_serve',
    buyer_email: 'ada@buyer.example',
  });
  return { publicId: public_id, caseId: case_id };
}

describe('over real sockets, behind a gateway', () => {
  for (const row of everyCall) {
    const asOne = row.scopes.map((scope) => `"${scope}"`).join(' or ');

    it(`${row.name} is accepted with the scope ${asOne}`, async () => {
      const given = await records();
      for (const scope of row.scopes) {
        const market = marketWith({ scopes: [scope] });
        const { data, response } = await row.invoke(market, given).withResponse();
        expect(data).toBeDefined();
        expect([200, 201]).toContain(response.status);
        expect(response.requestId).toMatch(/^req_/);
        expect(emulator.requests.at(-1)).toMatchObject({ verdict: 'accepted', method: row.method });
      }
    });

    it(`${row.name} is a ForbiddenError without ${asOne}, with the scope that it needs`, async () => {
      const given = await records();
      const scopes = allScopes.filter((scope) => !row.scopes.includes(scope));
      const error = await rejectionOf(row.invoke(marketWith({ scopes }), given));
      expect(error).toBeInstanceOf(ForbiddenError);
      expect(error).toMatchObject({
        response: { status: 403 },
        code: 'forbidden',
        requiredScope: row.scopes.join(' or '),
        attempts: 1,
        outcome: 'rejected',
      });
    });
  }

  it('an order goes its way: quoted, placed, followed to its end, settled and listed', async () => {
    const market = marketWith({}, { sleep: fakeSleep() });
    const quote = await market.orders.quote({ domain: order.domain });
    const placed = await market.orders.create({ ...order, quote_id: quote.quote_id });
    expect(placed.status).toBe('EXTERNALLY_PAID');
    emulator.admin.startTransfer(placed.public_id);
    const steps = ['TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED'];
    const done = await market.orders.waitFor(placed.public_id, {
      until: 'TRANSFER_COMPLETED',
      intervalMs: 1,
      onPoll: ({ status }) => {
        expect(status).toBe(steps.shift());
        if (status === 'TRANSFER_IN_PROGRESS') emulator.admin.completeTransfer(placed.public_id);
      },
    });
    expect(done.timeline?.map(({ status }) => status)).toContain('TRANSFER_COMPLETED');
    emulator.admin.settle();
    expect(await market.orders.list({ status: 'SETTLED' }).toArray()).toHaveLength(1);
    expect(await market.orders.listSettlements().toArray()).toHaveLength(1);
    expect((await market.orders.listTransactions()).totals?.gmv_cents).toBe(250_000);
    const types = (await market.events.list().toArray()).map(({ type }) => type);
    expect(types).toEqual([
      'order.recorded',
      'order.transfer_started',
      'order.transfer_completed',
      'order.settled',
    ]);
  });

  it.each(['data', 'items', 'results', '{noun}', ''])(
    'lists are read out of the envelope "%s"',
    async (items) => {
      await emulator.stop();
      const paging = items === '' ? { paging: { by: 'none' } as const } : {};
      const profile = { version: 1, lists: { items }, ...paging } as const;
      emulator = await MarketEmulator.start({ profile });
      const market = marketWith();
      const sold = ['brew.example', 'coffee.example', 'roast.example'];
      for (const domain of sold) {
        const { buy_now_price_cents = 0 } = await market.domains.getPricing(domain);
        await market.orders.create({ domain, expected_price: buy_now_price_cents });
      }
      const orders = await market.orders.list({ limit: 2 }).toArray();
      expect(orders.map(({ domain }) => domain)).toEqual(sold.toReversed());
      expect((await market.domains.search('coffee')).length).toBeGreaterThan(0);
    },
  );
});

/** Sends each request with what `change` makes of its headers. */
function changing(change: (headers: Record<string, string>) => void): FetchLike {
  return (url, init) => {
    const headers = Object.fromEntries(
      Object.entries(init.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    change(headers);
    return fetch(url, { ...init, headers });
  };
}

const without = (name: string) => changing((headers) => void Reflect.deleteProperty(headers, name));

/** A copy of each request reaches the service before it. */
const doubled: FetchLike = async (url, init) => {
  await (await fetch(url, init)).arrayBuffer();
  return fetch(url, init);
};

const oneAttempt = { maxRetries: 0 };

const list = (options: ClientOptions) => marketWith({}, options).orders.list().toArray();
const create = (input: Partial<typeof order>, options: ClientOptions = {}) =>
  marketWith({}, options).orders.create({ ...order, ...input });

/** Every code of the specification's part 7, brought about as a partner would meet it. */
const codes: Record<string, [status: number, name: string, meet: () => PromiseLike<unknown>]> = {
  validation_error: [400, 'ValidationError', () => marketWith().orders.list({ cursor: 'other' })],
  invalid_signature: [401, 'AuthenticationError', () => list({ secret: 'the wrong one' })],
  missing_credentials: [
    401,
    'AuthenticationError',
    () => list({ fetch: without('x-market-key-id') }),
  ],
  missing_signature_headers: [
    401,
    'AuthenticationError',
    () => list({ fetch: without('x-market-nonce') }),
  ],
  invalid_timestamp: [
    401,
    'AuthenticationError',
    () => list({ ...oneAttempt, clock: () => emulator.clock.now() - 301_000 }),
  ],
  replay_detected: [401, 'AuthenticationError', () => list({ fetch: doubled })],
  missing_idempotency_key: [
    400,
    'ValidationError',
    () => create({}, { fetch: without('idempotency-key') }),
  ],
  forbidden: [
    403,
    'ForbiddenError',
    () => marketWith({ affiliate: false }).referral.listLinks().toArray(),
  ],
  not_found: [404, 'NotFoundError', () => marketWith().domains.getPricing('unlisted.example')],
  conflict: [
    409,
    'ConflictError',
    async () => {
      const market = marketWith();
      await market.orders.create(order, { idempotencyKey: 'k-1' });
      await market.orders.create({ ...order, currency: 'EUR' }, { idempotencyKey: 'k-1' });
    },
  ],
  price_mismatch: [422, 'PriceMismatchError', () => create({ expected_price: 1 })],
  quote_expired: [
    422,
    'QuoteExpiredError',
    async () => {
      const market = marketWith();
      const { quote_id } = await market.orders.quote({ domain: order.domain });
      emulator.clock.advance('11 minutes');
      await market.orders.create({ ...order, quote_id });
    },
  ],
  rate_limited: [
    429,
    'RateLimitError',
    () => {
      emulator.faults.next(fault.rateLimited(7));
      return list(oneAttempt);
    },
  ],
  internal_error: [
    500,
    'InternalServerError',
    () => {
      emulator.faults.next(fault.internalError(), { times: 3 });
      return list(new VirtualTime(emulator.clock.now()).options);
    },
  ],
};

describe('the error', () => {
  for (const [code, [status, name, meet]] of Object.entries(codes)) {
    it(`of ${code} is a ${name} with status ${status}, and all the facts of its call`, async () => {
      const error = await rejectionOf(meet());
      expect(error).toMatchObject({
        name,
        response: { status },
        code,
        attempts: code === 'internal_error' ? 3 : code === 'replay_detected' ? 2 : 1,
        // A proxy that drops a header may have passed on the request as it was sent, too.
        outcome: ['internal_error', 'missing_idempotency_key'].includes(code)
          ? 'unknown'
          : 'rejected',
        body: { code },
      });
      expect(error.path).toMatch(/^\/gateway\/api\/partner\/v1\/\w+$/);
      expect(error).toHaveProperty('requestId', expect.stringMatching(/^req_/));
      if (code === 'rate_limited') expect(error).toHaveProperty('retryAfterMs', 7_000);
    });
  }

  it.each([
    {},
    { code: 'error.code', message: 'error.message' },
    { code: 'error', message: 'message' },
  ])('is recognized in a body of the shape %j', async (errors) => {
    await emulator.stop();
    emulator = await MarketEmulator.start({ profile: { version: 1, errors } });
    const error = await rejectionOf(marketWith().domains.getPricing('unlisted.example'));
    expect(error).toMatchObject({ name: 'NotFoundError', code: 'not_found' });
    expect(error.message).toContain('returned 404 (not_found: unlisted.example is not listed.)');
  });

  it('of an order whose answer was lost says that it may exist; the same key then finds it', async () => {
    const market = marketWith({}, oneAttempt);
    emulator.faults.next(fault.internalError({ afterWork: true }));
    const error = await rejectionOf(market.orders.create(order));
    expect(error).toBeInstanceOf(InternalServerError);
    expect(error).toMatchObject({ outcome: 'unknown' });
    const idempotencyKey = error.idempotencyKey!;
    const { data, response } = await market.orders.create(order, { idempotencyKey }).withResponse();
    expect(response.headers['idempotent-replayed']).toBe('true');
    expect(await market.orders.list().toArray()).toEqual([data]);
  });
});
