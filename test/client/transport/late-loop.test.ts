/** A late event loop is no broken network, and no response belongs to a call that did not ask for it. */

import { createConnection, createServer, type Socket } from 'node:net';
import { Agent } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ClientOptions, MarketClient } from 'market-partner-sdk';
import { clientOf } from '../../support/client.js';
import { listenOnPort } from '../../support/loopback.js';
import { okRead } from '../../support/mock-market.js';
import { answerBytes, RawServer } from '../../support/raw-server.js';

const foreign = answerBytes(200, JSON.stringify({ ...okRead, public_id: 'ord_foreign' }));
const timeout = Buffer.from(
  'HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n',
);

const marketAt = ({ baseUrl }: RawServer, options: ClientOptions) =>
  clientOf({ baseUrl, maxRetries: 0, ...options });

function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Runs `work` in a callback of I/O, as a web server runs its handlers. */
async function inCallbackOfIo<T>(work: () => T): Promise<Awaited<T>> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
  const port = await listenOnPort(server);
  const socket = createConnection(port, '127.0.0.1');
  sockets.push(socket);
  onTestFinished(() => sockets.forEach((each) => each.destroy()));
  return await new Promise((resolve, reject) => {
    socket.once('data', () => void Promise.resolve(work()).then(resolve, reject));
    server.once('connection', (peer) => setImmediate(() => peer.write('go')));
  });
}

/** Writes what nobody asked for on each idle connection while the loop is busy. */
async function startMisbehaving(bytes: Buffer) {
  const answers = new Map<Socket, number>();
  const server = await RawServer.start((socket) => {
    answers.set(socket, 1);
    socket.write(answerBytes(200, JSON.stringify(okRead)));
  });
  const misbehave = () => {
    for (const socket of answers.keys()) if (!socket.destroyed) socket.write(bytes);
    // Sent by the kernel while nothing of this process runs.
    block(20);
  };
  return { server, misbehave };
}

const ways: [string, () => ClientOptions][] = [
  ['the own agent', () => ({})],
  ['an agent of the caller', () => ({ dispatcher: new Agent() })],
  ['the global fetch', () => ({ fetch })],
];
const calls: [string, (market: MarketClient) => Promise<unknown>][] = [
  ['a refund', (market) => market.orders.refund({ public_id: 'ord_1' })],
  ['a read', (market) => market.orders.get('ord_1')],
];

describe.each(ways)('over %s', (_way, options) => {
  describe.each([
    ['a 408', timeout],
    ['a whole 200', Buffer.from(foreign)],
    ['the beginning of a response', Buffer.from('HTTP/1.1 2')],
  ])('%s on an idle connection', (_what, bytes) => {
    it.each(calls)('is no response to %s in a callback of I/O', async (_call, call) => {
      const { server, misbehave } = await startMisbehaving(bytes);
      const market = marketAt(server, options());
      await market.orders.get('ord_0');
      const result = await inCallbackOfIo(() => {
        misbehave();
        return call(market);
      });
      expect(result).toEqual(okRead);
      expect(server.requests).toHaveLength(2);
    });
  });
});

const bodies: [string, string][] = [
  ['a small response', ''],
  ['a response of 300 kB', 'x'.repeat(300_000)],
];

describe.each(ways)('a loop that is busy for longer than timeoutMs, over %s,', (_way, options) => {
  it.each(bodies)('does not lose %s that came in time', async (_what, text) => {
    const body = { ...okRead, text };
    const server = await RawServer.start((socket, { target }) => {
      if (target.endsWith('/ord_0')) socket.write(answerBytes(200, JSON.stringify(okRead)));
      // When the callback runs, the kernel has the bytes.
      else socket.write(answerBytes(200, JSON.stringify(body)), () => block(500));
    });
    const market = marketAt(server, { timeoutMs: 400, ...options() });
    await market.orders.get('ord_0', { timeoutMs: 20_000 });
    await expect(market.orders.get('ord_1')).resolves.toEqual(body);
  });

  it('from the call on does not keep the request from being sent', async () => {
    const server = await RawServer.start((socket) => {
      socket.write(answerBytes(200, JSON.stringify(okRead)));
    });
    const market = marketAt(server, { timeoutMs: 200, ...options() });
    await market.orders.get('ord_0', { timeoutMs: 20_000 });
    const call = market.orders.get('ord_1');
    block(300);
    await expect(call).resolves.toEqual(okRead);
  });

  it('still ends a response that never ends', async () => {
    const server = await RawServer.start((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n');
      const timer = setInterval(() => socket.write('x'), 1);
      socket.once('close', () => clearInterval(timer));
    });
    const market = marketAt(server, { timeoutMs: 200, ...options() });
    await expect(market.orders.get('ord_1')).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});
