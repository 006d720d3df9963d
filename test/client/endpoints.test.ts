import { describe, expect, it } from 'vitest';
import { endpoints, type Endpoint } from '../../src/client/endpoints.js';
import { findEndpoint, fullPath } from '../../src/client/find-endpoint.js';

const v1 = '/api/partner/v1';

/**
 * The tables of the specification, part 4, row by row, with the retry columns of the design: `r`
 * for what may be repeated, `k` for what carries an Idempotency-Key, `-` for neither.
 */
const specification = `
  domains.search              GET  ${v1}/domains/search         search      r
  domains.get                 GET  ${v1}/domains/{name}         search      r
  domains.checkAvailability   GET  ${v1}/availability           search      r
  domains.getPricing          GET  ${v1}/pricing                search      r
  orders.quote                POST ${v1}/quotes                 buy         r
  orders.create               POST ${v1}/orders                 buy         rk
  orders.list                 GET  ${v1}/orders                 buy|search  r
  orders.get                  GET  ${v1}/orders/{public_id}     buy|search  r
  checkout.createSession      POST ${v1}/checkout-session       embed       r
  orders.listSettlements      GET  ${v1}/settlements            buy         r
  orders.listTransactions     GET  ${v1}/transactions           report      r
  orders.listPayouts          GET  ${v1}/payouts                report      r
  brokerage.listCases         GET  ${v1}/brokerage              report      r
  orders.refund               POST ${v1}/refunds                buy         -
  brokerage.checkEligibility  GET  ${v1}/brokerage/eligibility  broker      r
  brokerage.openCase          POST ${v1}/brokerage              broker      -
  brokerage.getCase           GET  ${v1}/brokerage/{case_id}    broker      r
  referral.createLink         POST ${v1}/links                  refer       r
  referral.listLinks          GET  ${v1}/links                  refer       r
  referral.getClicks          GET  ${v1}/me/clicks              report      r
  referral.listSales          GET  ${v1}/me/sales               report      r
  referral.listCommissions    GET  ${v1}/me/commissions         report      r
  referral.listPayouts        GET  ${v1}/me/payouts             report      r
  referral.getAnalytics       GET  ${v1}/analytics              report      r
  events.registerWebhook      PUT  /api/partner/webhooks        webhook     r
  events.list                 GET  ${v1}/events                 webhook     r
`;

const documented = specification
  .trim()
  .split('\n')
  .map((line) => {
    const [name = '', method = '', path = '', scopes = '', marks = ''] = line.trim().split(/\s+/);
    const repeatable = marks.includes('r');
    return {
      name,
      method,
      path,
      scopes: scopes.split('|'),
      ...(marks.includes('k') ? { idempotencyKey: 'required' as const } : {}),
      repeatable,
    };
  });

const rows: Endpoint[] = Object.values(endpoints).flatMap((group) => Object.values(group));
const rowOf = (name: string) => rows.find((row) => row.name === name);

describe('the table of endpoints', () => {
  it('has a row for each of the specification’s, and no other', () => {
    expect(rows.map(({ name }) => name).toSorted()).toEqual(
      documented.map(({ name }) => name).toSorted(),
    );
    expect(rows).toHaveLength(26);
  });

  it.each(documented)('$name: $method $path, scopes $scopes', (expected) => {
    expect(rowOf(expected.name)).toMatchObject(expected);
  });

  it('names each row by its place', () => {
    for (const [group, calls] of Object.entries(endpoints)) {
      for (const [call, row] of Object.entries(calls)) expect(row.name).toBe(`${group}.${call}`);
    }
  });

  it('lists the documented fields of the results, and no others', () => {
    const order = {
      public_id: 'string',
      domain: 'string',
      status: 'string',
      sale_price_cents: 'integer',
      currency: 'string',
    };
    const fields = Object.fromEntries(
      rows
        .filter(({ documentedFields }) => documentedFields.length > 0)
        .map(({ name, documentedFields }) => [name, Object.fromEntries(documentedFields)]),
    );
    expect(fields).toEqual({
      'domains.checkAvailability': { available: 'boolean' },
      'orders.create': order,
      'orders.list': order,
      'orders.get': order,
      'checkout.createSession': { checkout_url: 'string' },
      'events.list': { id: 'string', type: 'string', created_at: 'string', data: 'object' },
      'events.registerWebhook': { url: 'string', active: 'boolean', created_at: 'string' },
    });
  });

  it('pages the history of events by "after_id", which alone is documented', () => {
    expect(rows.filter(({ cursorParam }) => cursorParam !== undefined)).toEqual([
      endpoints.events.list,
    ]);
    expect(endpoints.events.list.cursorParam).toBe('after_id');
  });
});

describe('the row of a concrete path', () => {
  it.each(documented)('$method $path is $name', ({ name, method, path }) => {
    expect(findEndpoint(method, path.replace(/\{\w+\}/, 'x_1'))?.name).toBe(name);
  });

  it.each([
    ['DELETE', `${v1}/orders`],
    ['get', `${v1}/orders`],
    ['GET', '/orders'],
    ['GET', `${v1}/orders/`.slice(0, -1).concat('/a/b')],
    ['GET', `${v1}/tomorrow`],
    ['POST', '/api/partner/webhooks'],
    ['GET', ''],
  ])('%s %s is in no row', (method, path) => {
    expect(findEndpoint(method, path)).toBeUndefined();
  });

  it('may be given without the prefix of the version', () => {
    expect(fullPath('/orders')).toBe(`${v1}/orders`);
    expect(fullPath('/api/partner/webhooks')).toBe('/api/partner/webhooks');
    expect(fullPath('/apis')).toBe(`${v1}/apis`);
  });
});
