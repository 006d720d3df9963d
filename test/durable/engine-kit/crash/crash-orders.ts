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
  /** Intents that a person must decide. */
  readonly attention: number;
}

const faultRate = 0.35;

export async function crashOrders(setup: CrashSetup): Promise<OrdersReport & WorkerCounts> {
  const { emulator, random, config, settings } = setup;
  for (const { order } of config.intents) {
    emulator.admin.list({ domain: order.domain, price_cents: 100_000 });
  }
  armFaults(emulator, random);
  const workers = new WorkerProcesses(config, random);
  const market = new MarketClient(config.client);
  try {
    await workers.start();
    const keys = config.intents.map(({ key }) => key);
    const { stalls } = await causeTroubles(
      setup,
      workers,
      (lines) => judgeOrders(lines, keys, []).lost,
    );
    const judge = async () =>
      judgeOrders(readLedger(config.ledger), keys, await referencesOf(market));
    const countWrongEffects = () => setup.countWrongEffects(keys.length);
    // An end is noted before its commit: a kill between them leaves an effect to be repeated.
    const hasEnded = async () => (await judge()).lost === 0 && (await countWrongEffects()) === 0;
    await waitForEnd(hasEnded, settings.patienceMs);
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

/** What a network and a gateway do, before and after the service did its work. */
function armFaults(emulator: MarketEmulator, random: () => number): void {
  const faults = [
    fault.resetBeforeWork(),
    fault.resetAfterWork(),
    fault.internalError(),
    fault.internalError({ afterWork: true }),
    fault.html(502, { afterWork: true }),
    fault.html(404),
    fault.brokenBody(),
    fault.rateLimited(1),
  ];
  const chosen = new Map<object, number>();
  for (const [index, each] of faults.entries()) {
    emulator.faults.on((request) => {
      if (request.method !== 'POST' || !request.path.endsWith('/orders')) return false;
      const choice = chosen.get(request) ?? Math.floor((random() / faultRate) * faults.length);
      chosen.set(request, choice);
      return choice === index;
    }, each);
  }
}

async function referencesOf(market: MarketClient): Promise<string[]> {
  const references: string[] = [];
  for await (const { external_payment_ref: reference } of market.orders.list({ limit: 100 })) {
    references.push(reference ?? '');
  }
  return references;
}

/** @param lines - `pid verdict key` */
export function judgeOrders(
  lines: readonly string[],
  keys: readonly string[],
  references: readonly string[],
): OrdersReport {
  const reported = new Map<string, Set<string>>();
  for (const line of lines) {
    const [, verdict = '', key = ''] = line.split(' ');
    if (key !== '') reported.set(key, (reported.get(key) ?? new Set()).add(verdict));
  }
  const has = (key: string, verdict: string) => reported.get(key)?.has(verdict) === true;
  const count = (test: (key: string) => boolean) => keys.filter(test).length;
  const isPlaced = (key: string) => references.includes(key);
  return {
    intents: keys.length,
    twice: count((key) => references.filter((each) => each === key).length > 1),
    lost: count((key) => !reported.has(key)),
    wrong: count(
      (key) => (has(key, 'placed') && !isPlaced(key)) || (has(key, 'refused') && isPlaced(key)),
    ),
    changed: count((key) => has(key, 'placed') && has(key, 'refused')),
    attention: count((key) => has(key, 'attention')),
  };
}
