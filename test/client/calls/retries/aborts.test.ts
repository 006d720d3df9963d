/** The caller's signal, fired at each moment of a call. Real sockets where they matter. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { AbortedError, decimalAmount, MarketClient, type RequestOptions } from 'market-partner-sdk';
import { clientOf } from '../../../support/client.js';
import { answerBytes, closed, RawServer } from '../../../support/raw-server.js';
import { rejectionOf, thrownBy } from '../../../support/errors.js';
import { okResponse, errorResponse, mockMarket } from '../../../support/mock-market.js';
import { watchedAgent } from '../../../support/watched-agent.js';

const reason = new Error('the shopper went away');
const order = { domain: 'brew.example', expected_price: 250_000 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(reason) };
}

function expectNothingLeft(signal: AbortSignal): void {
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  expect(vi.getTimerCount()).toBe(0);
}

describe('a signal that fires', () => {
  it('before the call sends nothing', async () => {
    const { market, sent } = mockMarket([okResponse()]);
    const signal = AbortSignal.abort(reason);
    const error = await rejectionOf(market.orders.get('ord_1001', { signal }));
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ attempts: 0, outcome: 'not_sent', cause: reason });
    expect(sent).toHaveLength(0);
    expectNothingLeft(signal);
  });

  it.each<[string, (market: MarketClient, options: RequestOptions) => Promise<unknown>]>([
    ['a call', (market, options) => market.orders.create(order, options)],
    ['a list', (market, options) => market.orders.list({}, options)],
    [
      'a call over fetch',
      (market, options) =>
        market.withOptions({ fetch: () => expect.unreachable() }).orders.create(order, options),
    ],
  ])('in the same turn as %s sends nothing', async (_what, call) => {
    const { market, sent } = mockMarket([okResponse()]);
    const { signal, abort } = abortable();
    const failed = rejectionOf(call(market, { signal }));
    abort();
    expect(await failed).toMatchObject({ attempts: 0, outcome: 'not_sent', cause: reason });
    expect(sent).toHaveLength(0);
    expectNothingLeft(signal);
  });

  it('while the first page of a list is read ends the list', async () => {
    const { market, sent } = mockMarket(['hang']);
    const { signal, abort } = abortable();
    const call = rejectionOf(market.events.list({}, { signal }).toArray());
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    abort();
    expect(await call).toMatchObject({ attempts: 1, outcome: 'unknown', cause: reason });
    expectNothingLeft(signal);
  });

  it.each(['undici', 'fetch'])('as the attempt starts sends nothing over %s', async (wire) => {
    const { signal, abort } = abortable();
    const startOfAttempt = 'tracing:market-partner-sdk:attempt:start';
    subscribe(startOfAttempt, abort);
    onTestFinished(() => void unsubscribe(startOfAttempt, abort));

    const { market, sent } = mockMarket([okResponse()]);
    const fetch = vi.fn(async () => okResponse());
    const client = wire === 'fetch' ? market.withOptions({ fetch }) : market;
    const error = await rejectionOf(client.orders.refund({ public_id: 'ord_1001' }, { signal }));
    expect(error).toMatchObject({ name: 'AbortedError', attempts: 1, outcome: 'not_sent' });
    expect(sent).toHaveLength(0);
    expect(fetch).not.toHaveBeenCalled();
    expectNothingLeft(signal);
  });

  it('while the connection is made sends nothing, not even when it comes up', async () => {
    const server = await RawServer.start((socket) => socket.write(answerBytes(200, '{}')));
    const { signal, abort } = abortable();
    const started: string[] = [];
    const dispatcher = watchedAgent((moment) => {
      if (started.push(moment) === 1) abort();
    });
    const market = clientOf({ baseUrl: server.baseUrl, dispatcher });
    const error = await rejectionOf(market.orders.refund({ public_id: 'ord_1001' }, { signal }));
    expect(error).toMatchObject({ attempts: 1, outcome: 'not_sent', cause: reason });
    // The next one finds the connection that came up meanwhile, and only it is seen.
    await market.orders.get('ord_1002');
    expect(started[0]).toBe('dispatched');
    expect(server.requests.map(({ target }) => target)).toEqual([
      '/api/partner/v1/orders/ord_1002',
    ]);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('while the answer is awaited closes the socket, so that the process can end', async () => {
    const { signal, abort } = abortable();
    const server = await RawServer.start(abort);
    const before = socketsOfThisProcess();
    const market = clientOf({ baseUrl: server.baseUrl });
    const error = await rejectionOf(market.orders.create(order, { signal }));
    expect(error).toMatchObject({ attempts: 1, outcome: 'unknown', cause: reason });
    await closed(server.sockets[0]!);
    // Handles that were closed are let go in the turns that follow.
    for (let turn = 0; turn < 100 && socketsOfThisProcess() > before; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(socketsOfThisProcess()).toBe(before);
    expectNothingLeft(signal);
  });

  it('in the middle of a body closes the socket', async () => {
    const { signal, abort } = abortable();
    const server = await RawServer.start((socket) => {
      socket.write(answerBytes(200, '{"public_id":', { 'content-length': 1_000 }));
    });
    const dispatcher = watchedAgent((moment) => {
      if (moment === 'data') abort();
    });
    const market = clientOf({ baseUrl: server.baseUrl, dispatcher });
    const error = await rejectionOf(market.orders.get('ord_1001', { signal }));
    expect(error).toMatchObject({ name: 'AbortedError', outcome: 'unknown', cause: reason });
    await closed(server.sockets[0]!);
    expect(server.requests).toHaveLength(1);
    expectNothingLeft(signal);
  });

  it('during a back-off ends the wait at once, with what was known', async () => {
    const waits = { sleep: undefined, random: () => 0.99 };
    const { market, sent } = mockMarket([errorResponse(500)], waits);
    const { signal, abort } = abortable();
    const call = rejectionOf(market.orders.create(order, { signal }));
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), { interval: 1 });
    await vi.advanceTimersByTimeAsync(100);
    abort();
    expect(await call).toMatchObject({ attempts: 1, outcome: 'unknown', cause: reason });
    expect(sent).toHaveLength(1);
    expectNothingLeft(signal);
  });

  it('during a wait that cannot be ended ends the call all the same', async () => {
    const { signal, abort } = abortable();
    const sleep = () => {
      abort();
      return new Promise<void>(() => undefined);
    };
    const { market } = mockMarket([errorResponse(503)], { sleep, random: () => 0.99 });
    const error = await rejectionOf(market.orders.get('ord_1001', { signal }));
    expect(error).toMatchObject({ name: 'AbortedError', attempts: 1 });
    expectNothingLeft(signal);
  });

  it('during a wait aborts the sleeper, whose own rejection is not lost on the process', async () => {
    const controller = new AbortController();
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    let told = false;
    const sleep = (_ms: number, signal: AbortSignal) => {
      queueMicrotask(() => controller.abort(reason));
      return new Promise<void>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          told = true;
          reject(new Error('the sleep was ended'));
        });
      });
    };
    const { market } = mockMarket([errorResponse(503)], { sleep, random: () => 0.99 });
    const error = await rejectionOf(market.orders.get('ord_1001', { signal: controller.signal }));
    expect(error).toMatchObject({ name: 'AbortedError', cause: reason });
    expect(told).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('while the client is held by a Retry-After leaves the call unsent', async () => {
    const limited = errorResponse(429, 'rate_limited', { 'retry-after': '30' });
    const { market, sent } = mockMarket([limited], { sleep: undefined, maxRetries: 0 });
    await rejectionOf(market.orders.get('ord_1001'));
    const { signal, abort } = abortable();
    const call = rejectionOf(market.orders.get('ord_1002', { signal }));
    await Promise.resolve();
    expect(vi.getTimerCount()).toBe(1);
    abort();
    expect(await call).toMatchObject({ attempts: 0, outcome: 'not_sent', cause: reason });
    expect(sent).toHaveLength(1);
    expectNothingLeft(signal);
  });

  it('after success changes nothing', async () => {
    const { market } = mockMarket([okResponse()]);
    const { signal, abort } = abortable();
    const call = market.orders.get('ord_1001', { signal });
    const data = await call;
    expectNothingLeft(signal);
    abort();
    expect(await call).toBe(data);
  });

  it('while the data is on its way to the caller changes nothing', async () => {
    const { signal, abort } = abortable();
    const { market } = mockMarket([okResponse()], { logger: { debug: abort } });
    await market.orders.get('ord_1001', { signal });
    expectNothingLeft(signal);
  });

  it.each([
    ['input that breaks a rule', () => decimalAmount(1, 'no currency')],
    ['a wrong option', () => new MarketClient({ baseUrl: 'http://market.example' })],
  ])("with this package's own error as its reason says what was sent: %s", async (_what, fail) => {
    const failure = thrownBy(fail);
    const controller = new AbortController();
    const sleep = () => {
      controller.abort(failure);
      return new Promise<void>(() => undefined);
    };
    const { market } = mockMarket(['reset'], { sleep, random: () => 0.99 });
    const error = await rejectionOf(market.orders.create(order, controller));
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ attempts: 1, outcome: 'unknown', cause: failure });
    expect(error.message).toContain('The order may exist.');
    expectNothingLeft(controller.signal);
  });
});

describe('one signal for many calls', () => {
  it('has no listener left of any of them, whatever they met', async () => {
    const { market } = mockMarket([
      errorResponse(503),
      'reset',
      'refused',
      errorResponse(404),
      okResponse(),
    ]);
    const { signal } = new AbortController();
    await rejectionOf(market.orders.get('ord_1001', { signal, maxRetries: 5 }));
    const calls = Array.from({ length: 20 }, (_each, index) =>
      market.orders.get(`ord_${index}`, { signal }),
    );
    await Promise.all(calls);
    expectNothingLeft(signal);
  });

  it('is listened to once, so that Node does not warn of a leak', async () => {
    const { market } = mockMarket(['hang']);
    const controller = new AbortController();
    const { signal } = controller;
    const calls = Array.from({ length: 20 }, () =>
      rejectionOf(market.orders.get('ord_1001', { signal })),
    );
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(20), { interval: 1 });
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    controller.abort(reason);
    const errors = await Promise.all(calls);
    expect(errors.every(({ cause }) => cause === reason)).toBe(true);
    expectNothingLeft(signal);
  });
});

function socketsOfThisProcess(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'TCPSocketWrap').length;
}
