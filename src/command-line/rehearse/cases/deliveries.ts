/** Events of a sale and the attempts to deliver them. */

import type { DeliveryAttempt } from '../../../testing/deliveries/delivery-attempt.js';
import type { EmulatorEvent } from '../../../testing/market/events.js';
import { NotExercised, type Scene } from '../case.js';
import { finding, type Finding } from '../findings.js';
import type { Ledger } from '../ledger.js';
import type { RuleName } from '../rules.js';
import type { Sale } from '../sale.js';
import { waitUntil } from '../wait-until.js';

/** A delivery waits for its turn behind those that got no response. */
const turnMs = 20_000;

/** How long a delivery may take to do harm. */
export const harmMs = 1_000;

/** A receiver may refuse an event of an order that it does not know yet, but not so often. */
const triesOfFirst = 4;

/** Longer than any tolerance of a receiver that takes an old event for a repeated one. */
const undeliveredMs = 6 * 3_600_000;

const signRight =
  'its signature is the HMAC-SHA256 of the raw body with MARKET_WEBHOOK_SECRET, in lower-case hexadecimal, without "v1=".';

export const rightAnswer = 'store the event, answer 200 within 5 seconds, and handle it then.';

export interface Emitted {
  readonly event: EmulatorEvent;
  readonly attempts: () => readonly DeliveryAttempt[];
}

export function emit({ sale, ledger }: Scene, act: (publicId: string) => unknown): Emitted {
  const [order] = sale.standingOrders;
  if (order === undefined) throw new NotExercised(`${sale.payment} has no order`);
  act(order.publicId);
  return deliveriesOf(ledger, ledger.eventsOf(sale.payment).at(-1));
}

export function deliveriesOf(ledger: Ledger, event: EmulatorEvent | undefined): Emitted {
  if (event === undefined) throw new NotExercised('the sale has no event to deliver');
  return { event, attempts: () => ledger.deliveriesOf(event.id) };
}

/** Waits for a 200 as long as patience lasts. */
export async function refusedGenuine(
  { patienceMs, signal }: Scene,
  emitted: Emitted,
  right?: string,
): Promise<Finding[]> {
  if (await waitUntil(() => emitted.attempts().some(wasDelivered), patienceMs, signal)) return [];
  return [notTaken('genuine-accepted', emitted, right)];
}

/** What became of the deliveries of an event, none of which was answered 200. */
function notTaken(rule: RuleName, { event, attempts }: Emitted, right?: string): Finding {
  const last = attempts().at(-1);
  const how = last === undefined ? 'was not delivered' : `got ${last.error ?? answer(last.status)}`;
  const isRefused = [400, 401, 403].includes(last?.status ?? 0);
  const seen = `${event.type} ${event.id} ${how}, in ${attempts().length} attempts.`;
  return finding(rule, seen, right ?? (isRefused ? signRight : rightAnswer));
}

/** What is wrong with a receiver that takes no delivery at all: the cases of deliveries would wait in vain. */
export async function refusedAll({
  sale,
  ledger,
  signal,
  webhook,
}: Scene): Promise<readonly Finding[]> {
  const [event] = ledger.eventsOf(sale.payment);
  if (webhook === undefined || event === undefined) return [];
  const attempts = () => ledger.deliveriesOf(event.id);
  const isDecided = () => attempts().some(wasDelivered) || attempts().length >= triesOfFirst;
  await waitUntil(isDecided, 2 * turnMs, signal);
  if (attempts().length < triesOfFirst || attempts().some(wasDelivered)) return [];
  const isSilent = attempts().at(-1)?.status === undefined;
  const rule = isSilent ? 'answers-in-5-s' : 'genuine-accepted';
  return [notTaken(rule, { event, attempts })];
}

/** The event of the sale, once the receiver has taken it: one that refuses everything proves nothing. */
export async function deliveredEvent(scene: Scene): Promise<EmulatorEvent> {
  const emitted = deliveriesOf(scene.ledger, scene.ledger.eventsOf(scene.sale.payment)[0]);
  const [refused] = await refusedGenuine(scene, emitted);
  if (refused !== undefined) throw new NotExercised(refused.seen);
  return emitted.event;
}

/** Waits until every event of a sale was delivered, or tried for long enough. */
export async function eventsTried(
  { ledger, signal, webhook }: Scene,
  { payment }: Sale,
): Promise<void> {
  if (webhook === undefined) return;
  const areTried = () =>
    ledger.eventsOf(payment).every(({ id }) => ledger.deliveriesOf(id).length > 0);
  await waitUntil(areTried, turnMs, signal);
}

/** A service that could not deliver for hours: the latest event of the sale was created so long ago. */
export function backdate({ ledger, sale }: Scene): void {
  const event: { created_at: string } | undefined = ledger.eventsOf(sale.payment).at(-1);
  if (event === undefined) return;
  event.created_at = new Date(Date.parse(event.created_at) - undeliveredMs).toISOString();
}

/** Delivers an event once more, and waits for its turn. */
export async function deliverAgain({ emulator, ledger, signal }: Scene, id: string): Promise<void> {
  const before = ledger.deliveriesOf(id).length;
  emulator.admin.deliverAgain(id);
  await waitUntil(() => ledger.deliveriesOf(id).length > before, turnMs, signal);
}

export function wasDelivered({ outcome }: DeliveryAttempt): boolean {
  return outcome === 'delivered';
}

export function answer(status: number | undefined): string {
  return status === undefined ? 'no response' : `status ${status}`;
}
