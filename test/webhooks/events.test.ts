import { describe, expectTypeOf, it } from 'vitest';
import type {
  BrokerageCaseCompletedEvent,
  EventData,
  EventOrder,
  KnownEvent,
  MarketEvent,
  MarketEventType,
  OrderEvent,
  OrderSettledEvent,
  UnknownEvent,
} from 'market-partner-sdk/webhooks';

const settled = {
  id: 'evt_1',
  type: 'order.settled',
  created_at: '2026-11-21T08:00:00Z',
  partner_id: 'prt_1',
  data: {
    order: {
      public_id: 'ord_1',
      domain: 'brew.example',
      status: 'SETTLED',
      sale_price_cents: 250_000,
      currency: 'USD',
    },
  },
} satisfies MarketEvent;

const received = (): MarketEvent => settled;

describe('the types of events', () => {
  it('an event narrows to one type when its type is compared, though other types may arrive', () => {
    const event = received();
    if (event.type === 'order.settled') {
      expectTypeOf(event).toEqualTypeOf<OrderSettledEvent>();
      expectTypeOf(event.data.order).toEqualTypeOf<EventOrder>();
      expectTypeOf(event.data.order.sale_price_cents).toEqualTypeOf<number>();
    }
  });

  it('a switch narrows several types at once and leaves the unknown ones to its default', () => {
    const event = received();
    switch (event.type) {
      case 'order.recorded':
      case 'order.manual_review_cleared':
      case 'order.transfer_started':
      case 'order.transfer_completed':
      case 'order.settled':
      case 'order.refunded':
        expectTypeOf(event).toEqualTypeOf<OrderEvent>();
        break;
      case 'brokerage.case_completed':
        expectTypeOf(event).toEqualTypeOf<BrokerageCaseCompletedEvent>();
        expectTypeOf(event.data).toEqualTypeOf<EventData>();
        break;
      default:
        expectTypeOf(event).toEqualTypeOf<UnknownEvent>();
        expectTypeOf(event.type).toExtend<string>();
    }
  });

  it('a misspelled type is not assignable to the type of an event', () => {
    expectTypeOf<'order.settled'>().toExtend<MarketEvent['type']>();
    expectTypeOf<'order.setled'>().not.toExtend<MarketEvent['type']>();
    expectTypeOf<MarketEvent['type']>().toExtend<string>();
  });

  it('undocumented fields are unknown, and partner_id is optional', () => {
    expectTypeOf<MarketEvent['attempt']>().toEqualTypeOf<unknown>();
    expectTypeOf<EventOrder['registrar']>().toEqualTypeOf<unknown>();
    expectTypeOf<MarketEvent['partner_id']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<KnownEvent['type']>().toEqualTypeOf<MarketEventType>();
    expectTypeOf<MarketEventType>().toEqualTypeOf<
      | 'order.recorded'
      | 'order.manual_review_cleared'
      | 'order.transfer_started'
      | 'order.transfer_completed'
      | 'order.settled'
      | 'order.refunded'
      | 'brokerage.case_completed'
    >();
  });
});
