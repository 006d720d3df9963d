import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { doctor } from './run-doctor.js';

/** A service that answers each read with this JSON. */
async function reportOn(answer: (path: string) => unknown, status = 200) {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0]?.replace('/api/partner/v1', '') ?? '';
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer(path)));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.close();
  });
  return doctor({
    MARKET_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    MARKET_KEY_ID: 'mk_sandbox_1f0c2b3a4d5e6f70',
    MARKET_SECRET: 'the-secret-of-these-tests',
  });
}

const event = { type: 'order.settled', created_at: '2026-11-01T00:00:00Z', data: {} };

describe('the command doctor looks at the bodies', () => {
  it('of Stripe: more by a flag, and whole numbers for ids', async () => {
    const report = await reportOn((path) => {
      if (path === '/availability') return { available: false };
      if (path === '/brokerage/eligibility') return { eligible: true };
      const payout = { payout_id: 'p_1', amount_cents: 5, paid_at: '2026-11-01T00:00:00Z' };
      const item = path === '/events' ? { ...event, id: 7 } : payout;
      return { object: 'list', data: [item], has_more: true };
    });
    expect(report.check('lists')).toMatchObject({ result: 'ok', detail: 'holds' });
    expect(report.check('paging')).toMatchObject({
      result: 'warning',
      detail: expect.stringContaining('has_more') as string,
    });
    expect(report.check('event ids')).toMatchObject({ result: 'warning' });
    expect(report.check('records')).toMatchObject({ result: 'ok' });
    expect(report.check('sent prices')).toMatchObject({
      result: 'not_checked',
      detail: 'not seen',
    });
  });

  it('in camelCase: a domain and a status alone hold nothing', async () => {
    const order = { publicId: 'ord_1', domain: 'brew.example', status: 'SETTLED', createdAt: 'x' };
    const report = await reportOn(() => ({ data: [order] }));
    expect(report.check('fields')).toMatchObject({
      result: 'warning',
      detail: expect.stringContaining('"publicId", "domain", "status", "createdAt"') as string,
    });
  });

  it('of JSON:API: other fields, and no list where one should be', async () => {
    const report = await reportOn((path) =>
      path === '/payouts'
        ? { ok: true, payload: { rows: 'none' } }
        : { data: { id: '1', attributes: { price: 'a secret value' } } },
    );
    expect(report.check('fields')).toMatchObject({
      result: 'warning',
      detail: expect.stringContaining('"id", "attributes"') as string,
    });
    expect(report.check('lists')).toMatchObject({ result: 'warning' });
    expect(JSON.stringify(report.checks)).not.toContain('a secret value');
    expect(JSON.stringify(report.checks)).not.toContain("probably not the service's address");
  });

  it('of a service with other forms of amounts, dates and errors', async () => {
    const report = await reportOn((path) => {
      if (path === '/availability') return { available: true, price_cents: '2500.00' };
      if (path === '/payouts') return { payouts: [{ payout_id: 'p_1', paid_at: 1_793_000_000 }] };
      return { [path.slice(1)]: [] };
    });
    expect(report.check('amounts')).toMatchObject({
      result: 'warning',
      detail: expect.stringContaining('"price_cents"') as string,
    });
    expect(report.check('dates')).toMatchObject({ result: 'warning' });
    expect(report.check('empty lists')).toMatchObject({ result: 'ok' });
    const refused = await reportOn(() => ({ statusCode: 403, message: 'no' }), 403);
    expect(refused.check('errors')).toMatchObject({
      result: 'warning',
      detail: expect.stringContaining('"statusCode", "message"') as string,
    });
  });
});
