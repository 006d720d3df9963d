/** Every call under every fault: the documented end, told as it is in the service's ledger. */

import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MarketClient, MarketError, TimeoutError } from 'market-partner-sdk';
import { everyCall, type CallRow } from '../../specification.js';
import { SimulatedNetwork, type Fault } from '../simulation/exchange.js';
import { clean, faults, type FaultCase } from '../simulation/faults.js';
import { gatewayRefusals, impostors, serverErrors } from '../simulation/gateway-faults.js';
import { Random } from '../simulation/random.js';
import { SimulatedTime } from '../simulation/simulated-time.js';
import { AnyService } from './any-service.js';

/** A second one of these could do harm (docs/client.md). */
const limits = { timeoutMs: 3_000, deadlineMs: 20_000, maxRetries: 2 };
const records = { publicId: 'ord_1', caseId: 'case_1' };

let time: SimulatedTime;
beforeEach(() => {
  time = new SimulatedTime();
  time.install();
});
afterEach(() => time.uninstall());

/** What came of one call. */
interface Ended {
  readonly error: MarketError | undefined;
  readonly attempts: number;
  readonly service: AnyService;
  readonly nonces: readonly string[];
}

for (const [name, fault] of Object.entries({ ...faults, ...serverErrors, ...gatewayRefusals })) {
  describe(name, () => {
    it('at each attempt: every call ends as documented', async () => {
      for (const row of everyCall) {
        const ended = await run(row, () => fault.play);
        expectTruth(row, ended);
        // A wait that the service asks for is repeated until the deadline, which may cut the last attempt short.
        if (row.method === 'GET' && isCutShort(ended)) continue;
        expect([row.name, endOf(ended)]).toEqual([row.name, documentedEnd(row, fault)]);
      }
    });

    it('once: every call that may be repeated succeeds, and no other is repeated', async () => {
      for (const row of everyCall) {
        const ended = await run(row, (index) => (index === 0 ? fault.play : clean));
        expectTruth(row, ended);
        const documented = documentedEnd(row, fault);
        const recovers = documented === 'success' || isRepeated(row, fault);
        const end = recovers ? 'success' : documented;
        expect([row.name, endOf(ended)]).toEqual([row.name, end]);
        if (!recovers) expect(ended.nonces.length).toBeLessThanOrEqual(1);
      }
    });
  });
}

/** The calls whose answer has a documented identifying field. */
const identified = ['orders.create', 'checkout.createSession'];

for (const [name, fault] of Object.entries(impostors)) {
  it(`${name} is no order and no session`, async () => {
    for (const row of everyCall.filter((each) => identified.includes(each.name))) {
      const ended = await run(row, () => fault.play);
      expectTruth(row, ended);
      expect([row.name, endOf(ended)]).toEqual([row.name, documentedEnd(row, fault)]);
    }
  });
}

async function run(row: CallRow, faultAt: (index: number) => Fault): Promise<Ended> {
  const service = new AnyService();
  let index = -1;
  const network = new SimulatedNetwork({
    time,
    random: new Random(1),
    service: service.handle,
    faultFor: () => faultAt((index += 1)),
  });
  const market = new MarketClient({
    baseUrl: 'https://market.example',
    keyId: 'mk_sandbox_1f0c',
    secret: 'the-secret-of-these-tests',
    dispatcher: network,
    ...limits,
  });
  const { signal } = new AbortController();
  const startedMs = time.nowMs;
  const timers = time.openTimeouts;
  let error: unknown;
  try {
    await time.run(Promise.resolve(row.invoke(market, records, { signal })));
  } catch (caught) {
    error = caught;
  }
  expect(time.nowMs - startedMs).toBeLessThanOrEqual(limits.deadlineMs);
  expect(time.openTimeouts).toBe(timers);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  // Work that the network holds back is done before the ledger is read.
  await time.drain();
  if (error !== undefined) expect(error).toBeInstanceOf(MarketError);
  return {
    error: error as MarketError | undefined,
    attempts: index + 1,
    service,
    nonces: network.sent.map(({ headers }) => headers['x-market-nonce']!),
  };
}

function expectTruth(row: CallRow, { error, attempts, service, nonces }: Ended): void {
  expect(new Set(nonces).size).toBe(nonces.length);
  if (row.harmful) expect(service.worked.length).toBeLessThanOrEqual(1);
  if (error === undefined) {
    if (row.method !== 'GET') expect(service.worked.length).toBeGreaterThan(0);
    return;
  }
  expect(error).toMatchObject({ method: row.method, attempts });
  if (error.outcome === 'not_sent') expect(service.arrived.size).toBe(0);
  if (error.outcome === 'rejected') expect(service.worked).toEqual([]);
}

/** A 2xx without a body says all of these: the registration is made, the request for a refund is received. */
const received = ['events.registerWebhook', 'orders.refund'];

function documentedEnd(row: CallRow, fault: FaultCase): FaultCase['end'] {
  const { end, endOfRead } = fault;
  if (fault === faults['200 without a body after the work'] && received.includes(row.name)) {
    return 'success';
  }
  if (row.method === 'GET' && endOfRead !== undefined) return endOfRead;
  if (end === 'success') return end;
  const [error, outcome] = end;
  // A copy of a read has done nothing, so its refusal is one.
  const isHarmlessCopy = row.method === 'GET' && end === copied.end;
  return [error, isHarmlessCopy ? 'rejected' : outcome];
}

const copied = faults['a proxy sends a copy and gives its response']!;

function isRepeated(row: CallRow, { repeated }: FaultCase): boolean {
  return repeated === 'all' || (repeated === 'harmless' && row.harmful !== true);
}

function isCutShort({ error, attempts }: Ended): boolean {
  return error instanceof TimeoutError && error.which === 'deadline' && attempts > 3;
}

function endOf({ error }: Ended): unknown {
  return error === undefined ? 'success' : [error.name, error.outcome];
}
