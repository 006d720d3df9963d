/** The retry budget: an outage is not multiplied by those who suffer from it. */

import { describe, expect, it } from 'vitest';
import { MarketClient, type ClientOptions } from 'market-partner-sdk';
import { rejectionOf } from '../../../support/errors.js';
import { credential } from '../../../support/mock-market.js';
import { VirtualTime } from '../../../support/virtual-time.js';

/** A service that is up or down, in memory: these tests make thousands of requests. */
function service(options: ClientOptions = {}) {
  const state = { status: 503, body: '{}', requests: 0 };
  const fetch = async () => {
    state.requests += 1;
    return new Response(state.body, { status: state.status });
  };
  const market = new MarketClient({
    baseUrl: 'https://market.example',
    ...credential,
    validateResponses: 'off',
    fetch,
    ...new VirtualTime().options,
    ...options,
  });
  const fail = async (times: number) => {
    for (let call = 0; call < times; call += 1) await rejectionOf(market.orders.get('ord_1001'));
  };
  const succeed = async (times: number) => {
    for (let call = 0; call < times; call += 1) await market.orders.get('ord_1001');
  };
  return { state, market, fail, succeed };
}

describe('a service that is down', () => {
  it('gets each of 1,000 calls once, and 100 repeats of them', async () => {
    const { state, fail } = service();
    await fail(1000);
    expect(state.requests).toBe(1100);
  });

  it('gets no more when the calls come at once, and the last say why', async () => {
    const { state, market } = service();
    const calls = Array.from({ length: 1000 }, () => rejectionOf(market.orders.get('ord_1001')));
    const errors = await Promise.all(calls);
    expect(state.requests).toBe(1100);
    expect(errors.at(-1)!.message).toMatch(/too many calls of this client are failing/);
  });

  it('is not sent repeats by clients that were made from the one that suffers', async () => {
    const { state, market, fail } = service();
    await fail(200);
    const before = state.requests;
    await rejectionOf(market.withOptions({ maxRetries: 9 }).orders.get('ord_1001'));
    expect(state.requests).toBe(before + 1);
  });

  it('is sent repeats by a client of another service', async () => {
    const { state, market, fail } = service();
    await fail(200);
    const before = state.requests;
    await rejectionOf(
      market.withOptions({ baseUrl: 'https://other.example' }).orders.get('ord_1001'),
    );
    expect(state.requests).toBe(before + 3);
  });

  it('gets a repeat again after five successes', async () => {
    const { state, market, fail, succeed } = service();
    await fail(200);
    state.status = 200;
    await succeed(4);
    state.status = 503;
    expect(await rejectionOf(market.orders.get('ord_1001'))).toMatchObject({ attempts: 1 });
    state.status = 200;
    await succeed(1);
    state.status = 503;
    expect(await rejectionOf(market.orders.get('ord_1001'))).toMatchObject({ attempts: 2 });
  });

  it('does not earn more than a full budget while it is up', async () => {
    const { state, fail, succeed } = service();
    state.status = 200;
    await succeed(100);
    state.status = 503;
    state.requests = 0;
    await fail(200);
    expect(state.requests).toBe(300);
  });

  it('costs nothing in the end where each repeat succeeds', async () => {
    let turn = 0;
    const fetch = async () => new Response('{}', { status: (turn += 1) % 2 === 1 ? 503 : 200 });
    const { market } = service({ fetch });
    for (let call = 0; call < 300; call += 1) {
      const { response } = await market.orders.get('ord_1001').withResponse();
      expect(response.attempts).toBe(2);
    }
  });

  it('does not keep a nonce from being replaced', async () => {
    const { state, market, fail } = service();
    await fail(200);
    state.status = 401;
    state.body = '{"code":"replay_detected"}';
    expect(await rejectionOf(market.orders.get('ord_1001'))).toMatchObject({ attempts: 2 });
  });
});
