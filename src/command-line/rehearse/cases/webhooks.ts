/** Cases of webhooks. How the partner handled an event shows in what it says about the sale. */

import type { DeliveryFault } from '../../../testing/faults/delivery-faults.js';
import { fault } from '../../../testing/faults/fault.js';
import type { FaultRequest } from '../../../testing/faults/match.js';
import type { EmulatorEvent } from '../../../testing/market/events.js';
import { finding, type Finding } from '../findings.js';
import { pause, sleep } from '../../../core/time/sleep.js';
import { waitUntil } from '../wait-until.js';
import { NotExercised, placedOrder, type Case, type Scene } from '../case.js';
import { arm } from '../stage.js';
import { otherBytesOf, type Webhook } from '../webhook.js';
import {
  answer,
  backdate,
  deliverAgain,
  deliveredEvent,
  deliveriesOf,
  emit,
  eventsTried,
  harmMs,
  refusedGenuine,
  rightAnswer,
  wasDelivered,
} from './deliveries.js';
import { forge } from './forged.js';

/** Longer than a client repeats a read by itself. */
const unreadableMs = 3_000;

/** A program that has not read the history within this time may read it when it starts. */
const historyWithinMs = unreadableMs + 1_000;

/** Long enough for the delivery of an event on a loaded machine. */
const inFlightMs = 4_000;

/** The order was refunded, which the partner reports as `refused`. */
const refunds = {
  needs: ['webhook', 'ask'],
  mustBePlaced: false,
  beliefRule: 'event-handled',
} as const;

export const webhookCases: readonly Case[] = [
  {
    ...refunds,
    name: 'order-cancelled',
    title: 'the service cancels the order, and responds 500 to reads of it for three seconds',
    act: (scene) =>
      afterSale(scene, (id) => {
        failReads(scene, id);
        scene.emulator.admin.cancel(id);
      }),
  },
  {
    ...refunds,
    name: 'cancelled-in-flight',
    title:
      'the order is cancelled while the response to its POST /orders is under way, and order.recorded comes after that',
    arrange({ emulator, sale }) {
      sale.onOrder(fault.latency(inFlightMs), { times: 1 });
      sale.beforeFirstOrder(() =>
        emulator.faults.deliveries.next('outOfOrder', { type: 'order.recorded' }),
      );
      sale.whenRecorded((id) => emulator.admin.cancel(id));
    },
    expect: (scene) => eventsTried(scene, scene.sale).then(() => []),
  },
  {
    ...refunds,
    name: 'delivery-late',
    title: 'the delivery of a refund is late by four seconds; its created_at is six hours ago',
    arrange: (scene) => scene.sale.whenRecorded(() => backdate(scene)),
    // A receiver may refuse what is old, if it reads the history: then the buyer is paid back all the same.
    act: refundUnder({ late: '4 seconds' }, backdate),
  },
  {
    ...refunds,
    name: 'delivery-lost',
    title:
      'the delivery of a refund is lost, that of a later event of another sale arrives, and reads of the refunded order respond 500 for three seconds',
    turn: 'overlapping',
    sells: 2,
    async act(scene) {
      const { sale, sales, emulator, program } = scene;
      await Promise.all(sales.map((sale) => sale.sell()));
      const [refunded = '', other = ''] = await Promise.all(sales.map(placedOrder));
      emulator.faults.deliveries.next('lost', { type: 'order.refunded' });
      failReads(scene, refunded);
      emulator.admin.refund(refunded);
      emulator.admin.startTransfer(other);
      await sale.settle(historyWithinMs);
      if (sale.belief !== 'refused') await program.deploy();
    },
  },
  {
    ...refunds,
    name: 'delivery-doubled',
    title: 'a refund is delivered twice, and then the older event of the sale once more',
    act: refundUnder('twice'),
    async expect(scene) {
      const [recorded] = scene.ledger.eventsOf(scene.sale.payment);
      if (recorded === undefined) throw new NotExercised('the sale has no event to deliver again');
      await deliverAgain(scene, recorded.id);
      const after = `${recorded.type} ${recorded.id} was delivered again`;
      return [...repeatsRefused(scene), ...(await stillRefused(scene, after))];
    },
  },
  {
    ...refunds,
    name: 'delivery-out-of-order',
    title: 'an older event is delivered after the refund',
    async act(scene) {
      const { sale, emulator } = scene;
      await sale.sell();
      const id = await placedOrder(sale);
      // A poll would tell the program of both in their order, before the deliveries do.
      const showHistory = arm(emulator, 'GET /events', fault.latency(inFlightMs));
      emulator.faults.deliveries.next('outOfOrder', { type: 'order.transfer_started' });
      emulator.admin.startTransfer(id);
      emulator.admin.refund(id);
      await eventsTried(scene, sale);
      showHistory();
    },
    expect: (scene) => stillRefused(scene, 'order.transfer_started came after order.refunded'),
  },
  {
    name: 'delivery-forged',
    title: 'deliveries that the service did not sign',
    needs: ['webhook'],
    turn: 'alone',
    expect: forge,
  },
  {
    name: 'raw-body',
    title: 'a signed delivery with other white space, escapes and letters beyond ASCII in its JSON',
    needs: ['webhook'],
    expect: async (scene) => {
      const event = await deliveredEvent(scene);
      const { webhook } = scene as Scene & { readonly webhook: Webhook };
      const body = otherBytesOf(event, webhook);
      const status = await webhook.post(body, webhook.sign(body));
      if (status !== undefined && status >= 200 && status < 300) return [];
      const seen = `${event.type} ${event.id}, signed over its raw bytes, got ${answer(status)}.`;
      const right =
        'compute the signature over the bytes as they arrived, before any decoding, and parse them afterwards.';
      return [finding('genuine-accepted', seen, right)];
    },
  },
  {
    name: 'unknown-type',
    title: 'an event of a type that is not known yet, one without an order, and then a refund',
    needs: ['webhook'],
    turn: 'alone',
    async expect(scene) {
      const { emulator, ledger, program } = scene;
      const unknown = emit(scene, (order) =>
        emulator.admin.emitEvent('order.rehearsed', { order }),
      );
      const right = 'answer 200 to an event of a type that you do not know, and pass over it.';
      const found = await refusedGenuine(scene, unknown, right);
      if (found.length > 0) return found;
      const data = { case_id: 'case_rehearsed' };
      const other = deliveriesOf(
        ledger,
        emulator.admin.emitEvent('brokerage.case_completed', { data }),
      );
      found.push(...(await refusedGenuine(scene, other)));
      // The program may end after its response.
      await pause(harmMs);
      await program.up();
      return found.length > 0 ? found : refundAfter(scene, other.event);
    },
  },
  {
    name: 'slow-service',
    title: 'events come while every read of the service takes six seconds',
    needs: ['webhook'],
    turn: 'alone',
    async expect(scene) {
      const { emulator, ledger, signal } = scene;
      const { admin } = emulator;
      const startedAt = emulator.clock.now();
      const disarm = arm(emulator, ({ method }) => method === 'GET', fault.latency('6 seconds'));
      const moves = ['startTransfer', 'completeTransfer', 'refund'] as const;
      const emitted = moves.map((move) => emit(scene, (id) => admin[move](id)));
      await waitUntil(() => emitted.every(({ attempts }) => attempts().length > 0), 20_000, signal);
      disarm();
      const found = (await Promise.all(emitted.map((each) => refusedGenuine(scene, each)))).flat();
      // A receiver that is always slow still has earlier events to take, and this one has to wait.
      const [late] = ledger.lateDeliveriesSince(startedAt);
      if (late === undefined) return found;
      const seen = `The delivery of ${late.type} ${late.eventId} got ${String(late.error)}.`;
      return [finding('answers-in-5-s', seen, rightAnswer), ...found];
    },
  },
];

/** An event that a program cannot read must not keep it from the next. */
async function refundAfter(scene: Scene, { id, type }: EmulatorEvent): Promise<Finding[]> {
  const { sale, emulator, commands, patienceMs, signal } = scene;
  if (!commands.canAsk) return [];
  const { event } = emit(scene, (order) => emulator.admin.refund(order));
  const isRefused = async () => (await sale.askAgain()) === 'refused';
  if (await waitUntil(isRefused, patienceMs, signal)) return [];
  const seen = `${type} ${id}, which has no order in its data, came before order.refunded ${event.id}, and --ask says ${String(sale.belief)}.`;
  const right =
    'pass over an event that you do not handle before you read its data; one event must not keep you from the next.';
  return [finding('event-handled', seen, right)];
}

/** Reads of an order fail for a while. */
function failReads({ emulator, signal }: Scene, publicId: string): void {
  const isRead = ({ method, path }: FaultRequest) =>
    method === 'GET' && path.endsWith(`/orders/${publicId}`);
  const disarm = arm(emulator, isRead, fault.internalError());
  void sleep(unreadableMs, signal).then(disarm);
}

async function afterSale({ sale }: Scene, act: (publicId: string) => unknown): Promise<void> {
  await sale.sell();
  act(await placedOrder(sale));
}

/** Sells, then refunds the order under a fault of that delivery. */
function refundUnder(
  deliveryFault: DeliveryFault,
  then: (scene: Scene) => void = () => undefined,
): (scene: Scene) => Promise<void> {
  return (scene) =>
    afterSale(scene, (id) => {
      scene.emulator.faults.deliveries.next(deliveryFault, { type: 'order.refunded' });
      scene.emulator.admin.refund(id);
      then(scene);
    });
}

/** A program that has handled an event and refuses it when it comes again is delivered to in vain. */
function repeatsRefused({ sale }: Scene): Finding[] {
  return sale.events.flatMap(({ event, attempts }) => {
    const first = attempts.findIndex(wasDelivered);
    const refused = attempts
      .slice(first + 1)
      .find((attempt) => first >= 0 && attempt.status !== undefined && !wasDelivered(attempt));
    if (refused === undefined) return [];
    const seen = `${event.type} ${event.id} was answered 200, came again, and got ${answer(refused.status)}.`;
    return [finding('event-handled-once', seen, 'answer 200 to what is handled already.')];
  });
}

async function stillRefused(scene: Scene, after: string): Promise<Finding[]> {
  const { sale } = scene;
  if (sale.belief !== 'refused') return [];
  await eventsTried(scene, sale);
  await pause(harmMs);
  const belief = await sale.askAgain();
  if (belief === 'refused') return [];
  const seen = `${sale.payment} was refused; ${after}, and now it is ${String(belief)}.`;
  const right = 'a refund is the end of a sale. No event that comes after it changes that.';
  return [finding('event-handled-once', seen, right, sale.requests)];
}
