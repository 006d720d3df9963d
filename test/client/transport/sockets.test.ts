/** The sockets of calls that ended before they were connected, or in the middle. */

import { createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { MarketClient } from 'market-partner-sdk';
import { clientOf } from '../../support/client.js';
import { rejectionOf } from '../../support/errors.js';
import { listenOnPort } from '../../support/loopback.js';
import { okRead } from '../../support/mock-market.js';
import { answerBytes, RawServer } from '../../support/raw-server.js';

/** A call with a signal of its own. */
function startCall(market: MarketClient) {
  const controller = new AbortController();
  const call = rejectionOf(market.orders.get('ord_1001', { signal: controller.signal }));
  return { call, abort: () => controller.abort(new Error('no longer wanted')) };
}

describe('a call that is aborted while it is connecting', () => {
  it('ends at once, unsent, and close() does not wait for its connection', async () => {
    // A TLS handshake that never gets a response.
    const accepted: Socket[] = [];
    const port = await listenOnPort(
      createServer((socket) => accepted.push(socket.on('error', () => undefined))),
    );
    onTestFinished(() => accepted.forEach((socket) => socket.destroy()));
    const market = clientOf({ baseUrl: `https://127.0.0.1:${port}`, maxRetries: 0 });
    const calls = Array.from({ length: 3 }, () => startCall(market));
    await vi.waitFor(() => expect(accepted).toHaveLength(3));
    const startedMs = performance.now();
    for (const { abort } of calls) abort();
    for (const { call } of calls) {
      expect(await call).toMatchObject({ name: 'AbortedError', outcome: 'not_sent' });
    }
    await market.close();
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });

  it('leaves the next call its own response', async () => {
    const server = await RawServer.start((socket, { target }) => {
      const public_id = target.split('/').at(-1);
      socket.write(answerBytes(200, JSON.stringify({ ...okRead, public_id })));
    });
    const market = clientOf({ baseUrl: server.baseUrl, maxRetries: 0 });
    await market.orders.get('ord_0');
    // Most of them make a connection of their own, and are aborted in the turn in which that begins.
    const calls = Array.from({ length: 20 }, () => startCall(market));
    await new Promise<void>((resolve) => {
      setImmediate(() => setImmediate(resolve));
    });
    for (const { abort } of calls) abort();
    for (const { call } of calls) expect(await call).toMatchObject({ name: 'AbortedError' });
    await expect(market.orders.get('next')).resolves.toMatchObject({ public_id: 'next' });
    await market.close();
  });
});

describe('a call that was aborted in the middle', () => {
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
