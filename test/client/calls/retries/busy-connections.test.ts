/** More calls than connections: the time in the client's own queue is not the service's. */

import { describe, expect, it } from 'vitest';
import { TimeoutError } from 'market-partner-sdk';
import { rejectionOf } from '../../../support/errors.js';
import { clientOf } from '../../../support/client.js';
import { serve } from '../../../support/loopback.js';
import { okBody, okRead } from '../../../support/mock-market.js';

const refund = { public_id: 'ord_1001' };

/** A service that keeps reads until they are released. */
async function busyService(afterMs = 0) {
  const held: (() => void)[] = [];
  const written: string[] = [];
  const baseUrl = await serve((request, response) => {
    if (request.method === 'GET') {
      held.push(() => response.end(JSON.stringify(okRead)));
      return;
    }
    written.push(request.url ?? '');
    setTimeout(() => response.end(JSON.stringify(okBody)), afterMs);
  });
  return { baseUrl, held, written };
}

/** Takes all connections of a client. */
async function occupy(
  service: Awaited<ReturnType<typeof busyService>>,
  market: ReturnType<typeof clientOf>,
) {
  const reads = Array.from({ length: 64 }, () =>
    market.orders.get('ord_1001', { timeoutMs: 20_000 }).catch(() => undefined),
  );
  while (service.held.length < 64) await new Promise((next) => setTimeout(next, 5));
  return reads;
}

describe('a call that waits for a connection', () => {
  it('has all of its timeoutMs once it has one', async () => {
    const service = await busyService(250);
    const market = clientOf({ baseUrl: service.baseUrl });
    const reads = await occupy(service, market);
    const write = market.orders.refund(refund, { timeoutMs: 400, deadlineMs: 10_000 });
    await new Promise((next) => setTimeout(next, 600));
    expect(service.written).toEqual([]);
    for (const release of service.held) release();
    await expect(write).resolves.toMatchObject({ public_id: 'ord_1001' });
    await Promise.all(reads);
  });

  it('and gets none says so, and was not sent', async () => {
    const service = await busyService();
    const market = clientOf({ baseUrl: service.baseUrl });
    const reads = await occupy(service, market);
    const error = await rejectionOf(
      market.orders.refund(refund, { timeoutMs: 100, deadlineMs: 300 }),
    );
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ which: 'deadline', outcome: 'not_sent' });
    expect(error.message).toContain('waited for a connection');
    for (const release of service.held) release();
    await Promise.all(reads);
    expect(service.written).toEqual([]);
  });

  it('is not sent with less than its timeoutMs left, if it is a write', async () => {
    const service = await busyService();
    const market = clientOf({ baseUrl: service.baseUrl });
    const reads = await occupy(service, market);
    const late = rejectionOf(market.orders.refund(refund, { timeoutMs: 1_500, deadlineMs: 1_800 }));
    const set = market.orders.refund(refund, { timeoutMs: 10_000, deadlineMs: 5_000 });
    await new Promise((next) => setTimeout(next, 500));
    for (const release of service.held) release();
    expect(await late).toMatchObject({ which: 'deadline', outcome: 'not_sent' });
    await set;
    expect(service.written).toHaveLength(1);
    await Promise.all(reads);
  });
});
