import { createServer } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { ConfigurationError, MarketClient } from 'market-partner-sdk';
import { isSigned } from '../../support/signature-check.js';
import { rejectionOf } from '../../support/errors.js';
import { listen, serve } from '../../support/loopback.js';
import { credential, errorResponse, mockMarket } from '../../support/mock-market.js';

const quiet = { validateResponses: 'off' } as const;
const other = { keyId: 'mk_live_2', secret: 'secret-of-another-credential' };

/** A client over real sockets, and how many were opened. */
async function overSockets() {
  let connections = 0;
  const server = createServer((_request, response) => response.end('{}'));
  server.on('connection', () => (connections += 1));
  const market = new MarketClient({ baseUrl: await listen(server), ...credential, ...quiet });
  return { market, connections: () => connections };
}

describe('withOptions', () => {
  it('keeps what is not given, and what is given as undefined', async () => {
    const { market, sent } = mockMarket(() => ({}), {
      ...quiet,
      headers: { 'X-A': '1' },
      baseUrl: 'https://gw.example/market',
    });
    const child = market.withOptions({ maxRetries: 0, headers: undefined, keyId: undefined });
    await child.orders.get('ord_1');
    expect(sent[0]).toMatchObject({
      target: '/market/api/partner/v1/orders/ord_1',
      headers: { 'x-a': '1' },
    });
    expect(isSigned(sent[0]!, credential)).toBe(true);
  });

  it('changes what is given, and leaves the client that it was made from', async () => {
    const { market, sent } = mockMarket([errorResponse(500)], { headers: { 'X-A': '1' } });
    const child = market.withOptions({ maxRetries: 0, headers: { 'X-B': '2' } });
    expect(await rejectionOf(child.orders.get('ord_1'))).toMatchObject({ attempts: 1 });
    expect(sent[0]?.headers).not.toHaveProperty('x-a');
    expect(sent[0]?.headers).toHaveProperty('x-b');
    expect(await rejectionOf(market.orders.get('ord_1'))).toMatchObject({ attempts: 3 });
    expect(sent[1]?.headers).toHaveProperty('x-a');
  });

  it('signs with another credential where one is given', async () => {
    const { market, sent } = mockMarket(() => ({}), quiet);
    const live = market.withOptions(other);
    expect([market.environment, live.environment]).toEqual(['sandbox', 'live']);
    await live.orders.get('ord_1');
    await market.orders.get('ord_1');
    expect(isSigned(sent[0]!, other)).toBe(true);
    expect(isSigned(sent[1]!, credential)).toBe(true);
  });

  it('holds a new credential against the same rules', () => {
    const { market } = mockMarket(() => ({}), { forbidLive: true });
    expect(() => market.withOptions(other)).toThrow(ConfigurationError);
    expect(() => market.withOptions({ timeoutMs: 0 })).toThrow('"timeoutMs"');
  });

  it('keeps the credential that the client was made with when the variables change', async () => {
    vi.stubEnv('MARKET_KEY_ID', credential.keyId);
    vi.stubEnv('MARKET_SECRET', credential.secret);
    const leftOut = { keyId: undefined, secret: undefined };
    const { market, sent } = mockMarket(() => ({}), { ...quiet, ...leftOut });
    vi.stubEnv('MARKET_KEY_ID', other.keyId);
    vi.stubEnv('MARKET_SECRET', other.secret);
    await market.withOptions({ maxRetries: 0 }).orders.get('ord_1');
    vi.unstubAllEnvs();
    expect(isSigned(sent[0]!, credential)).toBe(true);
  });

  it('sends by a new way where one is given, in place of the old', async () => {
    const { market, sent } = mockMarket(() => ({}), quiet);
    const urls: string[] = [];
    const child = market.withOptions({
      fetch: (url) => {
        urls.push(url);
        return Promise.resolve(Response.json({}));
      },
    });
    await child.orders.get('ord_1');
    expect(urls).toEqual(['https://market.example/api/partner/v1/orders/ord_1']);
    expect(sent).toEqual([]);
    const { dispatcher, sent: sentByNext } = mockMarket(() => ({}));
    await child.withOptions({ dispatcher }).orders.get('ord_1');
    expect(sentByNext).toHaveLength(1);
  });

  it('shares connections: one socket serves both clients', async () => {
    const { market, connections } = await overSockets();
    const child = market.withOptions({ maxRetries: 0 });
    for (const each of [market, child, market.withOptions(other)]) {
      await each.orders.get('ord_1');
      // The pool has its socket back after this turn of the loop.
      await new Promise((resolve) => setImmediate(resolve));
    }
    await market.close();
    expect(connections()).toBe(1);
  });
});

describe('close', () => {
  it('lets the call under way end, and refuses those that come after', async () => {
    let answer: ((value: object) => void) | undefined;
    const { market, sent } = mockMarket(() => new Promise((resolve) => (answer = resolve)), quiet);
    const underWay = market.orders.get('ord_1');
    await vi.waitFor(() => expect(answer).toBeDefined());
    const closing = market.close();
    const error = await rejectionOf(market.orders.get('ord_1'));
    answer?.({ public_id: 'ord_1' });
    await expect(underWay).resolves.toEqual({ public_id: 'ord_1' });
    await closing;
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ method: 'GET', attempts: 0, outcome: 'not_sent' });
    expect(error.message).toContain('the client was closed');
    expect(sent).toHaveLength(1);
  });

  it('closes the clients on the same connections, and no others', async () => {
    const { market } = mockMarket(() => ({}), quiet);
    const child = market.withOptions({ maxRetries: 0 });
    const { dispatcher } = mockMarket(() => ({}));
    const apart = market.withOptions({ dispatcher });
    await market.close();
    expect(await rejectionOf(child.orders.get('ord_1'))).toBeInstanceOf(ConfigurationError);
    await expect(apart.orders.get('ord_1')).resolves.toEqual({});
  });

  it('of a client made by withOptions leaves the one open that it was made from', async () => {
    const { market, connections } = await overSockets();
    const child = market.withOptions({ maxRetries: 0 });
    const grandchild = child.withOptions({ maxRetries: 1 });
    await child.orders.get('ord_1');
    // The pool has its socket back after this turn of the loop.
    await new Promise((resolve) => setImmediate(resolve));
    await child.close();
    expect(await rejectionOf(child.orders.get('ord_1'))).toBeInstanceOf(ConfigurationError);
    for (const open of [market, grandchild]) {
      await expect(open.orders.get('ord_1')).resolves.toEqual({});
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(connections()).toBe(1);
    await market.close();
    expect(await rejectionOf(grandchild.orders.get('ord_1'))).toBeInstanceOf(ConfigurationError);
  });

  it('waits for every call under way, and so does that of a client made by withOptions', async () => {
    const answers: ((value: object) => void)[] = [];
    const { market } = mockMarket(() => new Promise((resolve) => answers.push(resolve)), quiet);
    const child = market.withOptions({ maxRetries: 0 });
    // The calls of a child are under way on the connections of its parent, too.
    for (const [client, caller] of [
      [child, child],
      [market, market.withOptions({})],
    ] as const) {
      answers.length = 0;
      const calls = [caller.orders.get('ord_1'), client.orders.get('ord_2')];
      await vi.waitFor(() => expect(answers).toHaveLength(2));
      let closed = false;
      const closing = client.close().then(() => (closed = true));
      for (const [index, call] of calls.entries()) {
        await new Promise((resolve) => setImmediate(resolve));
        expect(closed).toBe(false);
        answers[index]?.({ public_id: `ord_${index + 1}` });
        await call;
      }
      await closing;
    }
  });

  it("leaves the caller's dispatcher open", async () => {
    const { market, dispatcher } = mockMarket(() => ({}), quiet);
    await market.close();
    const baseUrl = 'https://market.example';
    const next = new MarketClient({ baseUrl, ...credential, ...quiet, dispatcher });
    await expect(next.orders.get('ord_1')).resolves.toEqual({});
  });

  it('may be called twice, at once and one after the other, used or not', async () => {
    const baseUrl = await serve((_request, response) => response.end('{}'));
    const market = new MarketClient({ baseUrl, ...credential, ...quiet });
    const unused = market.withOptions({});
    await market.orders.get('ord_1');
    await Promise.all([market.close(), market.close()]);
    await market.close();
    await unused.close();
  });

  it('is what the end of an "await using" block calls', async () => {
    const { market } = mockMarket(() => ({}), quiet);
    await market[Symbol.asyncDispose]();
    expect(await rejectionOf(market.orders.get('ord_1'))).toBeInstanceOf(ConfigurationError);
  });
});
