/** A service that lies about its orders, and the two that ask it about a sale: `orders.resume` and an outbox. */

import { expect } from 'vitest';
import { MarketClient, type Order } from 'market-partner-sdk';
import {
  createOrderOutbox,
  type DurableEngine,
  type OrderOutbox,
} from 'market-partner-sdk/durable';
import { ManualTime } from '../../durable/support/manual-time.js';
import { fakeSleep } from '../../support/virtual-time.js';
import { input, listLies, orderLies, toResponse, truth, type Answer } from './lies.js';

/** What POST /orders and the pages of a look-up say; both are counted from 1. */
export interface Service {
  readonly post: (attempt: number) => Answer;
  readonly list: (page: number, lookUp: number) => Answer;
}

export const forgotten: Answer = { status: 404, headers: {}, body: { code: 'not_found' } };

/** It has forgotten the key, and this is what its list says. */
export const lying = (name: string): Service => ({
  post: () => forgotten,
  list: (page) => listLies[name]!.lie(truth, page),
});

/** This is what it says to POST /orders; its list is true. */
export const creating = (name: string): Service => ({
  post: () => orderLies[name]!.answer,
  list: () => truth,
});

function fetchFrom({ post, list }: Service, requests: string[]) {
  let [attempts, lookUps, page] = [0, 0, 0];
  return (url: string, { method }: { method: string }) => {
    requests.push(`${method} ${url}`);
    if (method === 'POST') {
      attempts += 1;
      return Promise.resolve(toResponse(post(attempts)));
    }
    const isFirstPage = !url.includes('cursor=');
    if (isFirstPage) lookUps += 1;
    page = isFirstPage ? 1 : page + 1;
    return Promise.resolve(toResponse(list(page, lookUps)));
  };
}

const options = {
  baseUrl: 'https://market.example',
  keyId: 'mk_sandbox_1f0c',
  secret: 'of these tests',
  maxRetries: 0,
  validateResponses: 'off' as const,
};

const key = 'payment-1001';

export async function resumeAgainst(service: Service) {
  const requests: string[] = [];
  const fetch = fetchFrom(service, requests);
  const market = new MarketClient({ ...options, sleep: fakeSleep(), fetch });
  const ended = await market.orders.resume({ input, idempotencyKey: key, startedAt: Date.now() });
  expect(requests[0]).toMatch(/^POST/);
  return { ended, requests };
}

const escalateAfterMs = 60_000;
let outboxes = 0;

/** An engine whose work is done by one drain after the other. */
export interface EngineAgainst {
  readonly open: (time: ManualTime) => DurableEngine;
  /** Where the engine has a clock of its own, the time that it starts at: both say for how long a sale fails. */
  readonly startMs?: number;
  /** Of the wait between two attempts; 0 where the engine waits by a clock of its own. */
  readonly jitter: number;
  /** Drains once, and lets 20 seconds of the test's time pass. */
  readonly drain: (outbox: OrderOutbox, time: ManualTime) => Promise<void>;
}

/** For an engine that is as fast as this process: time passes while nothing else happens. */
export async function drainAtOnce(outbox: OrderOutbox, time: ManualTime): Promise<void> {
  const drained = outbox.drain({ maxMs: 20_000 });
  await time.advance(20_000);
  await drained;
}

/**
 * For an engine on a server: while it works, time passes slowly, for the pauses of a look-up, and never as far
 * as the end of the drain. An order that is cut off there may be told to the operator twice.
 */
export async function drainMeanwhile(outbox: OrderOutbox, time: ManualTime): Promise<void> {
  const state = { isDone: false };
  const drained = outbox.drain({ maxMs: 3_600_000 }).finally(() => (state.isDone = true));
  while (!state.isDone) await time.advance(10);
  await drained;
  await time.advance(20_000);
}

/** An intent whose first attempt gets a 500, and its verdicts until an operator has it. */
export async function placeAgainst(
  service: Service,
  { open, startMs, jitter, drain }: EngineAgainst,
) {
  const time = new ManualTime(startMs);
  const requests: string[] = [];
  const afterAnError: Service = {
    ...service,
    post: (attempt) => (attempt === 1 ? { ...truth, status: 500 } : service.post(attempt - 1)),
  };
  const { clock } = time.options;
  const fetch = fetchFrom(afterAnError, requests);
  const market = new MarketClient({ ...options, clock, sleep: () => Promise.resolve(), fetch });
  const told: string[] = [];
  const outbox = createOrderOutbox({
    market,
    engine: open(time),
    // Each has queues of its own, also where they share an engine.
    name: `lie-${(outboxes += 1)}`,
    escalateAfterMs,
    logger: false,
    random: () => jitter,
    ...time.options,
    onPlaced: ({ public_id: id }: Order) => told.push(`placed ${id}`),
    onRefused: ({ reason }) => told.push(`refused ${reason}`),
    onAttention: ({ reason }) => told.push(`attention ${reason}`),
  });
  try {
    await outbox.add({ key, order: input });
    const causes = new Set<string>();
    const startedAt = time.nowMs;
    while (time.nowMs - startedAt <= 4 * escalateAfterMs && told.length === 0) {
      await drain(outbox, time);
      const { lastError } = (await outbox.get(key)) ?? {};
      if (lastError !== undefined) causes.add(lastError);
    }
    expect(requests[0]).toMatch(/^POST/);
    return { told, causes: [...causes] };
  } finally {
    await outbox.stop({ graceMs: 0 });
    await market.close();
  }
}

/** How a sale in this state ends in the outbox: an open one is an operator's once its time is over. */
export const endOf = {
  open: 'attention not_placed_in_time',
  attention: 'attention ambiguous',
  placed: 'placed ord_1',
};
