/** The crash setup of the outbox: a service with faults, processes that are killed. */

import { MarketClient } from 'market-partner-sdk';
import { fault } from 'market-partner-sdk/testing';
import type { MarketEmulator } from 'market-partner-sdk/testing';
import type { CrashSetup, WorkerCounts } from './crash-setup.js';
import { readLedger } from './ledger.js';
import { causeTroubles } from './troubles.js';
import { pause, waitForEnd, WorkerProcesses } from './worker-processes.js';

/** What is judged of the outbox. All but `attention` must be 0. */
export interface OrdersReport {
  readonly intents: number;
  /** Intents with more than one order. */
  readonly twice: number;
  /** Intents without any verdict. */
  readonly lost: number;
  /** Verdicts that the service's ledger contradicts. */
  readonly wrong: number;
  /** Intents with both verdicts. */
  readonly changed: number;
  /** Orders for which a second refund was sent though the first one may have been done. */
  readonly refundedTwice: number;
  /** Refunds without any end. */
  readonly refundLost: number;
  /** Ends of refunds that the order contradicts. */
  readonly refundWrong: number;
  /** Intents, or refunds of theirs, that a person must decide. */
  readonly attention: number;
}

/** What the service says about an order. */
interface KnownOrder {
  readonly reference: string;
  readonly isRefunded: boolean;
}

/**
 * After this time nothing that was sent can arrive: a refund that nothing shows is a person's. It was sent by a
 * clock that may have been two hours ahead.
 */
const quietMs = 7_200_000 + 20 * 60_000;

/** All together stay within the day that a key is remembered. */
const mostJumps = 6;

const faultRate = 0.35;

/** The client slows down after each rate limit: one for every twentieth request, whatever its rate, is no service's. */
const limitedEveryMs = 20_000;

export async function crashOrders(setup: CrashSetup): Promise<OrdersReport & WorkerCounts> {
  const { emulator, random, config, settings } = setup;
  for (const { order } of config.intents) {
    emulator.admin.list({ domain: order.domain, price_cents: 100_000 });
  }
  const requests = armFaults(emulator, random);
  const workers = new WorkerProcesses(config, random);
  const market = new MarketClient(config.client);
  try {
    await workers.start();
    const keys = config.intents.map(({ key }) => key);
    const { stalls } = await causeTroubles(
      setup,
      workers,
      (lines) => judgeSales(lines, keys, []).lost,
    );
    const judge = async () => {
      const lines = readLedger(config.ledger);
      const orders = await ordersOf(market);
      return {
        ...judgeSales(lines, keys, orders),
        ...judgeRefunds(lines, config.refunds, orders),
        refundedTwice: [...requests.values()].filter((count) => count > 1).length,
      };
    };
    const countWrongEffects = () =>
      setup.countWrongEffects(keys.length + refundsTold(readLedger(config.ledger)));
    // An end is noted before its commit: a kill between them leaves an effect to be repeated.
    const hasEnded = async () => (await judge()).lost === 0 && (await countWrongEffects()) === 0;
    await waitForEnd(hasEnded, settings.patienceMs);
    if (config.refunds.length > 0 && settings.patienceMs > 0) {
      const isOver = async () => (await judge()).refundLost === 0 && (await hasEnded());
      // A refund that is sent for the first time after a jump is in doubt until the next.
      for (let jumps = 0; jumps < mostJumps && !(await isOver()); jumps += 1) {
        workers.aheadMs += quietMs;
        await workers.restartAll(() => Promise.resolve());
        await waitForEnd(isOver, settings.patienceMs / 3);
      }
    }
    await pause(200);
    const final = await judge();
    const { kills, crashes, errors } = workers;
    if (final.lost > 0 || crashes > 0) console.error(errors);
    return { ...final, kills, crashes, stalls, wrongEffects: await countWrongEffects() };
  } finally {
    await workers.end();
    await market.close();
  }
}

/**
 * What a network and a gateway do, before and after the service did its work.
 *
 * @returns how many requests for the refund of each order may have been done, by all that their sender sees
 */
function armFaults(emulator: MarketEmulator, random: () => number): ReadonlyMap<string, number> {
  const rateLimit = fault.rateLimited(1);
  const faults = [
    fault.resetBeforeWork(),
    fault.resetAfterWork(),
    fault.internalError(),
    fault.internalError({ afterWork: true }),
    fault.html(502, { afterWork: true }),
    fault.brokenBody(),
    fault.html(404),
    rateLimit,
  ];
  let limitedAt = -Infinity;
  const choose = () => {
    const choice = Math.floor((random() / faultRate) * faults.length);
    if (faults[choice] !== rateLimit) return choice;
    if (performance.now() - limitedAt < limitedEveryMs) return faults.length;
    limitedAt = performance.now();
    return choice;
  };
  const chosen = new Map<object, number>();
  const refunds = new Map<string, number>();
  for (const [index, each] of faults.entries()) {
    emulator.faults.on((request) => {
      const isRefund = request.path.endsWith('/refunds');
      if (request.method !== 'POST' || !(isRefund || request.path.endsWith('/orders')))
        return false;
      let choice = chosen.get(request);
      if (choice === undefined) {
        choice = choose();
        chosen.set(request, choice);
        const { public_id: id } = Object(request.json) as { public_id?: string };
        const isCertain = faults[choice] === rateLimit;
        if (isRefund && !isCertain) refunds.set(id ?? '', (refunds.get(id ?? '') ?? 0) + 1);
      }
      return choice === index;
    }, each);
  }
  return refunds;
}

async function ordersOf(market: MarketClient): Promise<KnownOrder[]> {
  const orders: KnownOrder[] = [];
  for await (const order of market.orders.list({ limit: 100 })) {
    const { external_payment_ref: reference = '', status } = order;
    orders.push({ reference, isRefunded: status === 'REFUNDED' });
  }
  return orders;
}

/** The verdicts of each key. @param lines - `pid verdict key` */
function verdictsIn(lines: readonly string[]): Map<string, Set<string>> {
  const reported = new Map<string, Set<string>>();
  for (const line of lines) {
    const [, verdict = '', key = ''] = line.split(' ');
    if (key !== '') reported.set(key, (reported.get(key) ?? new Set()).add(verdict));
  }
  return reported;
}

const refundEnds = ['refunded', 'not_refunded'];

/** The refunds whose end was told to a callback. */
function refundsTold(lines: readonly string[]): number {
  const isTold = (verdicts: Set<string>) => refundEnds.some((end) => verdicts.has(end));
  return [...verdictsIn(lines).values()].filter(isTold).length;
}

export function judgeRefunds(
  lines: readonly string[],
  keys: readonly string[],
  orders: readonly KnownOrder[],
) {
  const reported = verdictsIn(lines);
  const has = (key: string, verdict: string) => reported.get(key)?.has(verdict) === true;
  const count = (test: (key: string) => boolean) => keys.filter(test).length;
  const isRefunded = (key: string) =>
    orders.some((order) => order.reference === key && order.isRefunded);
  return {
    refundLost: count((key) => ![...refundEnds, 'attention'].some((end) => has(key, end))),
    refundWrong: count(
      (key) =>
        (has(key, 'refunded') && !isRefunded(key)) || (has(key, 'not_refunded') && isRefunded(key)),
    ),
  };
}

export function judgeSales(
  lines: readonly string[],
  keys: readonly string[],
  orders: readonly KnownOrder[],
) {
  const reported = verdictsIn(lines);
  const has = (key: string, verdict: string) => reported.get(key)?.has(verdict) === true;
  const count = (test: (key: string) => boolean) => keys.filter(test).length;
  const ordersOfKey = (key: string) => orders.filter(({ reference }) => reference === key).length;
  const isPlaced = (key: string) => ordersOfKey(key) > 0;
  return {
    intents: keys.length,
    twice: count((key) => ordersOfKey(key) > 1),
    lost: count((key) => !['placed', 'refused', 'attention'].some((end) => has(key, end))),
    wrong: count(
      (key) => (has(key, 'placed') && !isPlaced(key)) || (has(key, 'refused') && isPlaced(key)),
    ),
    changed: count((key) => has(key, 'placed') && has(key, 'refused')),
    attention: count((key) => has(key, 'attention')),
  };
}
