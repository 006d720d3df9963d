/** The routes for what the service's staff do, named after the methods of `emulator.admin`. */

import { lookUpOrder } from '../market/lookup.js';
import { staffTransitions } from '../market/orders.js';
import type { ListingInput } from '../market/records.js';
import type { ReferralSaleInput } from '../market/referral.js';
import { environmentOf } from './fields.js';
import { write, type Route } from './route.js';
import { viewOrder } from './views.js';

export const staffRoutes: readonly Route[] = [
  ...staffTransitions.map((name) =>
    write(`/orders/{publicId}/${name}`, {}, ({ target, params }) => {
      target.admin[name](params.publicId);
      const { order, account } = lookUpOrder(target.market, params.publicId);
      return viewOrder(order, account);
    }),
  ),
  write('/holdNextOrder', { count: 'number?' }, ({ target, body }) =>
    target.admin.holdNextOrder(body.count as number | undefined),
  ),
  write('/settle', {}, ({ target }) => target.admin.settle()),
  write(
    '/cases/{caseId}/closeCase',
    { outcome: 'string?', price_cents: 'number?' },
    ({ target, params, body }) => target.admin.closeCase(params.caseId, body),
  ),
  write('/sessions/{sessionId}/payCheckout', {}, ({ target, params }) =>
    target.admin.payCheckout(params.sessionId),
  ),
  write(
    '/list',
    {
      domain: 'string',
      price_cents: 'number',
      floor_price_cents: 'number?',
      currency: 'string?',
      metadata: 'object?',
      environment: 'string?',
    },
    ({ target, body: { environment, ...listing } }) =>
      target.admin.list(listing as unknown as ListingInput, environmentOf(environment)),
  ),
  write(
    '/reprice',
    { domain: 'string', priceCents: 'number', environment: 'string?' },
    ({ target, body }) =>
      target.admin.reprice(
        body.domain as string,
        body.priceCents as number,
        environmentOf(body.environment),
      ),
  ),
  write('/quotes/{quoteId}/expireQuote', {}, ({ target, params }) =>
    target.admin.expireQuote(params.quoteId),
  ),
  write('/delist', { domain: 'string', environment: 'string?' }, ({ target, body }) =>
    target.admin.delist(body.domain as string, environmentOf(body.environment)),
  ),
  write('/markActiveSite', { domain: 'string', isActive: 'boolean?' }, ({ target, body }) =>
    target.admin.markActiveSite(body.domain as string, body.isActive as boolean | undefined),
  ),
  write('/links/{linkId}/recordReferralClick', {}, ({ target, params }) =>
    target.admin.recordReferralClick(params.linkId),
  ),
  write('/links/{linkId}/recordReferralCheckout', {}, ({ target, params }) =>
    target.admin.recordReferralCheckout(params.linkId),
  ),
  write(
    '/links/{linkId}/recordReferralSale',
    {
      domain: 'string',
      amount_cents: 'number',
      commission_cents: 'number?',
      buyer: 'string?',
      currency: 'string?',
    },
    ({ target, params, body }) =>
      target.admin.recordReferralSale(params.linkId, body as unknown as ReferralSaleInput),
  ),
  write('/sales/{saleId}/reverseReferralSale', {}, ({ target, params }) =>
    target.admin.reverseReferralSale(params.saleId),
  ),
  write(
    '/registerWebhook',
    { url: 'string', secret: 'string', partnerId: 'string?', environment: 'string?' },
    ({ target, body: { url, secret, environment, ...partner } }) =>
      target.admin.registerWebhook(url as string, secret as string, {
        ...partner,
        environment: environmentOf(environment),
      }),
  ),
  write(
    '/emitEvent',
    {
      type: 'string',
      order: 'string?',
      data: 'object?',
      partnerId: 'string?',
      environment: 'string?',
    },
    ({ target, body: { type, environment, ...options } }) =>
      target.admin.emitEvent(type as string, {
        ...options,
        environment: environmentOf(environment),
      }),
  ),
  write('/events/{eventId}/deliverAgain', {}, ({ target, params }) =>
    target.admin.deliverAgain(params.eventId),
  ),
];
