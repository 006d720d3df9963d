/** The sockets of calls that ended before they were connected, or in the middle. */

import { createServer as createTcpServer, type Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import type { MarketClient } from 'market-partner-sdk';
import { clientOf } from '../../support/client.js';
import { rejectionOf } from '../../support/errors.js';
import { listenOnPort } from '../../support/loopback.js';
import { okRead } from '../../support/mock-market.js';
import { startProxyServer } from '../../support/proxy-server.js';
import { answerBytes, RawServer } from '../../support/raw-server.js';

/** Accepts connections and says nothing: a TLS handshake with it never ends. */
async function startSilentServer() {
  const open = new Set<Socket>();
  let accepted = 0;
  const server = createTcpServer((socket) => {
    accepted += 1;
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    socket.resume();
  });
  const port = await listenOnPort(server);
  return { baseUrl: `https://127.0.0.1:${port}`, open, accepted: () => accepted };
}

/** A call with a signal of its own. */
function startCall(market: MarketClient) {
  const controller = new AbortController();
  const call = rejectionOf(market.orders.get('ord_1001', { signal: controller.signal }));
  return { call, abort: () => controller.abort(new Error('no longer wanted')) };
}

describe('the socket of a call that ended while it was connecting', () => {
  it('ends with the call, long before the connection times out', async () => {
    const server = await startSilentServer();
    const market = clientOf({ baseUrl: server.baseUrl, maxRetries: 0 });
    const error = await rejectionOf(market.orders.get('ord_1001', { timeoutMs: 50 }));
    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'not_sent' });
    await vi.waitFor(() => expect(server.open.size).toBe(0), { timeout: 1_000 });
  });

  it('ends with the call behind a proxy that does not answer', async () => {
    const proxy = await startProxyServer({ silent: true });
    const market = clientOf({ baseUrl: 'http://127.0.0.1:9', proxy: proxy.url, maxRetries: 0 });
    const { call, abort } = startCall(market);
    await vi.waitFor(() => expect(proxy.tunnels).toHaveLength(1));
    abort();
    await call;
    await vi.waitFor(() => expect(proxy.open.size).toBe(0), { timeout: 1_000 });
  });

  it("leaves another call's socket connecting", async () => {
    const server = await startSilentServer();
    const market = clientOf({ baseUrl: server.baseUrl, maxRetries: 0 });
    const [first, second] = [startCall(market), startCall(market)];
    await vi.waitFor(() => expect(server.open.size).toBe(2));
    first.abort();
    await first.call;
    await vi.waitFor(() => expect(server.open.size).toBe(1), { timeout: 1_000 });
    second.abort();
    await second.call;
    await vi.waitFor(() => expect(server.open.size).toBe(0), { timeout: 1_000 });
    expect(server.accepted()).toBe(2);
  });

  it('makes room for calls that wait for one of the 64', async () => {
    const server = await startSilentServer();
    const market = clientOf({ baseUrl: server.baseUrl, maxRetries: 0 });
    const connecting = Array.from({ length: 64 }, () => startCall(market));
    const waiting = startCall(market);
    await vi.waitFor(() => expect(server.accepted()).toBe(64));
    connecting[0]!.abort();
    await vi.waitFor(() => expect(server.accepted()).toBe(65), { timeout: 1_000 });
    for (const { abort } of [...connecting, waiting]) abort();
    await Promise.all([...connecting, waiting].map(({ call }) => call));
    await vi.waitFor(() => expect(server.open.size).toBe(0), { timeout: 1_000 });
  });
});

describe('a call that was aborted in the middle', () => {
  it('is not followed by a connection that no call needs', async () => {
    const server = await RawServer.start(() => undefined);
    const market = clientOf({ baseUrl: server.baseUrl });
    const [first, second] = [startCall(market), startCall(market)];
    await vi.waitFor(() => expect(server.requests).toHaveLength(2));
    first.abort();
    await first.call;
    second.abort();
    await second.call;
    await vi.waitFor(() => expect(server.sockets.every(({ closed }) => closed)).toBe(true));
    expect(server.sockets).toHaveLength(2);
  });

  it('leaves its place to the next call, also where 64 calls are aborted at once', async () => {
    const server = await RawServer.start((socket, { target }) => {
      if (target.endsWith('/ord_last')) socket.write(answerBytes(200, JSON.stringify(okRead)));
    });
    const market = clientOf({ baseUrl: server.baseUrl });
    for (let round = 0; round < 2; round += 1) {
      const calls = Array.from({ length: 64 }, () => startCall(market));
      await vi.waitFor(() => expect(server.requests).toHaveLength((round + 1) * 64));
      for (const { abort } of calls) abort();
      await Promise.all(calls.map(({ call }) => call));
    }
    await expect(market.orders.get('ord_last')).resolves.toEqual(okRead);
  });
});
