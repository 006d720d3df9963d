/** Specification, 4.2, and the refunds of 4.4. */

import {
  canTransition,
  transitionOrder,
  serializeOrderDetail,
  serializeOrder,
  requireOrder,
  recordOrder,
} from '../market/orders.js';
import { makeQuote } from '../market/quotes.js';
import { created, listed, ok, type EndpointCall, type Endpoint } from './endpoint.js';
import type { FieldReader } from './fields.js';
import { page } from './pages.js';
import { ServiceError } from '../service-error.js';

export const orderEndpoints: readonly Endpoint[] = [
  { method: 'POST', path: '/quotes', scopes: ['buy'], run: createQuote },
  {
    method: 'POST',
    path: '/orders',
    scopes: ['buy'],
    requiresIdempotencyKey: true,
    run: createOrder,
  },
  { method: 'GET', path: '/orders', scopes: ['buy', 'search'], run: listOrders },
  { method: 'GET', path: '/orders/{public_id}', scopes: ['buy', 'search'], run: getOrder },
  { method: 'POST', path: '/refunds', scopes: ['buy'], run: createRefund },
];

function createQuote({ market, account, body }: EndpointCall) {
  const input = body();
  return created(makeQuote(market, account, readPriceFields(input)));
}

function createOrder({ market, account, body }: EndpointCall) {
  const input = body();
  checkBuyer(input);
  const order = recordOrder(market, account, {
    ...readPriceFields(input),
    quote_id: input.text('quote_id'),
    external_payment_ref: input.text('external_payment_ref'),
  });
  const result = created(serializeOrder(order));
  // After the response was made: the sale is recorded first and held second.
  if (market.ordersToHold > 0) {
    market.ordersToHold -= 1;
    transitionOrder(market, account, order, 'hold');
  }
  return result;
}

function listOrders({ market, account, query }: EndpointCall) {
  const status = query.text('status');
  const domain = query.domain('domain');
  const isIn = dateRange(query);
  const now = market.clock.now();
  const oldestFirst = account.orders.filter(
    (order) =>
      order.visibleAt <= now &&
      (status === undefined || order.status === status) &&
      (domain === undefined || order.domain === domain) &&
      isIn(Date.parse(order.created_at)),
  );
  return listed(
    page(query, { name: 'orders', oldestFirst, order: 'newest first', serialize: serializeOrder }),
  );
}

function getOrder({ market, account, params }: EndpointCall) {
  return ok(serializeOrderDetail(requireOrder(market, account, params.public_id ?? '')));
}

function createRefund({ market, account, body }: EndpointCall) {
  const input = body();
  const publicId = input.required(
    'public_id',
    input.text('public_id') ??
      input.text('order_id') ??
      input.text('order_public_id') ??
      input.text('id'),
  );
  const reason = input.text('reason');
  const order = requireOrder(market, account, publicId);
  if (!canTransition(order, 'refundByPartner')) {
    throw new ServiceError(
      'conflict',
      `Order ${publicId} is ${order.status}; a refund is allowed only before TRANSFER_COMPLETED, and once.`,
    );
  }
  transitionOrder(market, account, order, 'refundByPartner');
  return created({
    refund_id: market.identifiers.next('rf_'),
    public_id: order.public_id,
    status: order.status,
    amount_cents: order.sale_price_cents,
    currency: order.currency,
    ...(reason === undefined ? {} : { reason }),
    created_at: market.timestamp(),
  });
}

/** The fields that quotes, orders and checkouts have in common. */
export function readPriceFields(input: FieldReader) {
  return {
    domain: input.requiredDomain('domain'),
    expected_price: input.cents('expected_price'),
    currency: input.currency('currency'),
  };
}

export function checkBuyer(input: FieldReader): void {
  const buyer = input.object('buyer');
  buyer?.email('email');
  buyer?.text('name');
  buyer?.matching('country', /^[A-Z]{2}$/, 'must be a country code of two capital letters');
  input.url('return_url');
  input.url('cancel_url');
}

/** Whether an instant is within `from` and `to`, both included. */
export function dateRange(query: FieldReader): (instant: number) => boolean {
  const from = query.instant('from') ?? -Infinity;
  const to = query.instant('to') ?? Infinity;
  if (from > to) throw new ServiceError('validation_error', '"from" must not be after "to".');
  return (instant) => instant >= from && instant <= to;
}
