/** Cases of a program that is killed or deployed in the middle. */

import { fault } from '../../../testing/faults/fault.js';
import { pause } from '../../../core/time/sleep.js';
import { waitUntil, watchLateness } from '../wait-until.js';
import {
  MissedMoment,
  NotApplicable,
  NotExercised,
  placedOrder,
  type Case,
  type Scene,
} from '../case.js';
import { eventsTried, wasDelivered } from './deliveries.js';

/** How long the order of a deploy is under way. */
const underWayMs = 1_500;

/** A program that polls the history more seldom has more than one event to read. */
const pollsWithinMs = 5_000;

/** By one of these moments, a program that stores its cursor first has done so and not yet handled the last event. */
const intoHandlingMs = [5, 15, 45, 135];

/** No call about the event is answered before the last of these kills. */
const handlingMs = 400;

/** A page of the history holds more, whatever its size. */
const eventsOfAPage = 18;

/** The last refunds are on the second page of a history that is read by hundreds. */
const earlierEvents = 110;

export const killCases: readonly Case[] = [
  ...[0, 100, 1_000].map(killAfterPaid),
  {
    name: 'kill-before-order',
    title: 'SIGKILL when the order is sent, before the service has recorded it',
    turn: 'overlapping',
    arrange: ({ sale, program }) =>
      sale.beforeFirstOrder(() => {
        sale.onOrder(fault.resetBeforeWork(), { times: 1 });
        program.kill();
      }),
    act: sellAndRestart,
  },
  {
    name: 'kill-after-order',
    title: 'SIGKILL when the order is recorded, before the response arrives',
    turn: 'overlapping',
    arrange({ sale, program }) {
      sale.onOrder(fault.resetAfterWork(), { times: 1 });
      sale.whenRecorded(() => program.kill());
    },
    act: sellAndRestart,
  },
  {
    name: 'deploy',
    title: 'SIGTERM while an order is under way, and a new start',
    turn: 'overlapping',
    arrange: ({ sale }) => sale.onOrder(fault.latency(underWayMs), { times: 1 }),
    async act({ sale, program, signal, patienceMs }) {
      const sold = sale.sell();
      await waitUntil(() => sale.orderRequests.length > 0, patienceMs, signal);
      await pause(200, [signal]);
      const isUnderWay = Date.now() < (sale.orderRequests[0]?.at ?? 0) + underWayMs;
      await program.deploy();
      await sold;
      if (!isUnderWay) throw new MissedMoment('SIGTERM came when the order had its response');
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
      let killedAt: number | undefined;
      ledger.onDelivery((attempt) => {
        const isRefund = ledger.eventsOf(sale.domain).at(-1)?.id === attempt.eventId;
        if (killedAt !== undefined || attempt.type !== 'order.refunded' || !isRefund) return;
        if (!wasDelivered(attempt)) return;
        killedAt = Date.now();
        program.kill();
      });
      const lateness = watchLateness();
      emulator.admin.refund(publicId);
      await waitUntil(() => killedAt !== undefined, patienceMs, signal);
      const lateMs = await lateness.at(killedAt ?? 0);
      lateness.end();
      if (killedAt === undefined) throw new NotExercised('order.refunded was not answered 200');
      await program.restart();
      requireInTime(lateMs);
    },
  },
  {
    name: 'history-gap',
    title:
      'while the program is down, an order is refunded; after 110 other events one more, and one is cancelled; no delivery comes',
    needs: ['ask'],
    sells: 3,
    turn: 'overlapping',
    mustBePlaced: false,
    beliefRule: 'event-handled',
    async act(scene) {
      const { ledger, program, signal } = scene;
      const [first = '', second = '', third = ''] = await sellWithEvents(scene);
      // The first refund is then the first event of a page that the program has not read.
      const soldAt = Date.now();
      const hasPolled = () =>
        ledger.requestsOf(undefined).some(({ call, at }) => call === 'GET /events' && at > soldAt);
      await waitUntil(hasPolled, pollsWithinMs, signal);
      await program.deploy(() => {
        missRefund(scene, first);
        missCleared(scene, second, earlierEvents);
        missRefund(scene, second);
        missRefund(scene, third, 'cancel');
      });
    },
  },
  {
    name: 'kill-in-history',
    title: `SIGKILL, and again ${intoHandlingMs.join(', ')} ms after the program was sent the events that it missed`,
    needs: ['ask'],
    turn: 'overlapping',
    mustBePlaced: false,
    beliefRule: 'event-handled',
    async act(scene) {
      const { sale, ledger, program, patienceMs, signal } = scene;
      const [publicId = ''] = await sellWithEvents(scene);
      const isRead = ledger.requestsOf(undefined).some(({ call }) => call === 'GET /events');
      // It may ask for the status of each order; whether it does shows in history-gap.
      if (!isRead) throw new NotApplicable('the program does not read the history');
      program.kill();
      missCleared(scene, publicId, eventsOfAPage);
      missRefund(scene, publicId);
      const endLatency = sale.onCalls(undefined, fault.latency(handlingMs));
      let onHistory: (() => void) | undefined;
      ledger.onRequest(({ call }) => {
        if (call === 'GET /events') onHistory?.();
      });
      const lateness = watchLateness();
      let leastLateMs = Infinity;
      for (const delayMs of intoHandlingMs) {
        let killedAt: number | undefined;
        await program.restart(() => {
          onHistory = () => {
            onHistory = undefined;
            killedAt = Date.now() + delayMs;
            setTimeout(() => program.kill(), delayMs);
          };
        });
        await waitUntil(() => killedAt !== undefined, patienceMs, signal);
        if (killedAt === undefined) {
          lateness.end();
          throw new NotExercised('the history was not read after a start');
        }
        await pause(delayMs, [signal]);
        leastLateMs = Math.min(leastLateMs, await lateness.at(killedAt));
        // The request may have been the last of the process before: this one was not killed then.
        program.kill();
      }
      lateness.end();
      endLatency();
      await program.restart();
      requireInTime(leastLateMs, mostLateInHandlingMs);
    },
  },
];

/** Whatever the program does between its "received" and its own books, it does under this latency. */
const afterPaidLatencyMs = 1_200;

/** A kill that comes later than this has left the program time to put right what the case is about. */
const mostLateMs = 100;

/** A kill in the history that is later than this finds every event handled. */
const mostLateInHandlingMs = 40;

function requireInTime(lateMs: number, toleratedMs = mostLateMs): void {
  if (lateMs > toleratedMs) throw new MissedMoment(`SIGKILL came ${lateMs} ms too late`);
}

function killAfterPaid(delayMs: number): Case {
  const when = delayMs === 0 ? 'the moment' : `${delayMs} ms after`;
  return {
    name: delayMs === 0 ? 'kill-after-paid' : `kill-after-paid-${delayMs}`,
    title: `SIGKILL ${when} --sell has ended with success; the payment is not told again`,
    turn: 'overlapping',
    beliefRule: 'payment-kept',
    async act({ sale, program, signal }) {
      const endLatency = sale.onCalls(undefined, fault.latency(afterPaidLatencyMs));
      const lateness = watchLateness();
      let sold = await sale.sell();
      if (!sold.isOk) {
        // A program that gives up on a slow service has not taken the payment: its provider repeats.
        endLatency();
        sold = await sale.sell();
      }
      const soldAt = Date.now();
      if (sold.isOk) await pause(delayMs, [signal]);
      if (sold.isOk) program.kill();
      const lateMs = Date.now() - soldAt - delayMs + (await lateness.at(soldAt));
      lateness.end();
      endLatency();
      if (!sold.isOk) throw new NotExercised(`--sell ended with ${sold.how}`);
      await program.restart();
      // What is done within a second is done within a second and a quarter, too.
      requireInTime(lateMs, Math.max(mostLateMs, delayMs / 4));
    },
  };
}

/** The orders of all sales, once the deliveries about them have been tried. */
async function sellWithEvents(scene: Scene): Promise<string[]> {
  for (const sale of scene.sales) await sale.sell();
  const placed: string[] = [];
  for (const sale of scene.sales) placed.push(await placedOrder(sale));
  for (const { domain } of scene.sales) await eventsTried(scene, domain);
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

async function sellAndRestart({ sale, program, patienceMs, signal }: Scene): Promise<void> {
  const sold = sale.sell();
  const isOver = () => sale.missed.length === 0;
  if (!(await waitUntil(isOver, patienceMs, signal)))
    throw new NotExercised(sale.missed.join(', '));
  await program.restart();
  await sold;
}
