import { HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { ForbiddenError, InternalServerError } from 'market-partner-sdk';
import { isSigned } from '../../support/signature-check.js';
import { rejectionOf } from '../../support/errors.js';
import { credential, mockMarket, okBody } from '../../support/mock-market.js';

const badGateway = () => HttpResponse.html('<h1>Bad Gateway</h1>', { status: 502 });

/** How often a call is sent whose every attempt may have been worked on. */
async function attemptsOf(request: { method?: string; path: string; repeatable?: boolean }) {
  const { market, sent } = mockMarket(badGateway);
  expect(await rejectionOf(market.request(request))).toBeInstanceOf(InternalServerError);
  return sent.length;
}

describe('market.request', () => {
  it('sends a signed GET of a path below the version, and gives the JSON', async () => {
    const { market, sent } = mockMarket(() => ({ anything: [1] }));
    const answer = await market.request<{ anything: number[] }>({
      path: '/reports/new',
      query: { b: ['2', '1'], a: "it's", none: undefined },
    });
    expect(answer.anything).toEqual([1]);
    expect(sent[0]).toMatchObject({
      method: 'GET',
      target: '/api/partner/v1/reports/new?a=it%27s&b=1&b=2',
      body: '',
    });
    expect(isSigned(sent[0]!, credential)).toBe(true);
  });

  it('takes a full path, any method in any case, and a body in canonical form', async () => {
    const { market, sent } = mockMarket(() => ({}), { baseUrl: 'https://gw.example/m' });
    await market.request({ method: 'patch', path: '/api/partner/v2/x', body: { b: 1, a: [] } });
    expect(sent[0]).toMatchObject({
      method: 'PATCH',
      target: '/m/api/partner/v2/x',
      body: '{"a":[],"b":1}',
      headers: { 'content-type': 'application/json' },
    });
    expect(isSigned(sent[0]!, credential)).toBe(true);
  });

  it('is a POST where there is a body and no method', async () => {
    const { market, sent } = mockMarket(() => ({}));
    await market.request({ path: '/x', body: null });
    expect(sent[0]).toMatchObject({ method: 'POST', body: 'null' });
  });

  it('takes the query in every form, and always sends the canonical one', async () => {
    const { market, sent } = mockMarket(() => ({}));
    const object = { b: '2', a: '1 x' };
    const forms = ['?b=2&a=1 x', new URLSearchParams(object), Object.entries(object), object];
    for (const query of forms) await market.request({ path: '/x', query });
    const targets = new Set(sent.map(({ target }) => target));
    expect([...targets]).toEqual(['/api/partner/v1/x?a=1%20x&b=2']);
  });

  it('gives undefined for an answer without a body, such as a 204', async () => {
    const { market } = mockMarket(() => new HttpResponse(null, { status: 204 }));
    const { data, response } = await market
      .request({ method: 'DELETE', path: '/links/link_1' })
      .withResponse();
    expect(data).toBeUndefined();
    expect(response).toMatchObject({ status: 204, body: undefined, attempts: 1 });
  });

  it('gives a POST of an order its key, as the table has it', async () => {
    const { market, sent } = mockMarket(() => ({ public_id: 'ord_1001' }));
    const { response } = await market
      .request({ method: 'POST', path: '/orders', body: { domain: 'brew.example' } })
      .withResponse();
    await market.request({ method: 'POST', path: '/orders', body: {}, idempotencyKey: 'k-1' });
    await market.request({ method: 'POST', path: '/quotes', body: {} });
    const keys = sent.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([response.idempotencyKey, 'k-1', undefined]);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('names the scope of a known path, and none for an unknown one', async () => {
    const { market } = mockMarket(() =>
      HttpResponse.json({ code: 'forbidden', message: 'no' }, { status: 403 }),
    );
    const known = await rejectionOf(market.request({ path: '/brokerage/case_1' }));
    const unknown = await rejectionOf(market.request({ path: '/reports/new' }));
    expect(known).toBeInstanceOf(ForbiddenError);
    const path = '/api/partner/v1/brokerage/case_1';
    expect(known).toMatchObject({ requiredScope: 'broker', path });
    expect(unknown).not.toHaveProperty('requiredScope');
  });

  it('retries a known path by the rules of its row', async () => {
    expect(await attemptsOf({ method: 'POST', path: '/orders' })).toBe(3);
    expect(await attemptsOf({ method: 'POST', path: '/links' })).toBe(3);
    expect(await attemptsOf({ method: 'POST', path: '/refunds' })).toBe(1);
    expect(await attemptsOf({ method: 'POST', path: '/api/partner/v1/brokerage' })).toBe(1);
    expect(await attemptsOf({ method: 'PUT', path: '/api/partner/webhooks' })).toBe(3);
  });

  it('retries an unknown path where its method, or the caller, says that it may', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      expect(await attemptsOf({ method, path: '/reports/new' })).toBe(3);
    }
    for (const method of ['POST', 'PATCH']) {
      expect(await attemptsOf({ method, path: '/reports/new' })).toBe(1);
    }
    expect(await attemptsOf({ method: 'POST', path: '/reports/new', repeatable: true })).toBe(3);
    expect(await attemptsOf({ method: 'POST', path: '/links', repeatable: false })).toBe(1);
  });

  it('checks what the method for its path checks, but requires no field', async () => {
    const { market, sent } = mockMarket(() => okBody);
    const order = { domain: 'Brew.Example', currency: 'usd' };
    await market.request({ path: '/orders', body: order, idempotencyKey: 'k-1' });
    expect(sent[0]?.body).toBe('{"currency":"USD","domain":"brew.example"}');
    const wrong: readonly [object, string][] = [
      [{ path: '/orders', body: { ...order, expectedPrice: 1 } }, 'expectedPrice'],
      [{ path: '/orders', body: { ...order, idempotency_key: 'k' } }, 'idempotency_key'],
      [{ path: '/domains/search', query: { q: ' ' } }, 'q'],
    ];
    for (const [request, name] of wrong) {
      const error = await rejectionOf(market.request(request as { path: string }));
      expect(error).toMatchObject({ issues: [{ path: name }] });
    }
    expect(sent).toHaveLength(1);
  });

  it('sends filters that are text, pairs or null as they are', async () => {
    const { market, sent } = mockMarket(() => ({}));
    await market.request({ path: '/orders', query: 'limit=five' });
    await market.request({ path: '/orders', query: [['limit', 'five']] });
    await market.request({ path: '/orders', query: { status: null, domain: 'Brew.example' } });
    const queries = sent.map(({ target }) => target.split('?')[1]);
    expect(queries).toEqual(['limit=five', 'limit=five', 'domain=brew.example']);
  });

  it('says how to look, as the method for its path does', async () => {
    const { market } = mockMarket(() => HttpResponse.error());
    const error = await rejectionOf(market.request({ path: '/refunds', body: { public_id: 'o' } }));
    expect(error.message).toContain('Check before you retry, with orders.resumeRefund.');
  });

  it('names the method and the path as given, where the path is what is refused', async () => {
    const { market } = mockMarket(() => ({}));
    const given = { method: 'DELETE', path: '/links/../orders' };
    expect(await rejectionOf(market.request(given))).toMatchObject({
      ...given,
      message: expect.stringContaining('DELETE /links/../orders: "path"'),
    });
  });

  it('carries the facts of its call on its errors', async () => {
    const { market } = mockMarket(
      () => HttpResponse.json({ code: 'teapot', message: 'short and stout' }, { status: 418 }),
      { baseUrl: 'https://gw.example/m' },
    );
    const raw = { method: 'POST', path: '/orders', body: {}, idempotencyKey: 'k-1' };
    const error = await rejectionOf(market.request(raw));
    expect(error).toMatchObject({
      ...{ name: 'ApiError', method: 'POST', path: '/m/api/partner/v1/orders' },
      ...{ response: { status: 418 }, code: 'teapot', attempts: 1 },
      ...{ idempotencyKey: 'k-1', outcome: 'rejected' },
    });
  });
});
