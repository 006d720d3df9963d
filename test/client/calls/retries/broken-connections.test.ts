/** What real sockets do to a call: over undici, and over the runtime's own fetch. */

import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  ConnectionError,
  InternalServerError,
  UnexpectedResponseError,
  type ClientOptions,
} from 'market-partner-sdk';
import { allCalls } from '../../../support/calls.js';
import { clientOf as startClient } from '../../../support/client.js';
import { answerBytes, closed, deadAddress, RawServer } from '../../../support/raw-server.js';
import { rejectionOf } from '../../../support/errors.js';
import { credential, okBody } from '../../../support/mock-market.js';
import { isSigned } from '../../../support/signature-check.js';

const ok = answerBytes(200, JSON.stringify(okBody));
const order = { domain: 'brew.example', expected_price: 250_000 };

const wires: [string, ClientOptions][] = [
  ['undici', {}],
  ["the runtime's fetch", { fetch: globalThis.fetch }],
];

describe.each(wires)('over %s', (_wire, wire) => {
  const clientOf = (baseUrl: string, options: ClientOptions = {}) =>
    startClient({ baseUrl, ...wire, ...options });

  it('every call sends what it signed, byte for byte', async () => {
    const server = await RawServer.start((socket) => socket.write(ok));
    const market = clientOf(`${server.baseUrl}/gateway`);
    for (const call of Object.values(allCalls)) await call(market);
    expect(server.requests).toHaveLength(Object.keys(allCalls).length);
    for (const request of server.requests) {
      expect(request.target).toMatch(/^\/gateway\/api\/partner\//);
      expect(isSigned(request, credential)).toBe(true);
    }
  });

  it('a refused connection is repeated for every call, and the outcome is not_sent', async () => {
    const market = clientOf(await deadAddress());
    for (const call of Object.values(allCalls)) {
      const error = await rejectionOf(call(market));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ attempts: 3, outcome: 'not_sent' });
      expect(error.message).toMatch(/could not be sent.*ECONNREFUSED.*Nothing was sent/);
    }
  });

  const short = answerBytes(200, '{"ok":', { 'content-length': 100 });
  const cut = answerBytes(200, '5\r\n{"ok"\r\n', { 'transfer-encoding': 'chunked' });
  const breaks: [string, (socket: Socket) => void, { response?: { status: number } }][] = [
    ['a reset', (socket) => socket.resetAndDestroy(), {}],
    ['an end without an answer', (socket) => socket.end(), {}],
    ['an answer that stops in its head', (socket) => socket.end('HTTP/1.1 200 O'), {}],
    ['bytes that are not HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n\r\n'), {}],
    [
      'a body shorter than its length',
      (socket) => socket.end(short),
      { response: { status: 200 } },
    ],
    ['a body without its last chunk', (socket) => socket.end(cut), { response: { status: 200 } }],
  ];
  describe.each(breaks)('%s', (_what, answer, facts) => {
    it('is repeated for an order, with the same key', async () => {
      const server = await RawServer.start((socket, _request, index) => {
        if (index < 2) answer(socket);
        else socket.write(ok);
      });
      const market = clientOf(server.baseUrl);
      const { response } = await market.orders.create(order).withResponse();
      expect(response.attempts).toBe(3);
      expect(new Set(server.requests.map(({ body }) => body)).size).toBe(1);
      const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
      expect(new Set(keys)).toEqual(new Set([response.idempotencyKey]));
      expect(server.requests.every((request) => isSigned(request, credential))).toBe(true);
    });

    it('ends a refund, with an unknown outcome', async () => {
      const server = await RawServer.start(answer);
      const market = clientOf(server.baseUrl);
      const error = await rejectionOf(market.orders.refund({ public_id: 'ord_1001' }));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ attempts: 1, outcome: 'unknown', ...facts });
      expect(server.requests).toHaveLength(1);
    });
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
  });

  it.each<[string, Record<string, string>]>([
    [
      'X-Note: a\r\nx-note: b\r\nSet-Cookie: session=1\r\nX-Request-Id: req_1\r\n',
      { 'x-note': 'a, b', 'x-request-id': 'req_1' },
    ],
    ['Via: a\r\nVia: b\r\n', { via: 'a, b' }],
  ])('headers are in lower case, joined, without cookies: %j', async (fields, headers) => {
    const server = await RawServer.start((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${fields}content-length: 2\r\n\r\n{}`);
    });
    const { response } = await clientOf(server.baseUrl).orders.get('ord_1001').withResponse();
    expect(response.headers).toEqual({ ...headers, 'content-length': '2' });
    expect(response.requestId).toBe(headers['x-request-id']);
  });

  it('a success longer than any of this API is not read to its end', async () => {
    const piece = Buffer.alloc(1024 * 1024, 0x20);
    const server = await RawServer.start((socket) => {
      socket.write(answerBytes(200, '', { 'content-length': 40 * piece.length }));
      for (let sent = 0; sent < 34; sent += 1) socket.write(piece);
    });
    const market = clientOf(server.baseUrl);
    const error = await rejectionOf(market.orders.create(order));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ response: { status: 200 }, attempts: 1, outcome: 'unknown' });
    expect(error.message).toMatch(/longer than 33554432 bytes/);
    await closed(server.sockets[0]!);
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
  });

  it("an error's JSON within the limit is read whole", async () => {
    const server = await RawServer.start((socket) => {
      const body = JSON.stringify({ code: 'conflict', message: 'no', padding: 'x'.repeat(60_000) });
      socket.write(answerBytes(409, body));
    });
    const market = clientOf(server.baseUrl);
    const error = await rejectionOf(market.orders.create(order));
    expect(error).toMatchObject({ name: 'ConflictError', code: 'conflict', outcome: 'rejected' });
  });
});
