/** judgeSale: what must hold for every sale, whatever the case. */

import { finding, type Finding, type SeenRequest } from './findings.js';
import type { Sale } from './sale.js';

/** One repeat by the program, and one by whatever checks on failed calls, are not a loop. */
const mostRepeatsOfARefusal = 2;

/** The Retry-After of every 429 of a rehearsal. */
export const retryAfterSeconds = 2;

/** Retry-After is in whole seconds; a timer may be a little early. */
const toleratedEarlyMs = 50;

export interface SaleQuestions {
  /** Whether `--ask` was passed. */
  readonly canAsk: boolean;
  /** Whether an order is possible, so that without `--ask` its absence is a failure. */
  readonly mustBePlaced: boolean;
}

export function judgeSale(sale: Sale, questions: SaleQuestions): Finding[] {
  return [
    ...judgeOrders(sale, questions),
    ...judgeKeys(sale.orderRequests),
    ...judgeRefusals(sale.orderRequests),
    ...judgeRetryAfter(sale.orderRequests),
  ];
}

function judgeOrders(sale: Sale, { canAsk, mustBePlaced }: SaleQuestions): Finding[] {
  const { domain, payment, belief, orders, standingOrders, orderRequests, paidCents } = sale;
  if (orders.length > 1) {
    const ids = orders.map(({ publicId }) => publicId).join(' and ');
    return [finding('one-order', `${payment} has ${orders.length} orders: ${ids}.`, orderRequests)];
  }
  const [order] = orders;
  const found: Finding[] = [];
  if (order !== undefined && order.priceCents > paidCents) {
    const seen = `The buyer paid ${paidCents} for ${domain}, and the order ${order.publicId} is over ${order.priceCents}.`;
    found.push(finding('paid-price', seen, orderRequests));
  }
  const wrong = canAsk ? whyNotTheTruth(belief, standingOrders[0]?.publicId, payment) : undefined;
  if (wrong !== undefined) found.push(finding(...wrong, orderRequests));
  if (!canAsk && mustBePlaced && order === undefined) {
    const seen = `${payment} has no order, and without --ask nothing says that the buyer was paid back.`;
    found.push(finding('one-order', seen, orderRequests));
  }
  return found;
}

function whyNotTheTruth(
  belief: Sale['belief'],
  standing: string | undefined,
  payment: string,
): [rule: 'comes-to-an-end' | 'believes-the-truth' | 'one-order', seen: string] | undefined {
  const order = standing === undefined ? 'no order stands' : `the order ${standing} stands`;
  switch (belief) {
    case 'placed':
      if (standing !== undefined) return undefined;
      return ['believes-the-truth', `The partner says that ${payment} is placed, and ${order}.`];
    case 'refused':
      if (standing === undefined) return undefined;
      return ['one-order', `The partner says that ${payment} is refused, and ${order}.`];
    case 'open':
      return ['comes-to-an-end', `The partner still says that ${payment} is open, and ${order}.`];
    case undefined:
      return ['comes-to-an-end', `--ask could not be read for ${payment}, and ${order}.`];
  }
}

/** A second key is right only after the service itself refused the first. */
function judgeKeys(requests: readonly SeenRequest[]): Finding[] {
  const [first, ...later] = [...new Set(requests.map(({ key }) => key))];
  let previous = first;
  for (const key of later) {
    const since = requests.findIndex((request) => request.key === key);
    const before = requests.slice(0, since).filter((request) => request.key === previous);
    const verdict = before.at(-1);
    if (verdict === undefined || !isRefusal(verdict)) {
      const reason =
        verdict?.status === undefined
          ? 'the response to the first was lost'
          : `the first got ${verdict.status}`;
      const seen = `POST /orders had the key ${String(key)} after ${String(previous)}, though ${reason}.`;
      return [finding('one-key', seen, requests)];
    }
    previous = key;
  }
  return [];
}

function judgeRefusals(requests: readonly SeenRequest[]): Finding[] {
  for (const [at, refused] of requests.entries()) {
    if (!isRefusal(refused)) continue;
    const repeats = requests.slice(at + 1).filter(({ key }) => key === refused.key);
    if (repeats.length <= mostRepeatsOfARefusal) continue;
    const seen = `POST /orders was refused with ${refused.status} ${refused.errorCode ?? ''}, and sent ${repeats.length} times more under the same key.`;
    return [finding('refusal-stands', seen, [refused, ...repeats])];
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
    return [finding('retry-after', seen, [limited, next])];
  }
  return [];
}

/** The service has refused this key: it has no order, and will have none. */
function isRefusal({ status, faults }: SeenRequest): boolean {
  const isJudged = status === 400 || status === 404 || status === 422;
  return isJudged && !faults.includes('response');
}
