/** What real sockets do to a call: over undici, and over the runtime's own fetch. */

import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  ConnectionError,
  InternalServerError,
  MarketClient,
  UnexpectedResponseError,
  type ClientOptions,
} from 'market-partner-sdk';
import { allCalls } from '../../../support/calls.js';
import { answerBytes, closed, deadAddress, RawServer } from '../../../support/raw-server.js';
import { rejectionOf } from '../../../support/errors.js';
import { credential, okBody } from '../../../support/mock-market.js';
import { isSigned } from '../../../support/signature-check.js';
import { VirtualTime } from '../../../support/virtual-time.js';

const ok = answerBytes(200, JSON.stringify(okBody));
const html = (status: number) =>
  answerBytes(status, '<html>Bad gateway</html>', {
    'content-type': 'text/html',
    'content-length': 24,
  });

const wires: [string, () => Partial<ClientOptions>][] = [
  ['undici', () => ({})],
  ["the runtime's fetch", () => ({ fetch: globalThis.fetch })],
];

describe.each(wires)('over %s', (_wire, wire) => {
  const clientOf = (baseUrl: string, options: ClientOptions = {}) =>
    new MarketClient({
      baseUrl,
      ...credential,
      validateResponses: 'off',
      ...new VirtualTime().options,
      ...wire(),
      ...options,
    });

  it('every call sends what it signed, byte for byte', async () => {
    const server = await RawServer.start((socket) => socket.write(ok));
    const market = clientOf(`${server.baseUrl}/gateway`);
    for (const call of Object.values(allCalls)) await call(market);
    expect(server.requests).toHaveLength(Object.keys(allCalls).length);
    for (const request of server.requests) {
      expect(request.target).toMatch(/^\/gateway\/api\/partner\//);
      expect(isSigned(request, credential)).toBe(true);
    }
    await market.close();
  });

  it('a refused connection is repeated for every call, and the outcome is not_sent', async () => {
    const market = clientOf(await deadAddress());
    for (const call of Object.values(allCalls)) {
      const error = await rejectionOf(call(market));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ attempts: 3, outcome: 'not_sent' });
      expect(error.message).toMatch(/could not be sent.*ECONNREFUSED.*Nothing was sent/);
    }
    await market.close();
  });

  const breaks: [string, (socket: Socket) => void, { response?: { status: number } }][] = [
    ['a reset', (socket) => socket.resetAndDestroy(), {}],
    ['an end without an answer', (socket) => socket.end(), {}],
    ['an answer that stops in its head', (socket) => socket.end('HTTP/1.1 200 O'), {}],
    ['bytes that are not HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n\r\n'), {}],
    [
      'a body shorter than its length',
      (socket) => socket.end(answerBytes(200, '{"ok":', { 'content-length': 100 })),
      { response: { status: 200 } },
    ],
    [
      'a body whose last chunk is missing',
      (socket) =>
        socket.end(answerBytes(200, '5\r\n{"ok"\r\n', { 'transfer-encoding': 'chunked' })),
      { response: { status: 200 } },
    ],
  ];
  describe.each(breaks)('%s', (_what, answer, facts) => {
    it('is repeated for an order, with the same key', async () => {
      const server = await RawServer.start((socket, _request, index) => {
        if (index < 2) answer(socket);
        else socket.write(ok);
      });
      const market = clientOf(server.baseUrl);
      const { response } = await market.orders
        .create({ domain: 'brew.example', expected_price: 250_000 })
        .withResponse();
      expect(response.attempts).toBe(3);
      expect(new Set(server.requests.map(({ body }) => body)).size).toBe(1);
      const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
      expect(new Set(keys)).toEqual(new Set([response.idempotencyKey]));
      expect(server.requests.every((request) => isSigned(request, credential))).toBe(true);
      await market.close();
    });

    it('ends a refund, with an unknown outcome', async () => {
      const server = await RawServer.start(answer);
      const market = clientOf(server.baseUrl);
      const error = await rejectionOf(market.orders.refund({ public_id: 'ord_1001' }));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ attempts: 1, outcome: 'unknown', ...facts });
      expect(server.requests).toHaveLength(1);
      await market.close();
    });
  });

  it('HTML of a gateway with 502 is repeated for an order; it may have been placed', async () => {
    const server = await RawServer.start((socket) => socket.write(html(502)));
    const market = clientOf(server.baseUrl);
    const error = await rejectionOf(
      market.orders.create({ domain: 'brew.example', expected_price: 250_000 }),
    );
    expect(error).toBeInstanceOf(InternalServerError);
    expect(error).toMatchObject({ response: { status: 502 }, attempts: 3, outcome: 'unknown' });
    expect(error).toMatchObject({ body: '<html>Bad gateway</html>' });
    expect(server.requests).toHaveLength(3);
    await market.close();
  });

  it('a success that is not JSON is not this API, and is not repeated', async () => {
    const server = await RawServer.start((socket) => socket.write(html(200)));
    const market = clientOf(server.baseUrl);
    const error = await rejectionOf(
      market.orders.create({ domain: 'brew.example', expected_price: 250_000 }),
    );
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({ response: { status: 200 }, attempts: 1, outcome: 'unknown' });
    expect(error.message).toContain('a body that is not JSON.');
    await market.close();
  });

  it.each([301, 302, 307, 308])('a redirect of %i is reported, not followed', async (status) => {
    const server = await RawServer.start((socket) => {
      const location = '/elsewhere?token=abc';
      socket.write(answerBytes(status, '', { location, 'content-length': 0 }));
    });
    const market = clientOf(server.baseUrl);
    const error = await rejectionOf(market.orders.quote({ domain: 'brew.example' }));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toContain('a redirect.');
    expect(server.requests).toHaveLength(1);
    await market.close();
  });

  it('answers that only announce the real one are passed over', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n';
    const server = await RawServer.start((socket) => {
      socket.write(`HTTP/1.1 102 Processing\r\n\r\n${hints}${hints}${ok}`);
    });
    const market = clientOf(server.baseUrl);
    const { response } = await market.orders.get('ord_1001').withResponse();
    expect(response).toMatchObject({ status: 200, attempts: 1 });
    expect(response.headers).not.toHaveProperty('link');
    await market.close();
  });

  it('headers are in lower case, repeated ones joined, cookies left out', async () => {
    const server = await RawServer.start((socket) => {
      const fields = 'X-Note: a\r\nx-note: b\r\nSet-Cookie: session=1\r\nX-Request-Id: req_1\r\n';
      socket.write(`HTTP/1.1 200 OK\r\n${fields}content-length: 2\r\n\r\n{}`);
    });
    const market = clientOf(server.baseUrl);
    const { response } = await market.orders.get('ord_1001').withResponse();
    expect(response.headers).toMatchObject({ 'x-note': 'a, b', 'x-request-id': 'req_1' });
    expect(response.headers).not.toHaveProperty('set-cookie');
    expect(response.requestId).toBe('req_1');
    await market.close();
  });

  it('repeated headers are joined where no cookie is among them, too', async () => {
    const server = await RawServer.start((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nVia: a\r\nVia: b\r\ncontent-length: 2\r\n\r\n{}');
    });
    const market = clientOf(server.baseUrl);
    const { response } = await market.orders.get('ord_1001').withResponse();
    expect(response.headers).toEqual({ via: 'a, b', 'content-length': '2' });
    await market.close();
  });

  it('a success longer than any of this API is not read to its end', async () => {
    const piece = Buffer.alloc(1024 * 1024, 0x20);
    const server = await RawServer.start((socket) => {
      socket.write(answerBytes(200, '', { 'content-length': 40 * piece.length }));
      for (let sent = 0; sent < 34; sent += 1) socket.write(piece);
    });
    const market = clientOf(server.baseUrl);
    const error = await rejectionOf(
      market.orders.create({ domain: 'brew.example', expected_price: 250_000 }),
    );
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ response: { status: 200 }, attempts: 1, outcome: 'unknown' });
    expect(error.message).toMatch(/longer than 33554432 bytes/);
    await closed(server.sockets[0]!);
    await market.close();
  });

  it('of an error, the beginning is read, and its status counts', async () => {
    const answered: Socket[] = [];
    const server = await RawServer.start((socket) => {
      answered.push(socket);
      // It has announced more than it will ever send.
      const headers = { 'content-length': 10_000_000 };
      socket.write(answerBytes(503, 'x'.repeat(100_000), headers));
    });
    const market = clientOf(server.baseUrl, { maxRetries: 1 });
    const error = await rejectionOf(market.orders.get('ord_1001'));
    expect(error).toBeInstanceOf(InternalServerError);
    expect(error).toMatchObject({
      response: { status: 503 },
      attempts: 2,
      body: expect.stringMatching(/^x+…$/),
    });
    await Promise.all(answered.map(closed));
    expect(server.requests).toHaveLength(2);
    await market.close();
  });

  it("an error's JSON within the limit is read whole", async () => {
    const server = await RawServer.start((socket) => {
      const body = JSON.stringify({ code: 'conflict', message: 'no', padding: 'x'.repeat(60_000) });
      socket.write(answerBytes(409, body));
    });
    const market = clientOf(server.baseUrl);
    const error = await rejectionOf(
      market.orders.create({ domain: 'brew.example', expected_price: 250_000 }),
    );
    expect(error).toMatchObject({ name: 'ConflictError', code: 'conflict', outcome: 'rejected' });
    await market.close();
  });
});
