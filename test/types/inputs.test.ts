/** What the compiler lets a partner write. Nothing here is sent: the functions are never called. */

import { describe, expectTypeOf, it } from 'vitest';
import type {
  BrokerageCaseInput,
  BrokerageTier,
  Buyer,
  ClientOptions,
  CommissionStatus,
  DateRange,
  EventsQuery,
  LinkType,
  MarketClient,
  OrderFilters,
  OrderInput,
  OrderStatus,
  PageRequest,
  RefundInput,
  RequestOptions,
  Scope,
  TransactionFilters,
} from 'market-partner-sdk';

declare const market: MarketClient;

describe('inputs', () => {
  it('take the documented fields, and others from a spread object', () => {
    const others = { loyalty_id: 'L-1', x_new: { deep: [1] } };
    const write = () => [
      market.orders.create({
        domain: 'brew.example',
        expected_price: 1,
        buyer: { email: 'a@b.example', ...others },
        ...others,
      }),
      market.orders.list({ status: 'A_STATUS_OF_TOMORROW', from: new Date(), ...others }),
      market.referral.createLink({ type: 'a type of tomorrow' }),
      market.orders.refund({ reason: 'withdrawn', ...others }),
    ];
    expectTypeOf(write).toBeFunction();
  });

  it('want the fields that this package requires', () => {
    const write = () => [
      // @ts-expect-error an order has a domain
      market.orders.create({ expected_price: 1 }),
      // @ts-expect-error an order has a price: without one it would be placed at any price
      market.orders.create({ domain: 'brew.example' }),
      // @ts-expect-error a quote has a domain
      market.orders.quote({}),
      // @ts-expect-error a case has a tier
      market.brokerage.openCase({ buyer_email: 'ada@buyer.example' }),
      // @ts-expect-error a link has a type
      market.referral.createLink({}),
      // @ts-expect-error a webhook has a secret
      market.events.registerWebhook({ url: 'https://shop.example/' }),
      // @ts-expect-error analytics are of a range
      market.referral.getAnalytics(),
      // @ts-expect-error a wait has a goal
      market.orders.waitFor('ord_1', {}),
      // @ts-expect-error a raw request has a path
      market.request({ method: 'GET' }),
    ];
    expectTypeOf(write).toBeFunction();
  });

  it('refuse a misspelled field of a literal', () => {
    const write = () => [
      // @ts-expect-error it is spelled expected_price
      market.orders.create({ domain: 'brew.example', expected_price: 1, expected_prise: 1 }),
      // @ts-expect-error it is spelled status
      market.orders.list({ staus: 'SETTLED' }),
      // @ts-expect-error it is spelled return_url
      market.checkout.createSession({ domain: 'brew.example', retrun_url: 'https://shop.example' }),
      // @ts-expect-error it is spelled after_id
      market.events.list({ afterId: 'evt_1' }),
      // @ts-expect-error it is spelled country, in the buyer
      market.orders.create({ domain: 'brew.example', expected_price: 1, buyer: { contry: 'GB' } }),
      // @ts-expect-error it is not documented
      market.orders.listTransactions({ from: new Date(0), x_new: 1 }),
    ];
    expectTypeOf(write).toBeFunction();
  });

  it('want each field in its kind', () => {
    const write = () => [
      // @ts-expect-error money is a number
      market.orders.create({ domain: 'brew.example', expected_price: '250000' }),
      // @ts-expect-error there are two tiers
      market.brokerage.openCase({ tier: 'gold', buyer_email: 'ada@buyer.example' }),
      // @ts-expect-error a limit is a number
      market.events.list({ limit: '5' }),
      // @ts-expect-error a date is a string, a number or a Date
      market.orders.list({ from: true }),
      // @ts-expect-error an id is a string
      market.orders.get(5),
      // @ts-expect-error a buyer is an object
      market.checkout.createSession({ domain: 'brew.example', buyer: 'Ada' }),
    ];
    expectTypeOf(write).toBeFunction();
  });

  it('may hold undefined where a field may be left out, and may be empty where all may', () => {
    const order = { domain: 'brew.example', expected_price: 1 };
    expectTypeOf({ ...order, quote_id: undefined, buyer: undefined }).toExtend<OrderInput>();
    expectTypeOf<BrokerageCaseInput['tier']>().toEqualTypeOf<'managed' | 'self_serve'>();
    type Optional = OrderFilters & TransactionFilters & DateRange & PageRequest & EventsQuery;
    expectTypeOf<object>().toExtend<Optional & RefundInput & Buyer>();
  });

  it('know words by name, for completion, and take others', () => {
    type Words = OrderStatus & BrokerageTier & LinkType & CommissionStatus & Scope;
    expectTypeOf<'SETTLED'>().toExtend<OrderStatus>();
    expectTypeOf<string>().toExtend<Words>();
    expectTypeOf<OrderStatus>().not.toEqualTypeOf<string>();
  });
});

describe('options of a call', () => {
  it('are seven, all of which may be left out, and all but the key may be undefined', () => {
    type Limit = 'signal' | 'timeoutMs' | 'deadlineMs' | 'maxRetries';
    type Name = Limit | 'idempotencyKey' | 'headers' | 'context';
    expectTypeOf<keyof RequestOptions>().toEqualTypeOf<Name>();
    expectTypeOf<{ signal: undefined; timeoutMs: undefined }>().toExtend<RequestOptions>();
    expectTypeOf<{ idempotencyKey: undefined }>().not.toExtend<RequestOptions>();
  });

  it('are the last argument of every call', () => {
    const options: RequestOptions = {};
    const write = () => [
      market.domains.search('q', options),
      market.orders.list({}, options),
      market.orders.listSettlements({}, options),
      market.orders.refund({ public_id: 'ord_1' }, options),
      market.events.list({}, options),
      // @ts-expect-error it is spelt timeoutMs
      market.domains.search('q', { timeout: 5 }),
    ];
    expectTypeOf(write).toBeFunction();
  });
});

describe('options of the client', () => {
  it('take the global fetch, and refuse what is misspelled', () => {
    expectTypeOf<typeof globalThis.fetch>().toExtend<NonNullable<ClientOptions['fetch']>>();
    expectTypeOf<typeof console>().toExtend<NonNullable<ClientOptions['logger']>>();
    // @ts-expect-error it is spelt baseUrl
    const misspelt: ClientOptions = { baseURL: 'https://market.example' };
    expectTypeOf(misspelt).toEqualTypeOf<ClientOptions>();
    // @ts-expect-error there are three modes
    const mode: ClientOptions = { validateResponses: 'throw' };
    expectTypeOf(mode).toEqualTypeOf<ClientOptions>();
  });
});
