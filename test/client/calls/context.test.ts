/** The option `context` of a call: the caller's own fields on log lines and spans. */

import { HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { errorResponse, mockMarket, okResponse } from '../../support/mock-market.js';
import { recordingLogger } from '../../support/recording-logger.js';

const order = { domain: 'brew.example', expected_price: 250_000 };
const context = { orderId: 'A-1001', attemptOfShop: 2, isGift: false };

describe('context', () => {
  it('is on every log line of its call, and on no other', async () => {
    const { lines, logger } = recordingLogger();
    const { market } = mockMarket([errorResponse(503), okResponse(), okResponse()], { logger });
    await market.orders.create(order, { context });
    expect(lines.map(({ level }) => level)).toEqual(['debug', 'warn', 'debug']);
    for (const { fields } of lines) expect(fields).toMatchObject(context);

    await market.orders.get('ord_1001');
    expect(lines.at(-1)!.fields).not.toHaveProperty('orderId');
  });

  it('may have undefined fields, which are left out', async () => {
    const { lines, logger } = recordingLogger();
    const { market } = mockMarket([okResponse()], { logger });
    const headers: Record<string, string> = {};
    await market.orders.create(order, { context: { ...context, trace: headers['x-trace'] } });
    expect(lines[0]!.fields).toMatchObject(context);
    expect(lines[0]!.fields).not.toHaveProperty('trace');
  });

  it("loses to the client's own fields", async () => {
    const { lines, logger } = recordingLogger();
    const { market } = mockMarket([okResponse()], { logger });
    await market.orders.get('ord_1001', { context: { call: 'mine', attempt: 9, shop: 'blue' } });
    expect(lines[0]!.fields).toMatchObject({ call: 'orders.get', attempt: 1, shop: 'blue' });
  });

  it('is a copy: a later change of the object shows nowhere', async () => {
    const { lines, logger } = recordingLogger();
    const { market } = mockMarket([okResponse()], { logger });
    const fields = { orderId: 'A-1001' };
    const call = market.orders.create(order, { context: fields });
    fields.orderId = 'A-2002';
    await call;
    expect(lines[0]!.fields).toMatchObject({ orderId: 'A-1001' });
  });

  it('is on the line of a documented field that is missing', async () => {
    const { lines, logger } = recordingLogger();
    const { market } = mockMarket([okResponse()], { logger, validateResponses: 'warn' });
    await market.orders.get('ord_1001', { context });
    const warnings = lines.filter(({ level }) => level === 'warn');
    expect(warnings.length).toBeGreaterThan(0);
    for (const { fields } of warnings) expect(fields).toMatchObject(context);
  });

  it('is on the lines of every page of a list', async () => {
    const { lines, logger } = recordingLogger();
    const { market } = mockMarket(
      [
        HttpResponse.json({ data: [{ id: 1 }], next_cursor: 'c1' }),
        HttpResponse.json({ data: [{ id: 2 }], next_cursor: null }),
      ],
      { logger },
    );
    await market.orders.list({}, { context }).toArray({ limit: 10 });
    expect(lines).toHaveLength(2);
    for (const { fields } of lines) expect(fields).toMatchObject(context);
  });

  it('reaches the calls of waitFor, resume, checkMany and request', async () => {
    const { lines, logger } = recordingLogger();
    const placed = () =>
      HttpResponse.json({ public_id: 'ord_1001', status: 'SETTLED', domain: 'brew.example' });
    const { market, time } = mockMarket([placed, placed, okResponse(), okResponse()], { logger });
    await market.orders.waitFor('ord_1001', { until: 'SETTLED', context });
    const sale = { input: order, idempotencyKey: 'payment-1', startedAt: time.nowMs };
    await market.orders.resume(sale, { context });
    for await (const { domain } of market.domains.checkMany(['brew.example'], { context })) {
      expect(domain).toBe('brew.example');
    }
    await market.request({ path: '/orders', context });
    const calls = lines.filter(({ level }) => level === 'debug').map(({ fields }) => fields.call);
    expect(calls).toEqual(['orders.get', 'orders.create', 'domains.checkAvailability', 'request']);
    for (const { fields } of lines) expect(fields).toMatchObject(context);
  });

  it('is not sent', async () => {
    const { market, sent } = mockMarket([okResponse()]);
    await market.orders.create(order, { context: { secretName: 'do-not-send' } });
    expect(sent).toHaveLength(1);
    expect(JSON.stringify(sent)).not.toContain('do-not-send');
  });
});
