/** Cases of a network and a service that fail. */

import { fault, type Fault } from '../../../testing/faults/fault.js';
import type { FaultRequest } from '../../../testing/faults/match.js';
import { pause, sleep } from '../../../core/time/sleep.js';
import { waitUntil } from '../wait-until.js';
import { arm } from '../stage.js';
import { retryAfterSeconds } from '../judge-sale.js';
import type { Case, Scene } from '../case.js';

const chanceFaults: readonly (() => Fault)[] = [
  () => fault.resetBeforeWork(),
  () => fault.resetAfterWork(),
  () => fault.internalError(),
  () => fault.internalError({ afterWork: true }),
  () => fault.html(502, { afterWork: true }),
  () => fault.html(504, { afterWork: true }),
  () => fault.emptyBody(),
  () => fault.brokenBody(),
  () => fault.status(202, { body: { accepted: true } }),
];

export const networkCases: readonly Case[] = [
  {
    name: 'first-call-refused',
    title: 'the first calls of the sale are refused with 401, if they come before the order',
    mustBePlaced: 'always',
    beliefRule: 'payment-kept',
    arrange({ sale }) {
      // A client may repeat a call, and a program the sale.
      const isBefore = ({ endpoint }: FaultRequest) => endpoint !== 'POST /orders';
      sale.onCalls(undefined, fault.status(401), { times: 3 }, isBefore);
    },
    async act({ sale }) {
      // A program that answers with an error has not taken the payment: its provider repeats.
      for (let left = 5; left > 0 && !(await sale.sell()).isOk; left -= 1) await pause(500);
    },
  },
  {
    name: 'lost-before-work',
    title: 'the connection breaks before the service has recorded the order',
    arrange: ({ sale, random }) => sale.onOrder(fault.resetBeforeWork(), { times: 1 + random(2) }),
  },
  {
    name: 'lost-after-work',
    title: 'the order is recorded, and the response is lost',
    arrange: ({ sale, random }) => sale.onOrder(fault.resetAfterWork(), { times: 1 + random(2) }),
  },
  {
    name: 'error-after-work',
    title: 'the order is recorded, and the response is 500',
    arrange: ({ sale }) => sale.onOrder(fault.internalError({ afterWork: true }), { times: 1 }),
  },
  {
    name: 'gateway-404',
    title: 'the order is recorded, and a gateway responds with its 404 page',
    arrange: ({ sale }) => sale.onOrder(fault.html(404, { afterWork: true }), { times: 1 }),
  },
  {
    name: 'gateway-200',
    title: 'a gateway responds 200 with its own page, and no order is recorded',
    arrange: ({ sale }) => sale.onOrder(fault.html(200), { times: 1 }),
  },
  {
    name: 'rate-limited',
    title: `429 with Retry-After: ${retryAfterSeconds}, twice`,
    mustBePlaced: 'always',
    arrange: ({ sale }) => sale.onOrder(fault.rateLimited(retryAfterSeconds), { times: 2 }),
  },
  {
    name: 'slow-response',
    title:
      'the order is recorded, delivered and settled, and two responses in a row take 12 seconds',
    isLong: true,
    arrange({ sale, emulator }) {
      sale.onOrder(fault.latency('12 seconds'), { times: 2 });
      // From then on a refund is refused, so an order that took too long cannot be taken back.
      sale.whenRecorded((id) => {
        emulator.admin.startTransfer(id);
        emulator.admin.completeTransfer(id);
        emulator.admin.settle();
      });
    },
  },
  {
    name: 'no-response',
    title: 'the order is recorded, and its response never comes',
    isLong: true,
    arrange: ({ sale }) => sale.onOrder(fault.latency(Infinity), { times: 1 }),
  },
  {
    name: 'outage',
    title:
      'the order is recorded, its response is lost, and the service goes away for 20 seconds (--outage)',
    isLong: true,
    act: sellInAnOutage,
  },
  {
    name: 'clock-off',
    title: 'the clock of the service is ten minutes ahead for three seconds',
    turn: 'alone',
    mustBePlaced: 'always',
    arrange: ({ emulator, sale, signal }) =>
      sale.beforeFirstOrder(() => {
        // For every call: a signature is not about a domain.
        const disarm = arm(emulator, () => true, fault.wrongClock(600_000));
        void sleep(3_000, signal).then(disarm);
      }),
    async act({ sale }) {
      await sale.sell();
      await pause(3_000);
    },
  },
  {
    name: 'storm',
    title: 'nine sales, the first three attempts of each under other faults',
    isLong: true,
    sells: chanceFaults.length,
    arrange({ sales, random }) {
      for (const [at, sale] of sales.entries()) {
        // Each fault is the first of a sale.
        const others = [random(chanceFaults.length), random(chanceFaults.length)];
        for (const each of [at, ...others]) {
          sale.onOrder((chanceFaults[each] as () => Fault)(), { times: 1 });
        }
      }
    },
  },
];

/**
 * It starts with the first order, since no buyer can pay in a shop that gets no price. That order is recorded: a
 * program that gives up and pays the buyer back owes it.
 */
async function sellInAnOutage({ sale, outageMs, signal, random }: Scene): Promise<void> {
  const down = random(2) === 0 ? fault.resetBeforeWork() : fault.status(503);
  let isOver = false;
  sale.beforeFirstOrder(() => {
    sale.onOrder(fault.resetAfterWork(), { times: 1 });
    sale.onOrder(fault.status(503), { times: 1 });
    const end = sale.onCalls(undefined, down);
    const bringUp = () => {
      isOver = true;
      end();
    };
    void sleep(outageMs, signal).then(bringUp);
  });
  await sale.sell();
  // The wait starts when the service is back.
  await waitUntil(() => isOver, outageMs + 1_000, signal);
}
