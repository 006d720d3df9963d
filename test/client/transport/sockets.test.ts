/** The sockets of calls that ended before they were connected, or in the middle. */

import { describe, expect, it, vi } from 'vitest';
import { AbortedError, type MarketClient } from 'market-partner-sdk';
import { clientOf } from '../../support/client.js';
import { rejectionOf } from '../../support/errors.js';
import { okRead } from '../../support/mock-market.js';
import { answerBytes, RawServer } from '../../support/raw-server.js';

/** A call with a signal of its own. */
function startCall(market: MarketClient) {
  const controller = new AbortController();
  const call = rejectionOf(market.orders.get('ord_1001', { signal: controller.signal }));
  return { call, abort: () => controller.abort(new Error('no longer wanted')) };
}

describe('a call that is aborted while it is connecting', () => {
  it('is not sent, and leaves the connection to the next call', async () => {
    const server = await RawServer.start((socket) => {
      socket.write(answerBytes(200, JSON.stringify(okRead)));
    });
    const market = clientOf({ baseUrl: server.baseUrl, maxRetries: 0 });
    await market.orders.get('ord_0');
    // All of them connect at once, and only one of them is still wanted when its socket is there.
    const calls = Array.from({ length: 20 }, () => startCall(market));
    for (const { abort } of calls) abort();
    const errors = await Promise.all(calls.map(({ call }) => call));
    expect(errors.every((error) => error instanceof AbortedError)).toBe(true);
    await expect(market.orders.get('ord_1001')).resolves.toEqual(okRead);
    expect(server.requests.map(({ target }) => target.split('/').at(-1))).toEqual([
      'ord_0',
      'ord_1001',
    ]);
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
      await vi.waitFor(() => expect(server.requests).toHaveLength((round + 1) * 64), {
        timeout: 10_000,
      });
      for (const { abort } of calls) abort();
      await Promise.all(calls.map(({ call }) => call));
    }
    await expect(market.orders.get('ord_last')).resolves.toEqual(okRead);
  });
});
