/** What the attempts of a call have in common on the wire, and what each has of its own. */

import { describe, expect, it } from 'vitest';
import { allCalls } from '../../../support/calls.js';
import { credential, okResponse, errorResponse, mockMarket } from '../../../support/mock-market.js';
import { isSigned } from '../../../support/signature-check.js';

const busy = errorResponse(429, 'rate_limited');

describe.each(Object.entries(allCalls))('the attempts of %s', (name, call) => {
  it('send the same request', async () => {
    const { market, time, dispatcher } = mockMarket([busy, busy, okResponse()]);
    time.random = 0.9;
    await call(market);
    const [first, ...repeats] = dispatcher.sent;
    expect(repeats).toHaveLength(2);
    for (const repeat of repeats) {
      expect(repeat.method).toBe(first!.method);
      expect(repeat.target).toBe(first!.target);
      expect(repeat.body).toBe(first!.body);
      expect(unsigned(repeat.headers)).toEqual(unsigned(first!.headers));
    }
    const isOrder = name === 'orders.create';
    expect(first!.headers['idempotency-key'] !== undefined).toBe(isOrder);
  });

  it('have each a nonce, a timestamp and a right signature of their own', async () => {
    const { market, time, dispatcher } = mockMarket([busy, busy, okResponse()]);
    time.random = 0.99;
    const startedMs = time.nowMs;
    await call(market);
    const nonces = dispatcher.sent.map(({ headers }) => headers['x-market-nonce']);
    expect(new Set(nonces).size).toBe(3);
    const waited = [0, 495, 495 + 990];
    expect(dispatcher.sent.map(({ headers }) => headers['x-market-timestamp'])).toEqual(
      waited.map((ms) => String(Math.floor((startedMs + ms) / 1000))),
    );
    for (const request of dispatcher.sent) expect(isSigned(request, credential)).toBe(true);
  });
});

describe('the signature check of these tests', () => {
  it('refuses a request that was changed in any part', async () => {
    const { market, dispatcher } = mockMarket([okResponse()]);
    await market.orders.quote({ domain: 'brew.example' });
    const [request] = dispatcher.sent;
    const { headers } = request!;
    const changed = [
      { ...request!, body: `${request!.body} ` },
      { ...request!, target: `${request!.target}?a=1` },
      { ...request!, method: 'PUT' },
      { ...request!, headers: { ...headers, 'x-market-timestamp': '1795248001' } },
    ];
    for (const one of changed) expect(isSigned(one, credential)).toBe(false);
    expect(isSigned(request!, { ...credential, secret: 'another' })).toBe(false);
  });
});

function unsigned(headers: Readonly<Record<string, string>>) {
  const own = ['x-market-timestamp', 'x-market-nonce', 'x-market-signature'];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !own.includes(name)));
}
