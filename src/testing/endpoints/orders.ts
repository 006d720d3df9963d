/** Specification, 4.2, and the refunds of 4.4. */

import { optional, text } from '../../core/schema/options.js';
import { orderFields, quoteFields } from '../market/input.js';
import {
  canTransition,
  recordOrder,
  requireOrder,
  serializeOrder,
  serializeOrderDetail,
  transitionOrder,
} from '../market/orders.js';
import { makeQuote } from '../market/quotes.js';
import { ServiceError } from '../service-error.js';
import { domain } from '../values.js';
import { created, endpoint, listed, ok, type Endpoint } from './endpoint.js';
import { dateRange, nothing, pageFields, rangeFields } from './input.js';
import { page } from './pages.js';

const orderFilters = () => ({
  status: optional(text()),
  domain: optional(domain()),
  ...rangeFields(),
  ...pageFields(),
});

/** The specification shows no name of the field that names the order. */
const refundFields = () => ({
  public_id: optional(text()),
  order_id: optional(text()),
  order_public_id: optional(text()),
  id: optional(text()),
  reason: optional(text()),
});

export const orderEndpoints: readonly Endpoint[] = [
  endpoint('POST /quotes', { scopes: ['buy'] }, quoteFields, ({ market, account, input }) =>
    created(makeQuote(market, account, input)),
  ),
  endpoint(
    'POST /orders',
    { scopes: ['buy'], requiresIdempotencyKey: true },
    orderFields,
    ({ market, account, input }) => {
      const order = recordOrder(market, account, input);
      const result = created(serializeOrder(order));
      // After the response was made: the sale is recorded first and held second.
      if (market.ordersToHold > 0) {
        market.ordersToHold -= 1;
        transitionOrder(market, account, order, 'hold');
      }
      return result;
    },
  ),
  endpoint(
    'GET /orders',
    { scopes: ['buy', 'search'] },
    orderFilters,
    ({ market, account, input }) => {
      const { status, domain } = input;
      const isIn = dateRange(input);
      const now = market.clock.now();
      const oldestFirst = account.orders.filter(
        (order) =>
          order.visibleAt <= now &&
          (status === undefined || order.status === status) &&
          (domain === undefined || order.domain === domain) &&
          isIn(Date.parse(order.created_at)),
      );
      return listed(page(input, { name: 'orders', oldestFirst, serialize: serializeOrder }));
    },
  ),
  endpoint(
    'GET /orders/{public_id}',
    { scopes: ['buy', 'search'] },
    nothing,
    ({ market, account, params }) =>
      ok(serializeOrderDetail(requireOrder(market, account, params.public_id ?? ''))),
  ),
  endpoint('POST /refunds', { scopes: ['buy'] }, refundFields, ({ market, account, input }) => {
    const { reason } = input;
    const publicId = input.public_id ?? input.order_id ?? input.order_public_id ?? input.id;
    if (publicId === undefined) {
      throw new ServiceError('validation_error', '"public_id" is required.');
    }
    const order = requireOrder(market, account, publicId);
    if (!canTransition(order, 'refundByPartner')) {
      throw new ServiceError(
        'conflict',
        `Order ${publicId} is ${order.status}; a refund is allowed only before TRANSFER_COMPLETED, and once.`,
      );
    }
    if (order.refund !== undefined) {
      throw new ServiceError('conflict', `A refund of order ${publicId} is ${order.refund}.`);
    }
    const waits = market.refundsToHold > 0;
    if (waits) {
      market.refundsToHold -= 1;
      order.refund = 'waiting';
    } else transitionOrder(market, account, order, 'refundByPartner');
    return created({
      refund_id: market.identifiers.next('rf_'),
      public_id: order.public_id,
      status: waits ? 'PENDING' : order.status,
      amount_cents: order.sale_price_cents,
      currency: order.currency,
      ...(reason === undefined ? {} : { reason }),
      created_at: market.timestamp(),
    });
  }),
];
