/** Every call over real sockets, through a proxy that plays faults in front of the emulator. */

import { describe, expect, it } from 'vitest';
import { MarketClient, MarketError } from 'market-partner-sdk';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { everyCall, type CallRow } from '../../specification.js';
import { FaultProxy } from './fault-proxy.js';
import { socketFaults, type SocketFaultCase } from './socket-faults.js';

/** A sold domain has no price, and a refund ends an order: those two are called last. */
const changing = ['orders.create', 'orders.refund'];
const batches = [
  everyCall.filter(({ name }) => !changing.includes(name)),
  everyCall.filter(({ name }) => changing.includes(name)),
];
/** An overloaded machine is slow to run what is due. */
const lateMs = 5_000;

for (const [name, fault] of Object.entries(socketFaults)) {
  describe(name, () => {
    it('ends every call as documented, and leaves no socket', { timeout: 60_000 }, async () => {
      await using emulator = await MarketEmulator.start();
      const proxy = await FaultProxy.start(emulator.baseUrl);
      try {
        await checkFault(emulator, proxy, fault);
      } finally {
        await proxy.stop();
      }
    });
  });
}

async function checkFault(
  emulator: MarketEmulator,
  proxy: FaultProxy,
  fault: SocketFaultCase,
): Promise<void> {
  const limits = fault.stalls
    ? { timeoutMs: 250, deadlineMs: 1_000 }
    : { timeoutMs: 20_000, deadlineMs: 40_000 };
  const { keyId, secret } = emulator.createCredential();
  await using direct = new MarketClient({ baseUrl: emulator.baseUrl, keyId, secret });
  const records = await prepare(direct);
  const options = { baseUrl: proxy.baseUrl, keyId, secret, random: () => 0, ...limits };
  await using market = new MarketClient(options);
  proxy.fault = fault;
  const ends: EndedCall[] = [];
  for (const batch of batches) {
    const rows = batch.filter(({ name }) => fault.calls?.includes(name) ?? true);
    ends.push(...(await Promise.all(rows.map((row) => end(market, row, records)))));
  }
  for (const { row, error, tookMs } of ends) {
    expect([row.name, error?.name ?? 'success']).toEqual([row.name, fault.end]);
    expect(tookMs).toBeLessThan(limits.deadlineMs + lateMs);
    expectTruth(emulator, row, error);
  }
  const closingMs = performance.now();
  await market.close();
  expect(performance.now() - closingMs).toBeLessThan(lateMs);
  await proxy.untilLeft(lateMs);
}

/** An order and a case for the calls that need one. */
async function prepare(market: MarketClient) {
  const [listing] = await market.domains.search('travel');
  const order = await market.orders.create({
    domain: listing?.domain ?? '',
    expected_price: listing?.price_cents ?? 0,
  });
  const opened = await market.brokerage.openCase({
    tier: 'self_serve',
    buyer_email: 'ada@buyer.example',
  });
  return { publicId: order.public_id, caseId: opened.case_id ?? '' };
}

interface EndedCall {
  readonly row: CallRow;
  readonly error: MarketError | undefined;
  readonly tookMs: number;
}

async function end(
  market: MarketClient,
  row: CallRow,
  records: { publicId: string; caseId: string },
): Promise<EndedCall> {
  const startedMs = performance.now();
  const tookMs = () => performance.now() - startedMs;
  try {
    await row.invoke(market, records, { headers: { 'x-call': row.name } });
    return { row, error: undefined, tookMs: tookMs() };
  } catch (error) {
    expect(error).toBeInstanceOf(MarketError);
    return { row, error: error as MarketError, tookMs: tookMs() };
  }
}

/** What the call's error says, against what the emulator did. */
function expectTruth(emulator: MarketEmulator, row: CallRow, error: MarketError | undefined): void {
  const arrived = emulator.requests.filter(({ headers }) => headers['x-call'] === row.name);
  const done = arrived.filter(({ status = 0 }) => status >= 200 && status < 300);
  if (row.harmful) expect(arrived.length).toBeLessThanOrEqual(1);
  if (error === undefined) {
    expect(done.length).toBeGreaterThan(0);
  } else {
    expect(error.attempts).toBeGreaterThanOrEqual(arrived.length);
    if (error.outcome === 'not_sent') expect(arrived).toEqual([]);
    if (error.outcome === 'rejected' && row.method !== 'GET') expect(done).toEqual([]);
  }
}
