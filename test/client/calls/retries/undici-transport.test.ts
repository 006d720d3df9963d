/** The client's own agent, and the dispatchers that partners bring. */

import { Agent, interceptors, MockAgent, RetryAgent, type Dispatcher } from 'undici';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConnectionError } from 'market-partner-sdk';
import { answerBytes, closed, RawServer } from '../../../support/raw-server.js';
import { rejectionOf } from '../../../support/errors.js';
import { clientOf as startClient } from '../../../support/client.js';
import { credential, okBody } from '../../../support/mock-market.js';
import { VirtualTime } from '../../../support/virtual-time.js';

const ok = answerBytes(200, JSON.stringify(okBody));
const order = { domain: 'brew.example', expected_price: 250_000 };
const refund = { public_id: 'ord_1001' };

/** undici rests a socket for one turn of the event loop: calls in the same turn take a second one. */
const keptSockets = 2;

const clientOf = (baseUrl: string, options: object = {}) =>
  startClient({ baseUrl, ...new VirtualTime().options, ...options });

/** An agent of the partner's that ends with the test. */
function agentOf(options: Agent.Options = {}) {
  const agent = new Agent(options);
  onTestFinished(() => agent.destroy());
  return agent;
}

/** An agent that repeats by itself. */
const retryAgent = () =>
  new RetryAgent(agentOf(), { methods: ['POST'], minTimeout: 1, maxTimeout: 1 });

/** A client whose dispatcher does this to the handler of each request. */
const dispatching = (dispatch: (handler: Required<Dispatcher.DispatchHandler>) => void) =>
  clientOf('https://market.example', {
    dispatcher: {
      dispatch: (_options: never, handler: never) => {
        dispatch(handler);
        return true;
      },
    },
  });
const controller = {} as Dispatcher.DispatchController;

describe("the client's own connections", () => {
  it('are opened by the first call, not by the client', async () => {
    const server = await RawServer.start((socket) => socket.write(ok));
    const market = clientOf(server.baseUrl);
    await new Promise((resolve) => setImmediate(resolve));
    expect(server.sockets).toHaveLength(0);
    await market.orders.get('ord_1001');
    expect(server.sockets).toHaveLength(1);
  });

  it('are kept and used again, also by clients made from this one', async () => {
    const server = await RawServer.start((socket) => socket.write(ok));
    const market = clientOf(server.baseUrl);
    for (let call = 0; call < 5; call += 1) await market.orders.get('ord_1001');
    await market.withOptions({ timeoutMs: 5_000 }).orders.get('ord_1001');
    await market.withOptions({ keyId: 'mk_sandbox_2a2b' }).orders.get('ord_1001');
    expect(server.requests).toHaveLength(7);
    expect(server.sockets.length).toBeLessThanOrEqual(keptSockets);
    await market.close();
    await Promise.all(server.sockets.map(closed));
  });

  it('are used again after an error answer, whose body was read', async () => {
    const server = await RawServer.start((socket, _request, index) => {
      socket.write(index < 10 ? answerBytes(503, 'x'.repeat(60_000)) : ok);
    });
    const market = clientOf(server.baseUrl, { maxRetries: 10 });
    await market.orders.get('ord_1001');
    expect(server.requests).toHaveLength(11);
    expect(server.sockets.length).toBeLessThanOrEqual(keptSockets);
  });
});

describe('undici itself', () => {
  it('may fail to load, which leaves the call unsent; a later call loads it again', async () => {
    const noFiles = Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    let failures = 1;
    const load = async (original: () => Promise<object>) => {
      if (failures > 0) throw noFiles;
      return original();
    };
    vi.resetModules();
    vi.doMock('undici/lib/dispatcher/agent.js', load);
    vi.doMock('undici', load);
    onTestFinished(() => {
      vi.doUnmock('undici/lib/dispatcher/agent.js');
      vi.doUnmock('undici');
      vi.resetModules();
    });
    const { MarketClient: Fresh } = await import('market-partner-sdk');
    const server = await RawServer.start((socket) => socket.write(ok));
    const market = new Fresh({ baseUrl: server.baseUrl, ...credential, validateResponses: 'off' });
    const error = await rejectionOf(market.orders.create(order));
    expect(error).toMatchObject({ name: 'ConnectionError', attempts: 1, outcome: 'not_sent' });
    failures = 0;
    await expect(market.orders.create(order)).resolves.toEqual(okBody);
  });
});

describe('a client that is closed', () => {
  it('waits for a call that is between two attempts, which is still repeated', async () => {
    const server = await RawServer.start((socket, _request, index) => {
      socket.write(index === 0 ? answerBytes(503) : ok);
    });
    let ended = false;
    let closing: Promise<void> | undefined;
    const market = clientOf(server.baseUrl, {
      random: () => 0.5,
      sleep: async () => {
        closing = market.close().finally(() => (ended = true));
        await new Promise((resolve) => setImmediate(resolve));
        expect(ended).toBe(false);
      },
    });
    const { response } = await market.orders.get('ord_1001').withResponse();
    expect(response.attempts).toBe(2);
    await closing;
    await Promise.all(server.sockets.map(closed));
  });
});

describe("a partner's dispatcher", () => {
  it('is used, and stays open when the client is closed', async () => {
    const server = await RawServer.start((socket) => socket.write(ok));
    const agent = agentOf();
    const close = vi.spyOn(agent, 'close');
    const market = clientOf(server.baseUrl, { dispatcher: agent });
    await market.orders.get('ord_1001');
    await market.close();
    expect(close).not.toHaveBeenCalled();
    await clientOf(server.baseUrl, { dispatcher: agent }).orders.get('ord_1001');
    expect(server.requests).toHaveLength(2);
  });

  it("can be undici's MockAgent", async () => {
    const mock = new MockAgent();
    mock.disableNetConnect();
    onTestFinished(() => mock.close());
    const path = '/api/partner/v1/orders/ord_1001';
    const pool = mock.get('https://market.example');
    pool.intercept({ path }).reply(503, {});
    pool.intercept({ path }).reply(200, { public_id: 'ord_1001' });
    const market = clientOf('https://market.example', { dispatcher: mock });
    const { data, response } = await market.orders.get('ord_1001').withResponse();
    expect(data.public_id).toBe('ord_1001');
    expect(response.attempts).toBe(2);
    mock.assertNoPendingInterceptors();
  });

  it('that was closed fails the call unsent, at once', async () => {
    const agent = new Agent();
    await agent.close();
    const market = clientOf('https://market.example', { dispatcher: agent });
    const error = await rejectionOf(market.orders.create(order));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ attempts: 1, outcome: 'not_sent' });
  });

  it('that is destroyed under a call leaves it unknown: the request had left', async () => {
    const agent = new Agent();
    const server = await RawServer.start(() => void agent.destroy());
    const market = clientOf(server.baseUrl, { dispatcher: agent });
    const error = await rejectionOf(market.orders.create(order));
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' });
    expect(server.requests).toHaveLength(1);
  });

  it.each(['ENETUNREACH', 'ECONNREFUSED', 'UND_ERR_CLOSED', 'CERT_HAS_EXPIRED'])(
    'that fails with %s after the start leaves the call unknown',
    async (code) => {
      const market = dispatching((handler) => {
        handler.onRequestStart(controller, {});
        handler.onResponseError(controller, Object.assign(new Error('it failed'), { code }));
      });
      const error = await rejectionOf(market.orders.refund(refund));
      expect(error).toMatchObject({ attempts: 1, outcome: 'unknown' });
    },
  );

  it.each([
    ['a response of 503', answerBytes(503, '{}')],
    ['a lost connection', undefined],
  ])(
    'that repeats by itself after %s is stopped: each attempt has its own nonce',
    async (_what, answer) => {
      const server = await RawServer.start((socket) => {
        if (answer === undefined) socket.destroy();
        else socket.write(answer);
      });
      const market = clientOf(server.baseUrl, { dispatcher: retryAgent() });
      const error = await rejectionOf(market.orders.create(order));
      expect(error).toMatchObject({ name: 'ConnectionError', attempts: 3, outcome: 'unknown' });
      expect(String((error as Error).cause)).toContain('a second time by itself');
      const nonces = server.requests.map(({ headers }) => headers['x-market-nonce']);
      expect(nonces).toHaveLength(3);
      expect(new Set(nonces).size).toBe(3);
    },
  );

  it('that repeats by itself leaves the outcome of a refund unknown, and sends it once', async () => {
    const server = await RawServer.start((socket) => socket.destroy());
    const market = clientOf(server.baseUrl, { dispatcher: retryAgent() });
    const error = await rejectionOf(market.orders.refund(refund));
    expect(error).toMatchObject({ attempts: 1, outcome: 'unknown' });
    expect(server.requests).toHaveLength(1);
  });

  it('that throws for the status of a refusal is named, its outcome unknown', async () => {
    const refusal = 'HTTP/1.1 422 No\r\ncontent-length: 25\r\n\r\n{"code":"price_mismatch"}';
    const server = await RawServer.start((socket) => socket.write(refusal));
    const dispatcher = agentOf().compose(interceptors.responseError());
    const market = clientOf(server.baseUrl, { dispatcher });
    const error = await rejectionOf(market.orders.refund(refund));
    expect(error).toMatchObject({ attempts: 1, outcome: 'unknown' });
    expect(error.message).toContain('throws on error statuses');
  });

  const ofUndici6 = 'is of undici 6 or older. Pass an Agent of undici 7 or 8';
  it.each<[string, Error, string]>([
    ['throws', new Error('no route'), 'no route'],
    // What undici 6 does with a handler of undici 7, and what an interceptor of it does.
    [
      'is of undici 6',
      Object.assign(new Error('invalid onError method'), { code: 'UND_ERR_INVALID_ARG' }),
      ofUndici6,
    ],
    [
      'has an interceptor of undici 6',
      new TypeError('this[#handler].onConnect is not a function'),
      ofUndici6,
    ],
    [
      'is of undici 7 in Jest with jsdom, which replaces the timers of Node',
      new TypeError('fastNowTimeout?.unref is not a function'),
      '@jest-environment node',
    ],
  ])('that %s fails the call unsent, and is named', async (_what, mistake, words) => {
    const market = dispatching(() => {
      throw mistake;
    });
    const error = await rejectionOf(market.orders.refund(refund));
    expect(error).toMatchObject({ attempts: 1, outcome: 'not_sent', cause: mistake });
    expect(error.message).toContain(words);
  });

  it('that ends an answer before it began is a broken connection', async () => {
    const market = dispatching((handler) => {
      handler.onRequestStart(controller, {});
      handler.onResponseEnd(controller, {});
    });
    const error = await rejectionOf(market.orders.refund(refund));
    expect(error).toMatchObject({ attempts: 1, outcome: 'unknown' });
  });

  it('that hands over text in the place of bytes leaves the call unknown', async () => {
    const market = dispatching((handler) => {
      handler.onRequestStart(controller, {});
      handler.onResponseStart(controller, 200, {});
      handler.onResponseData(controller, '{}' as unknown as Buffer);
      handler.onResponseEnd(controller, {});
    });
    const error = await rejectionOf(market.orders.create(order));
    expect(error).toMatchObject({ name: 'ConnectionError', attempts: 1, outcome: 'unknown' });
    expect(String((error as Error).cause)).toContain('not bytes');
  });

  it('that bounds its answers more tightly ends the call: a repeat would be as long', async () => {
    const server = await RawServer.start((socket) => socket.write(answerBytes(200, '{"a":"b"}')));
    const dispatcher = agentOf({ maxResponseSize: 3 });
    const market = clientOf(server.baseUrl, { dispatcher });
    const error = await rejectionOf(market.orders.get('ord_1001'));
    expect(error).toMatchObject({ name: 'ConnectionError', attempts: 1, outcome: 'unknown' });
  });
});
