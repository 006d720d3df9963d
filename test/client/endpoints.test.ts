import { describe, expect, it } from 'vitest';
import { endpoints, type Endpoint } from '../../src/client/endpoints.js';
import { findEndpoint, fullPath } from '../../src/client/find-endpoint.js';
import { everyCall } from '../specification.js';

const v1 = '/api/partner/v1';

const documented = everyCall.map(({ name, method, path, scopes, keyed, harmful }) => ({
  name,
  method,
  path: `/api/partner${path}`,
  scopes,
  ...(keyed && { idempotencyKey: 'required' as const }),
  repeatable: harmful !== true,
}));

const rows: Endpoint[] = Object.values(endpoints).flatMap((group) => Object.values(group));
const rowOf = (name: string) => rows.find((row) => row.name === name);

describe('the table of endpoints', () => {
  it('the table has a row for each endpoint of the specification, and no other', () => {
    expect(rows.map(({ name }) => name).toSorted()).toEqual(
      documented.map(({ name }) => name).toSorted(),
    );
  });

  it.each(documented)('$name: $method $path, scopes $scopes', (expected) => {
    expect(rowOf(expected.name)).toMatchObject(expected);
  });

  it('each row is named by its place in the table', () => {
    for (const [group, calls] of Object.entries(endpoints)) {
      for (const [call, row] of Object.entries(calls)) expect(row.name).toBe(`${group}.${call}`);
    }
  });

  it('the table lists the documented fields of the results, and no others', () => {
    const text = { public_id: 'string', domain: 'string', status: 'string', currency: 'string' };
    const order = { ...text, sale_price_cents: 'integer' };
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

  it('only the history of events has a documented cursor, "after_id"', () => {
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

  it('a path without the prefix of the version gets it', () => {
    expect(fullPath('/orders')).toBe(`${v1}/orders`);
    expect(fullPath('/api/partner/webhooks')).toBe('/api/partner/webhooks');
    expect(fullPath('/apis')).toBe(`${v1}/apis`);
  });
});
