/** judgeSale: what must hold for every sale, whatever the case. */

import { finding, timeOf, type Finding, type SeenRequest } from './findings.js';
import type { RuleName } from './rules.js';
import type { Sale } from './sale.js';
import { isOld } from './webhook.js';
import type { DeliveryAttempt } from '../../testing/deliveries/delivery-attempt.js';

/** One repeat by the program, and one by whatever checks on failed calls, are not a loop. */
const mostRepeatsOfARefusal = 2;

const mostInASecond = 30;
const shownOfALoop = 5;

/** The Retry-After of every 429 of a rehearsal. */
export const retryAfterSeconds = 2;

/** Retry-After is in whole seconds; a timer may be a little early. */
const toleratedEarlyMs = 50;

const rightPrice =
  'compare the new price with what was paid, in whole cents; if it is more by a single one, pay the buyer back. Send it as expected_price: an order without one can cost any.';
const ownKey = 'each payment has a key of its own, such as its id.';
const rightKey =
  'store the key with the payment before the first attempt, let one worker at a time send it, and send the same one again.';

export interface SaleQuestions {
  /** Whether `--ask` was passed. */
  readonly canAsk: boolean;
  /** Whether an order is possible, so that without `--ask` its absence is a failure. */
  readonly mustBePlaced: boolean | 'always';
}

export function judgeSale(sale: Sale, questions: SaleQuestions): Finding[] {
  // What was sent comes first: it is the cause of what the orders and the belief show.
  return [
    ...judgeKeys(sale),
    ...judgeBodies(sale),
    ...judgePrices(sale),
    ...judgeSigning(sale.requests),
    ...judgeRetryAfter(sale.orderRequests),
    ...judgeOrders(sale, questions),
    ...judgePaidBack(sale),
    ...judgeRefusals(sale.orderRequests),
    ...judgeLoops(sale.orderRequests),
  ];
}

function judgeOrders(sale: Sale, { canAsk, mustBePlaced }: SaleQuestions): Finding[] {
  const { domain, payment, orders, orderRequests, paidCents, belief, told } = sale;
  if (orders.length > 1) {
    const ids = orders.map(({ publicId }) => publicId).join(' and ');
    const seen = `${payment} has ${orders.length} orders: ${ids}.${told}`;
    return [finding('one-order', seen, rightKey, orderRequests)];
  }
  const [order] = orders;
  const found: Finding[] = [];
  if (order !== undefined && order.priceCents > paidCents) {
    const isUnstated = orderRequests.some(({ expectedPrice }) => expectedPrice === undefined);
    const stated = isUnstated ? ', and POST /orders stated no expected_price' : '';
    const seen = `The buyer paid ${paidCents} for ${domain}, and the order ${order.publicId} is over ${order.priceCents}${stated}.`;
    found.push(finding('paid-price', seen, rightPrice, orderRequests));
  }
  const wrong = canAsk ? whyNotTheTruth(sale) : undefined;
  if (wrong !== undefined) found.push(wrong);
  const last = orderRequests.at(-1);
  const isUnanswered = last !== undefined && !isRefusal(last);
  if (mustBePlaced === 'always' && belief === 'refused' && orders.length === 0 && isUnanswered) {
    const seen = `${whyNoOrder(sale)} --ask says refused.`;
    const right = 'this is no answer to the order, so send it again under the same key.';
    found.push(finding('no-answer', seen, right, orderRequests));
  }
  if (!canAsk && mustBePlaced && order === undefined) {
    const seen = `${payment} has no order, and without --ask nothing says that the buyer was paid back.`;
    found.push(finding('one-order', seen, nextStep(sale), orderRequests));
  }
  return found;
}

/** What `--ask` says of the money. A placed sale may give back what the order cost less. */
function judgePaidBack(sale: Sale): Finding[] {
  const { payment, paidCents, paidBackCents: cents, belief, standingOrders } = sale;
  if (cents === undefined) return [];
  const least = belief === 'refused' ? paidCents : 0;
  const owed = belief === 'placed' ? (standingOrders[0]?.priceCents ?? 0) : 0;
  const most = Math.max(paidCents - owed, 0);
  if (cents >= least && cents <= most) return [];
  const seen = `The buyer of ${payment} paid ${paidCents}, and --ask says ${belief ?? 'nothing'} with ${cents} paid back.`;
  const right =
    cents < least
      ? 'pay all of it back, and say refused once that is done.'
      : 'store the refund under the payment before you make it, and give its id to your payment provider as the idempotency key. Then it is made once, whatever comes again.';
  return [finding('paid-back-once', seen, right, sale.requests)];
}

function whyNotTheTruth(sale: Sale): Finding | undefined {
  const { belief, standingOrders, orderRequests, asked, told } = sale;
  const [standing] = standingOrders;
  const truth = standing === undefined ? whyNoOrder(sale) : whyAnOrder(sale, standing.publicId);
  const found = (rule: RuleName, said: string, right: string) =>
    finding(rule, `${truth} ${said}`, right, orderRequests);
  switch (belief) {
    case 'placed':
      if (standing !== undefined) return undefined;
      return found('believes-the-truth', '--ask says placed.', payBack(sale));
    case 'refused':
      if (standing === undefined) return undefined;
      return found(
        'one-order',
        `--ask says refused: the buyer is paid back, and you owe the order.${noRefund(sale)}${refusedRefund(sale)}${told}`,
        'pay back only after a refusal of the service itself, a refund that it confirmed, or proof that no order exists.',
      );
    case 'open':
      return found('comes-to-an-end', '--ask still says open.', nextStep(sale));
    case undefined: {
      const how = `--ask does not know the payment, and ended with ${asked?.how ?? 'nothing'}.`;
      return found('comes-to-an-end', how, nextStep(sale));
    }
  }
}

function payBack(sale: Sale): string {
  if (sale.orders.length === 0) {
    return 'only a 201 with the order is placed; else look it up by its domain, and place it or pay the buyer back.';
  }
  const refund = sale.events.findLast(({ event }) => event.type === 'order.refunded');
  const since = Date.parse(refund?.event.created_at ?? '');
  const failed = sale.failedReadSince(since);
  const why = failed?.reason === undefined ? '' : ` (${failed.reason})`;
  const read =
    failed &&
    ` ${failed.call} got ${responseOf(failed)}${why} at ${timeOf(failed.at)}, which says nothing. Read again.`;
  if (refund?.attempts.some(({ at }) => isOld(refund.event, at)) === true) {
    return 'handle an event however long ago it was created, since the service delivers it late, and again.';
  }
  const right =
    refund?.attempts.every(({ outcome }) => outcome === 'lost') === true
      ? 'read the history now and then and after each start: each event of each page, from a cursor that only the history moves, and only once the events before it are handled.'
      : 'handle order.refunded before you answer 200, also before you know the order and after its other events: pay the buyer back. No older event changes that.';
  return `${right} The type order.refunded says it, whatever the status.${read ?? ''}`;
}

/** An event that a program may take for a refund. */
function noRefund({ events }: Sale): string {
  const last = events.at(-1)?.event;
  if (last === undefined || last.type === 'order.recorded') return '';
  return ` Its last event is ${last.type} ${last.id}, which is no refund.`;
}

/** A refund that the service refused, which a program may take for one that was done. */
function refusedRefund({ requests }: Sale): string {
  const last = requests.findLast(({ call }) => call === 'POST /refunds');
  if (last === undefined || (last.status !== undefined && last.status < 400)) return '';
  return ` POST /refunds got ${responseOf(last)} at ${timeOf(last.at)}: nothing was refunded.`;
}

function nextStep({ results, standingOrders, orderRequests, requests, prices }: Sale): string {
  if (standingOrders.length > 0) {
    return 'store the payment before you confirm it; until you have stored its order, send that again under its key or look it up by its domain, also after each start.';
  }
  const last = orderRequests.at(-1) ?? requests.at(-1);
  if (last?.errorCode === 'invalid_timestamp') {
    return 'sign with the time of the service, which the Date of its response has, and correct it again when it changes.';
  }
  if (last === undefined || orderRequests.length === 0) {
    return results.some(({ isOk }) => isOk)
      ? 'store the payment before you confirm it, and work on what is stored until its end, after each start and whatever failed before.'
      : 'go on with the payment until it is placed or paid back, also when no one asks again.';
  }
  if (isRefusal(last)) {
    return ['quote_expired', 'price_mismatch'].includes(last.errorCode ?? '')
      ? `take a new quote, order at its price (${prices.at(-1)}; expected_price was ${JSON.stringify(last.expectedPrice)}) under a new key if it is at most what was paid, and else pay the buyer back.`
      : 'the service has refused the order for good, so pay the buyer back.';
  }
  return last.status === 409
    ? 'a 409 says that the key had another body. Send what you stored with it, and give a new quote a new key.'
    : 'send the order again under its key until the service itself answers, also after a start.';
}

/** What the service did last of the order, and what became of the news. */
function whyNoOrder({ events, orderRequests, requests, orders, domain }: Sale): string {
  const last = orderRequests.at(-1);
  const lastCall = requests.at(-1);
  if (orders.length === 0) {
    if (last === undefined) {
      const before =
        lastCall && `: ${lastCall.call} got ${responseOf(lastCall)} at ${timeOf(lastCall.at)}`;
      return `No POST /orders of ${domain} came${before ?? ''}.`;
    }
    return `POST /orders of ${domain} got ${responseOf(last)} at ${timeOf(last.at)}, and no order exists.`;
  }
  const ended = events.findLast(({ event }) => event.type === 'order.refunded');
  if (ended === undefined) return `The order of ${domain} has ended.`;
  const { event, attempts } = ended;
  const { status } = event.data.order as { readonly status: string };
  const time = timeOf(Date.parse(event.created_at));
  return `The service refunded ${orders[0]?.publicId ?? domain} at ${time} (${event.type} ${event.id}, status ${status}, ${deliveryOf(attempts)}).`;
}

function deliveryOf(attempts: readonly DeliveryAttempt[]): string {
  const last = attempts.find(({ outcome }) => outcome === 'delivered') ?? attempts.at(-1);
  if (last === undefined) return 'not delivered, so only the history has it';
  if (last.outcome === 'lost') return 'its delivery was lost, so only the history has it';
  const [what, how] =
    last.outcome === 'delivered' ? ['delivered', 'answered'] : ['its delivery was refused', 'got'];
  return `${what} at ${timeOf(last.at)}, ${how} ${last.status ?? String(last.error)}`;
}

function whyAnOrder({ orderRequests }: Sale, publicId: string): string {
  const sent = orderRequests
    .slice(0, 3)
    .map((request) => `${timeOf(request.at)} ${responseOf(request)}`);
  return `The service has the order ${publicId} (POST /orders: ${sent.join(', ')}).`;
}

/** A second key is right only after the service itself refused the first. */
function judgeKeys(sale: Sale): Finding[] {
  const { orderRequests: requests, sharedKeys, domain, told } = sale;
  const [shared] = sharedKeys;
  if (shared !== undefined) {
    const seen = `POST /orders of ${domain} had the key of the order of ${shared[1]}.`;
    return [finding('one-key', seen, ownKey, requests)];
  }
  const [first, ...later] = [...new Set(requests.map(({ key }) => key))];
  let previous = first;
  for (const key of later) {
    const since = requests.findIndex((request) => request.key === key);
    const before = requests.slice(0, since).filter((request) => request.key === previous);
    const verdict = before.at(-1);
    if (verdict === undefined || !isRefusal(verdict)) {
      const reason =
        verdict === undefined ? 'nothing came before it' : `the first got ${responseOf(verdict)}`;
      const other = key === undefined ? 'no key' : 'another key';
      const seen = `POST /orders had ${other} the second time, though ${reason}.${told}`;
      return [finding('one-key', seen, rightKey, requests)];
    }
    previous = key;
  }
  return [];
}

/** The service knows a key by its body, and gives 409 to another one. */
function judgeBodies({ orderRequests: requests, told }: Sale): Finding[] {
  for (const [at, request] of requests.entries()) {
    const first = requests.slice(0, at).find(({ key }) => key === request.key);
    if (first === undefined || first.body === request.body) continue;
    if (isRefusal(first) && request.status !== 409) continue;
    const right = isRefusal(first)
      ? 'the first was refused, so a new quote is another order, with a new key.'
      : 'store the body with the key, and send it again as it was.';
    const seen = `POST /orders had a key with one body, and then with another, which got ${responseOf(request)}.${told}`;
    return [finding('one-key', seen, right, [first, request])];
  }
  return [];
}

/** The service refuses every price that is not its own, and an order without one can cost any. */
function judgePrices({ orderRequests: requests, prices, domain }: Sale): Finding[] {
  const wrong = requests.find(
    ({ expectedPrice }) => expectedPrice !== undefined && !prices.includes(expectedPrice as number),
  );
  if (wrong === undefined) return [];
  const sent = JSON.stringify(wrong.expectedPrice);
  const seen = `POST /orders of ${domain} had expected_price ${sent}, and the price was ${prices.join(', then ')} cents.`;
  const right = 'store price_cents of the quote as it is, a whole number, and send that.';
  return [finding('exact-price', seen, right, [wrong])];
}

/** @param requests - of a sale, or those about no domain */
export function judgeSigning(requests: readonly SeenRequest[]): Finding[] {
  const wrong = requests.find(({ signing }) => signing !== undefined);
  if (wrong === undefined) return [];
  const seen = `${wrong.call} ${wrong.signing}, and got ${responseOf(wrong)}.`;
  const right = 'sign each attempt with the time and a nonce that never comes again.';
  return [finding('new-nonce', seen, right, requests)];
}

function judgeRefusals(requests: readonly SeenRequest[]): Finding[] {
  for (const [at, refused] of requests.entries()) {
    if (!isRefusal(refused)) continue;
    const repeats = requests.slice(at + 1).filter(({ key }) => key === refused.key);
    if (repeats.length <= mostRepeatsOfARefusal) continue;
    const seen = `POST /orders was refused with ${refused.status} ${refused.errorCode ?? ''}, and sent ${repeats.length} times more under the same key.`;
    const right = 'a refusal is the answer. Take a new quote, or pay the buyer back.';
    return [finding('refusal-stands', seen, right, [refused, ...repeats])];
  }
  return [];
}

/** A loop without a pause sends hundreds; a program with several jobs and a client that repeats sends a few. */
function judgeLoops(requests: readonly SeenRequest[]): Finding[] {
  const failed = requests.filter(({ status }) => (status ?? 500) >= 500);
  for (const [at, first] of failed.entries()) {
    const last = failed[at + mostInASecond];
    if (last === undefined || last.at - first.at > 1_000) continue;
    const seen = `POST /orders was sent more than ${mostInASecond} times within a second of ${timeOf(first.at)}, while the service was failing, and ${failed.length} times in all.`;
    const right = 'wait before each repeat, twice as long each time, up to some seconds.';
    return [finding('backs-off', seen, right, failed.slice(at, at + shownOfALoop))];
  }
  return [];
}

function judgeRetryAfter(requests: readonly SeenRequest[]): Finding[] {
  for (const [at, limited] of requests.entries()) {
    const next = requests[at + 1];
    if (limited.status !== 429 || next === undefined) continue;
    const waitedMs = next.at - limited.at;
    if (waitedMs >= retryAfterSeconds * 1_000 - toleratedEarlyMs) continue;
    const seen = `POST /orders got a 429 with Retry-After: ${retryAfterSeconds}, and was sent again after ${waitedMs} ms.`;
    const right = 'send nothing before so many seconds have passed, for any sale.';
    return [finding('retry-after', seen, right, [limited, next])];
  }
  return [];
}

function responseOf({ status, errorCode, lateMs }: SeenRequest): string {
  if (status === undefined || lateMs === Infinity) return 'no response';
  const late = lateMs >= 1_000 ? `after ${lateMs / 1_000} s` : '';
  return [status, errorCode ?? '', late].filter(Boolean).join(' ');
}

/** The service has refused this key: it has no order, and will have none. */
function isRefusal({ status, errorCode, faults }: SeenRequest): boolean {
  const isJudged = status === 400 || status === 404 || status === 422;
  // The emulator's quotes hold their price, so the case of a mismatch is a fault.
  return isJudged && (!faults.includes('response') || errorCode === 'price_mismatch');
}
