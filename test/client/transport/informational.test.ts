/** What undici and fetch do by themselves: `100 Continue`, and a second request after a 421. */

import { describe, expect, it } from 'vitest';
import { MarketClient, type ClientOptions } from 'market-partner-sdk';
import { rejectionOf } from '../../support/errors.js';
import { credential } from '../../support/mock-market.js';
import { RawServer } from '../../support/raw-server.js';

const order = { domain: 'brew.example', expected_price: 250_000 };

function marketAt({ baseUrl }: RawServer, options: ClientOptions = {}): MarketClient {
  return new MarketClient({ baseUrl, ...credential, maxRetries: 0, ...options });
}

function response(status: string, body: object): string {
  const text = JSON.stringify(body);
  return `HTTP/1.1 ${status}\r\ncontent-length: ${text.length}\r\ncontent-type: application/json\r\n\r\n${text}`;
}

describe('100 Continue', () => {
  it('ends an order with an unknown outcome, and says why', async () => {
    const server = await RawServer.start((socket) => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      socket.write(response('201 Created', { public_id: 'ord_1', status: 'EXTERNALLY_PAID' }));
    });
    await using market = marketAt(server);
    const error = await rejectionOf(market.orders.create(order));
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown', attempts: 1 });
    expect((error as Error).message).toContain('The server sent "100 Continue" unasked');
  });

  it('is repeated with the same key, so that a proxy that sends it once is no harm', async () => {
    const server = await RawServer.start((socket, _request, index) => {
      if (index === 0) socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      socket.write(response('201 Created', { public_id: 'ord_1', status: 'EXTERNALLY_PAID' }));
    });
    await using market = marketAt(server, { maxRetries: 1, sleep: () => Promise.resolve() });
    expect(await market.orders.create(order)).toMatchObject({ public_id: 'ord_1' });
    const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });
});

describe('a 421, after which fetch sends the request again by itself', () => {
  const second = async (answer: string) => {
    const server = await RawServer.start((socket, _request, index) => {
      socket.write(index === 0 ? response('421 Misdirected Request', {}) : answer);
    });
    return { server, market: marketAt(server, { fetch }) };
  };
  const refusedNonce = response('401 Unauthorized', { code: 'replay_detected', message: 'again' });
  const nonces = ({ requests }: RawServer) =>
    requests.map(({ headers }) => headers['x-market-nonce']);

  it('leaves the outcome of a write unknown where the service refuses the second nonce', async () => {
    const { server, market } = await second(refusedNonce);
    const input = { public_id: 'ord_1' };
    const error = await rejectionOf(market.orders.refund(input));
    expect(error).toMatchObject({ code: 'replay_detected', outcome: 'unknown', attempts: 1 });
    // The repeat is of fetch: the same nonce, which the service takes once.
    expect(nonces(server)).toHaveLength(2);
    expect(new Set(nonces(server)).size).toBe(1);
  });

  it('is a success where the service had not had the first', async () => {
    const answer = response('201 Created', { public_id: 'ord_1', status: 'EXTERNALLY_PAID' });
    const { market } = await second(answer);
    expect(await market.orders.create(order)).toMatchObject({ public_id: 'ord_1' });
  });

  it('is an unknown outcome where both are misdirected', async () => {
    const { server, market } = await second(response('421 Misdirected Request', {}));
    const error = await rejectionOf(market.orders.create(order));
    expect(error).toMatchObject({ name: 'UnexpectedResponseError', outcome: 'unknown' });
    expect(server.requests).toHaveLength(2);
  });

  it('is sent once by undici', async () => {
    const { server } = await second(refusedNonce);
    await using market = marketAt(server);
    const error = await rejectionOf(market.orders.refund({ public_id: 'ord_1' }));
    expect(error).toMatchObject({ response: { status: 421 }, outcome: 'unknown' });
    expect(server.requests).toHaveLength(1);
  });
});
