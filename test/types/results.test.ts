/** What the compiler knows of results. Nothing here is sent: the functions are never called. */

import { describe, expectTypeOf, it } from 'vitest';
import type {
  ApiError,
  Availability,
  BrokerageCase,
  BrokerageEligibility,
  BrokerageTier,
  CallPromise,
  CallResponse,
  CheckoutSession,
  Commission,
  CommissionPage,
  CommissionStatus,
  DomainListing,
  ErrorCode,
  EventOrder,
  MarketClient,
  MarketEvent,
  Order,
  OrderDetail,
  OrderStatus,
  Page,
  PagePromise,
  Payout,
  Pricing,
  Quote,
  ReferralAnalytics,
  ReferralClicks,
  ReferralPayout,
  ReferralSale,
  Refund,
  SettlementStatement,
  SignedRequest,
  TimelineEntry,
  TrackingLink,
  Transaction,
  TransactionPage,
  TransactionTotals,
  UnknownEvent,
  WebhookRegistration,
} from 'market-partner-sdk';

type Orders = MarketClient['orders'];
type Domains = MarketClient['domains'];

describe('results of calls', () => {
  it('are promises that know their data', () => {
    expectTypeOf<ReturnType<Domains['search']>>().toEqualTypeOf<CallPromise<DomainListing[]>>();
    expectTypeOf<ReturnType<Orders['create']>>().toEqualTypeOf<CallPromise<Order>>();
    expectTypeOf<ReturnType<Orders['get']>>().toEqualTypeOf<CallPromise<OrderDetail>>();
    expectTypeOf<ReturnType<Orders['waitFor']>>().toEqualTypeOf<Promise<OrderDetail>>();
    expectTypeOf<CallPromise<Order>>().toExtend<Promise<Order>>();
    expectTypeOf<Awaited<ReturnType<Orders['create']>>>().toEqualTypeOf<Order>();
  });

  it('know the answer behind the data', () => {
    type Given = Awaited<ReturnType<CallPromise<Order>['withResponse']>>;
    expectTypeOf<Given['data']>().toEqualTypeOf<Order>();
    expectTypeOf<Given['response']>().toEqualTypeOf<CallResponse>();
    expectTypeOf<CallResponse['body']>().toBeUnknown();
    expectTypeOf<CallResponse['attempts']>().toBeNumber();
  });

  it('have documented fields for certain, and assumed ones perhaps', () => {
    expectTypeOf<Order['sale_price_cents']>().toEqualTypeOf<number>();
    expectTypeOf<Order['status']>().toEqualTypeOf<OrderStatus>();
    expectTypeOf<Order['created_at']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Availability['available']>().toEqualTypeOf<boolean>();
    expectTypeOf<CheckoutSession['checkout_url']>().toEqualTypeOf<string>();
    expectTypeOf<WebhookRegistration['active']>().toEqualTypeOf<boolean>();
    expectTypeOf<DomainListing['price_cents']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Quote['quote_id']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<OrderDetail['timeline']>().toEqualTypeOf<TimelineEntry[] | undefined>();
    expectTypeOf<BrokerageCase['tier']>().toEqualTypeOf<BrokerageTier | undefined>();
    expectTypeOf<Commission['status']>().toEqualTypeOf<CommissionStatus | undefined>();
  });

  it('have other fields as unknown', () => {
    expectTypeOf<Order['a_field_of_tomorrow']>().toBeUnknown();
  });

  it('of a raw request are unknown unless the caller says what they are', () => {
    const read = (market: MarketClient) => market.request({ path: '/x' });
    expectTypeOf(read).returns.toEqualTypeOf<CallPromise<unknown>>();
    const typed = (market: MarketClient) => market.request<{ a: 1 }>({ path: '/x' });
    expectTypeOf(typed).returns.resolves.toEqualTypeOf<{ a: 1 }>();
  });
});

describe('the headers of a signed request', () => {
  it('are headers that fetch takes', () => {
    expectTypeOf<SignedRequest['headers']>().toExtend<NonNullable<RequestInit['headers']>>();
  });
});

describe('the code of an error', () => {
  it('is one of the documented codes, or another string', () => {
    expectTypeOf<'price_mismatch'>().toExtend<ErrorCode>();
    expectTypeOf<string>().toExtend<ErrorCode>();
    expectTypeOf<ErrorCode>().not.toEqualTypeOf<string>();
    expectTypeOf<ApiError['code']>().toEqualTypeOf<ErrorCode | undefined>();
  });
});

/** The fields that a type names and requires. */
type RequiredFields<T> = keyof {
  [K in keyof T as string extends K ? never : undefined extends T[K] ? never : K]: true;
};

describe('fields that the specification does not name', () => {
  it('may be absent from every record', () => {
    type Undocumented =
      | DomainListing
      | Pricing
      | Quote
      | Refund
      | SettlementStatement
      | Transaction
      | Payout
      | BrokerageEligibility
      | BrokerageCase
      | TrackingLink
      | ReferralClicks
      | ReferralSale
      | Commission
      | ReferralPayout
      | ReferralAnalytics;
    type RequiredOfEach<T> = T extends unknown ? RequiredFields<T> : never;
    expectTypeOf<RequiredOfEach<Undocumented>>().toBeNever();
  });

  it('leave the documented ones required', () => {
    expectTypeOf<RequiredFields<Order>>().toEqualTypeOf<
      'public_id' | 'domain' | 'status' | 'sale_price_cents' | 'currency'
    >();
    expectTypeOf<RequiredFields<OrderDetail>>().toEqualTypeOf<RequiredFields<Order>>();
    expectTypeOf<RequiredFields<Availability>>().toEqualTypeOf<'available'>();
    expectTypeOf<RequiredFields<CheckoutSession>>().toEqualTypeOf<'checkout_url'>();
    expectTypeOf<RequiredFields<WebhookRegistration>>().toEqualTypeOf<
      'url' | 'active' | 'created_at'
    >();
  });
});

describe('domains.checkMany', () => {
  it('yields an answer or an error', () => {
    const walk = async (market: MarketClient) => {
      for await (const result of market.domains.checkMany(new Set(['brew.example']))) {
        if (result.availability !== undefined) {
          expectTypeOf(result.availability).toEqualTypeOf<Availability>();
        } else {
          expectTypeOf(result.error).toBeUnknown();
        }
      }
    };
    expectTypeOf(walk).toBeFunction();
  });
});

describe('statuses', () => {
  it('can be narrowed by the names that are known, and may be others', () => {
    const describeStatus = (status: OrderStatus): string => {
      switch (status) {
        case 'SETTLED':
          return 'paid out';
        case 'TRANSFER_COMPLETED':
          return 'delivered';
        default:
          return status;
      }
    };
    expectTypeOf(describeStatus).returns.toBeString();
  });
});

describe('lists', () => {
  it('are promises of a page that iterate over items', () => {
    expectTypeOf<ReturnType<Orders['list']>>().toEqualTypeOf<PagePromise<Page<Order>>>();
    expectTypeOf<PagePromise<Page<Order>>>().toExtend<AsyncIterable<Order>>();
    expectTypeOf<PagePromise<Page<Order>>>().toExtend<Promise<Page<Order>>>();
    expectTypeOf<Page<Order>>().toExtend<AsyncIterable<Order>>();
    expectTypeOf<Page<Order>['items']>().toEqualTypeOf<Order[]>();
    expectTypeOf<Page<Order>['nextCursor']>().toEqualTypeOf<string | undefined>();
    type Collected = Awaited<ReturnType<PagePromise<Page<Order>>['toArray']>>;
    expectTypeOf<Collected>().toEqualTypeOf<Order[]>();
  });

  it('with sums keep them on every page', () => {
    expectTypeOf<ReturnType<Orders['listTransactions']>>().toEqualTypeOf<
      PagePromise<TransactionPage>
    >();
    expectTypeOf<TransactionPage['totals']>().toEqualTypeOf<TransactionTotals | undefined>();
    expectTypeOf<CommissionPage['runningBalance']>().toEqualTypeOf<number | undefined>();
    const walk = async (list: PagePromise<TransactionPage>) => {
      for await (const page of list.pages()) expectTypeOf(page).toEqualTypeOf<TransactionPage>();
      for await (const item of list) expectTypeOf(item).toEqualTypeOf<Transaction>();
      return (await list).nextPage();
    };
    expectTypeOf(walk).returns.resolves.toEqualTypeOf<TransactionPage>();
  });
});

describe('events of the history', () => {
  it('are discriminated by their type', () => {
    const handle = (event: MarketEvent) => {
      switch (event.type) {
        case 'order.settled':
          expectTypeOf(event.data.order).toEqualTypeOf<EventOrder>();
          return event.data.order.public_id;
        case 'brokerage.case_completed':
          expectTypeOf(event.data).toEqualTypeOf<Record<string, unknown>>();
          return event.id;
        default:
          return event.id;
      }
    };
    expectTypeOf(handle).returns.toBeString();
    expectTypeOf<ReturnType<MarketClient['events']['list']>>().toEqualTypeOf<
      PagePromise<Page<MarketEvent>>
    >();
  });

  it('of another type are unknown events, and no misspelling is let through', () => {
    expectTypeOf<'order.settled'>().toExtend<MarketEvent['type']>();
    expectTypeOf<'order.setled'>().not.toExtend<MarketEvent['type']>();
    expectTypeOf<UnknownEvent>().toExtend<MarketEvent>();
  });
});
