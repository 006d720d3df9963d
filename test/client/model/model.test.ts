import { describe, expectTypeOf, it } from 'vitest';
import type {
  Availability,
  BrokerageCase,
  BrokerageCaseInput,
  BrokerageTier,
  Buyer,
  CheckoutInput,
  CheckoutSession,
  Commission,
  CommissionStatus,
  DateRange,
  DomainListing,
  EventsQuery,
  TrackingLinkInput,
  LinkType,
  Order,
  OrderDetail,
  OrderFilters,
  OrderInput,
  OrderStatus,
  PageRequest,
  Quote,
  QuoteInput,
  RefundInput,
  Scope,
  TimelineEntry,
  TransactionFilters,
  WebhookRegistrationInput,
  WebhookRegistration,
} from '../../../src/client/model/index.js';

describe('the types of inputs', () => {
  it('require only what cannot be left out', () => {
    expectTypeOf<{ domain: string }>().toExtend<QuoteInput>();
    expectTypeOf<{ domain: string; expected_price: number }>().toExtend<OrderInput>();
    expectTypeOf<{ domain: string }>().toExtend<CheckoutInput>();
    expectTypeOf<{ tier: 'managed'; buyer_email: string }>().toExtend<BrokerageCaseInput>();
    expectTypeOf<{ type: string }>().toExtend<TrackingLinkInput>();
    expectTypeOf<{ url: string; secret: string }>().toExtend<WebhookRegistrationInput>();
    expectTypeOf<object>().toExtend<
      RefundInput &
        Buyer &
        OrderFilters &
        TransactionFilters &
        DateRange &
        PageRequest &
        EventsQuery
    >();
  });

  it('refuse what is missing or of another type', () => {
    // @ts-expect-error an order names its domain
    ({ expected_price: 1, currency: 'USD' }) satisfies OrderInput;
    // @ts-expect-error an order names the price that the partner expects
    ({ domain: 'brew.example', currency: 'USD' }) satisfies OrderInput;
    // @ts-expect-error money is a number
    ({ domain: 'brew.example', expected_price: '2500' }) satisfies OrderInput;
    // @ts-expect-error a case has one of two tiers
    ({ tier: 'gold', buyer_email: 'ada@buyer.example' }) satisfies BrokerageCaseInput;
    // @ts-expect-error a webhook has a secret
    ({ url: 'https://partner.example' }) satisfies WebhookRegistrationInput;
    // @ts-expect-error a date is a string, a number or a Date
    ({ from: true }) satisfies DateRange;
  });

  it('take undefined for an absent field', () => {
    const order = { domain: 'brew.example', expected_price: 1 };
    ({ ...order, quote_id: undefined, buyer: undefined }) satisfies OrderInput;
  });

  it('refuse a field of a literal that they do not name', () => {
    const order = { domain: 'brew.example', expected_price: 1 };
    // @ts-expect-error a misspelled field
    ({ ...order, curency: 'USD' }) satisfies OrderInput;
    // @ts-expect-error a misspelled field of the buyer
    ({ ...order, buyer: { contry: 'GB' } }) satisfies OrderInput;
    // @ts-expect-error a field that is not documented
    ({ from: new Date(0), to: '2026-01-31', x_new: 1 }) satisfies TransactionFilters;
  });

  it('take a field that they do not name from a spread object or a variable', () => {
    const order = { domain: 'brew.example', expected_price: 1, x_new: { deep: [1] } };
    order satisfies OrderInput;
    const unnamed = { x_new: 1 };
    ({ from: new Date(0), ...unnamed }) satisfies TransactionFilters;
    ({ reason: 'withdrawn', ...unnamed }) satisfies RefundInput;
  });
});

describe('the types of results', () => {
  it('have the documented fields for certain', () => {
    expectTypeOf<Order['public_id']>().toEqualTypeOf<string>();
    expectTypeOf<Order['sale_price_cents']>().toEqualTypeOf<number>();
    expectTypeOf<OrderDetail['status']>().toEqualTypeOf<OrderStatus>();
    expectTypeOf<Availability['available']>().toEqualTypeOf<boolean>();
    expectTypeOf<CheckoutSession['checkout_url']>().toEqualTypeOf<string>();
    expectTypeOf<WebhookRegistration['active']>().toEqualTypeOf<boolean>();
    expectTypeOf<WebhookRegistration['created_at']>().toEqualTypeOf<string>();
  });

  it('have the assumed fields perhaps', () => {
    expectTypeOf<DomainListing['domain']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Quote['quote_id']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<OrderDetail['timeline']>().toEqualTypeOf<TimelineEntry[] | undefined>();
    expectTypeOf<BrokerageCase['tier']>().toEqualTypeOf<BrokerageTier | undefined>();
    expectTypeOf<Commission['status']>().toEqualTypeOf<CommissionStatus | undefined>();
  });

  it('have any other field as unknown', () => {
    expectTypeOf<Order['x_new']>().toEqualTypeOf<unknown>();
  });
});

describe('the types of words', () => {
  it('are open: a word of tomorrow is a string', () => {
    expectTypeOf<string>().toExtend<OrderStatus>();
    expectTypeOf<string>().toExtend<BrokerageTier>();
    expectTypeOf<string>().toExtend<LinkType>();
    expectTypeOf<string>().toExtend<CommissionStatus>();
    expectTypeOf<string>().toExtend<Scope>();
  });

  it('keep the words of today apart from string, for completion', () => {
    expectTypeOf<OrderStatus>().not.toEqualTypeOf<string>();
  });
});
