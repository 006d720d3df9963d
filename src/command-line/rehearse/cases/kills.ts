/** Cases of a program that is killed or deployed in the middle. */

import { fault } from '../../../testing/faults/fault.js';
import { pause, sleep } from '../../../core/time/sleep.js';
import { waitUntil } from '../wait-until.js';
import { NotApplicable, NotExercised, placedOrder, type Case, type Scene } from '../case.js';
import type { Sale } from '../sale.js';
import { arm } from '../stage.js';
import { eventsTried, harmMs, wasDelivered } from './deliveries.js';

/** How long the order of a deploy is under way. */
const underWayMs = 3_000;

/** A program that reads the history more seldom does so at its start. */
const pollsWithinMs = 5_000;

/** After one of these parts of the time for a page, a program that stores its cursor first has not handled the last event. */
const intoPage = [0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95];

/** A program that reads no second page at once polls; it handles a page in less. */
const longestPageMs = 1_000;

/** Whatever the program does between its "received" and its own books, it does under this latency. */
const afterPaidLatencyMs = 1_200;

/** How long the service is away from a new start. */
const startOutageMs = 5_000;

export const killCases: readonly Case[] = [
  {
    name: 'kill-while-paying',
    title: 'SIGKILL while eight payments are told, each at another step; those are told again',
    turn: 'overlapping',
    sells: 9,
    beliefRule: 'payment-kept',
    async act({ sales, program, signal }) {
      const [measured, ...others] = sales;
      const startedAt = Date.now();
      await measured?.sell();
      const stepMs = (Date.now() - startedAt) / others.length;
      const sold = others.map(async (sale, at) => {
        await pause(at * stepMs, [signal]);
        return sale.sell();
      });
      // When the first has been taken, each of the others is on its way.
      await Promise.race(sold);
      program.kill();
      await program.restart();
      for (const [at, { isOk }] of (await Promise.all(sold)).entries()) {
        if (!isOk) await others[at]?.sell();
      }
    },
  },
  ...[0, 100, 1_000].map(killAfterPaid),
  {
    name: 'deploy',
    title: 'SIGTERM while an order is under way, and a new start',
    turn: 'overlapping',
    async act({ sale, program, signal, patienceMs }) {
      sale.onOrder(fault.latency(underWayMs), { times: 1 });
      let deployed: Promise<void> | undefined;
      sale.whenRecorded(() => {
        deployed = program.deploy();
        deployed.catch(() => undefined);
      });
      const sold = sale.sell();
      await waitUntil(() => deployed !== undefined, patienceMs, signal);
      await deployed;
      await sold;
    },
  },
  {
    name: 'kill-after-200',
    title: 'SIGKILL at the moment when the delivery of a refund was answered 200',
    needs: ['webhook', 'ask'],
    turn: 'overlapping',
    mustBePlaced: false,
    beliefRule: 'event-handled',
    async act(scene) {
      const { sale, emulator, ledger, program, patienceMs, signal } = scene;
      const [publicId = ''] = await sellWithEvents(scene);
      let isKilled = false;
      ledger.onDelivery((attempt) => {
        const isRefund = ledger.eventsOf(sale.payment).at(-1)?.id === attempt.eventId;
        if (isKilled || attempt.type !== 'order.refunded' || !isRefund) return;
        if (!wasDelivered(attempt)) return;
        isKilled = true;
        program.kill();
      });
      emulator.admin.refund(publicId);
      if (!(await waitUntil(() => isKilled, patienceMs, signal)))
        throw new NotExercised('order.refunded was not answered 200');
      await program.restart();
    },
  },
  {
    name: 'history-gap',
    title:
      'while the program is down, the first and the last event of a page and the first of the next are refunds; no delivery comes',
    needs: ['ask'],
    sells: 3,
    turn: 'overlapping',
    mustBePlaced: false,
    beliefRule: 'event-handled',
    async act(scene) {
      const { ledger, program, signal } = scene;
      const [first = '', second = '', third = ''] = await sellWithEvents(scene);
      // It has read all that there is at its start, so that the first refund is the first event of a page.
      const startsAt = Date.now();
      await program.deploy();
      const hasRead = () =>
        ledger
          .requestsOf(undefined)
          .some(({ call, at }) => call === 'GET /events' && at > startsAt);
      await waitUntil(hasRead, pollsWithinMs, signal);
      await pause(harmMs, [signal]);
      await program.deploy(() => {
        missRefund(scene, first);
        missCleared(scene, second, ledger.pageSize - 2);
        missRefund(scene, second);
        missRefund(scene, third, 'cancel');
      });
    },
  },
  {
    name: 'kill-in-history',
    title: `SIGKILL ${intoPage.length} times while the program handles a page that begins and ends with a refund, and at its first call about either`,
    needs: ['ask'],
    sells: 3,
    turn: 'overlapping',
    mustBePlaced: false,
    beliefRule: 'event-handled',
    act: killInHistory,
  },
  {
    name: 'kill-after-order',
    title:
      'SIGKILL when an order is recorded; meanwhile another is refunded, and the new start gets 503 to everything for five seconds',
    // The last: a later start would put right what this one has not done.
    turn: 'overlapping',
    sells: 2,
    async act(scene) {
      const { sales, emulator, program, patienceMs, signal } = scene;
      const [refunded, killed] = sales as [Sale, Sale];
      await refunded.sell();
      const publicId = await placedOrder(refunded);
      await eventsTried(scene, refunded);
      killed.onOrder(fault.resetAfterWork(), { times: 1 });
      killed.whenRecorded(() => program.kill());
      const sold = killed.sell();
      await waitUntil(() => killed.missed.length === 0, patienceMs, signal);
      let outageEnd: Promise<void> | undefined;
      await program.restart(() => {
        missRefund(scene, publicId);
        const disarm = arm(emulator, () => true, fault.status(503));
        outageEnd = sleep(startOutageMs, signal).then(disarm);
      });
      await Promise.all([sold, outageEnd]);
    },
  },
];

function killAfterPaid(delayMs: number): Case {
  const when = delayMs === 0 ? 'the moment' : `${delayMs} ms after`;
  return {
    name: delayMs === 0 ? 'kill-after-paid' : `kill-after-paid-${delayMs}`,
    title: `SIGKILL ${when} --sell has ended with success; the payment is not told again`,
    turn: 'overlapping',
    beliefRule: 'payment-kept',
    async act({ sale, program, signal }) {
      const endLatency = sale.onCalls(undefined, fault.latency(afterPaidLatencyMs));
      let sold = await sale.sell();
      if (!sold.isOk) {
        // A program that gives up on a slow service has not taken the payment: its provider repeats.
        endLatency();
        sold = await sale.sell();
      }
      // However late a busy machine makes the kill, the service answers nothing more until then.
      const endSilence = sale.onCalls(undefined, fault.latency(Infinity));
      if (sold.isOk) await pause(delayMs, [signal]);
      if (sold.isOk) program.kill();
      endLatency();
      endSilence();
      if (!sold.isOk) throw new NotExercised(`--sell ended with ${sold.how}`);
      await program.restart();
    },
  };
}

async function killInHistory(scene: Scene): Promise<void> {
  const { sales, ledger, program, signal } = scene;
  const [first, last] = sales as [Sale, Sale];
  const [firstId = '', lastId = '', otherId = ''] = await sellWithEvents(scene);
  const isRead = ledger.requestsOf(undefined).some(({ call }) => call === 'GET /events');
  // It may ask for the status of each order; whether it does shows in history-gap.
  if (!isRead) throw new NotApplicable('the program does not read the history');
  program.kill();
  // How long a page takes shows in the one before.
  missCleared(scene, otherId, ledger.pageSize);
  missRefund(scene, firstId);
  missCleared(scene, otherId, ledger.pageSize - 2);
  missRefund(scene, lastId);
  const uncalled = new Set([first.payment, last.payment]);
  let readAt: number | undefined;
  let pageMs: number | undefined;
  let part: number | undefined;
  let isKilled = true;
  let timer: NodeJS.Timeout | undefined;
  const kill = () => {
    // One that is still to come would end the next start.
    clearTimeout(timer);
    isKilled = true;
    program.kill();
  };
  ledger.onRequest(({ call, sale = '' }) => {
    if (isKilled) return;
    if (uncalled.delete(sale)) kill();
    if (call !== 'GET /events') return;
    if (readAt !== undefined) pageMs ??= Math.min(Date.now() - readAt, longestPageMs);
    readAt = Date.now();
    if (pageMs !== undefined && part !== undefined) timer ??= setTimeout(kill, pageMs * part);
  });
  const startAnew = () =>
    program.restart(() => {
      readAt = timer = undefined;
      isKilled = false;
    });
  for (part of intoPage) {
    await startAnew();
    if (await waitUntil(() => isKilled, pollsWithinMs, signal)) continue;
    pageMs ??= longestPageMs;
    kill();
  }
  // From here on it is killed by its calls alone.
  part = undefined;
  const hasEnded = () => isKilled;
  const isOver = async () => hasEnded() || (await last.askAgain()) === 'refused';
  do {
    await startAnew();
    await waitUntil(isOver, pollsWithinMs, signal);
  } while (hasEnded());
  isKilled = true;
}

/** The orders of all sales, once the deliveries about them have been tried. */
async function sellWithEvents(scene: Scene): Promise<string[]> {
  for (const sale of scene.sales) await sale.sell();
  const placed: string[] = [];
  for (const sale of scene.sales) placed.push(await placedOrder(sale));
  for (const sale of scene.sales) await eventsTried(scene, sale);
  return placed;
}

/** Refunds or cancels an order; the delivery about it is lost. */
function missRefund(
  { emulator }: Scene,
  publicId: string,
  move: 'refund' | 'cancel' = 'refund',
): void {
  emulator.faults.deliveries.next('lost', { type: 'order.refunded', times: 1 });
  emulator.admin[move](publicId);
}

/** Holds and clears an order, `times` over; the deliveries about that are lost. */
function missCleared({ emulator }: Scene, publicId: string, times: number): void {
  emulator.faults.deliveries.next('lost', { type: 'order.manual_review_cleared', times });
  for (let count = 0; count < times; count += 1) {
    emulator.admin.hold(publicId);
    emulator.admin.clear(publicId);
  }
}
