/** `reachVerdict`: sends and looks up as `decideVerdict` asks, until there is a result. */

import type { Order, OrderInput } from '../model/orders.js';
import type { ListPage } from './absence-proof.js';
import { isOtherDomain } from './compare-fields.js';
import { compareOrder } from './compare-order.js';
import { decideVerdict, type AttemptResult, type Verdict } from './decide-verdict.js';
import { matchOrders, type LookUp } from './match-orders.js';
import { readList } from './read-list.js';

/** For the outbox, which imports nothing else of the client. */
export { idempotencyWindowMs, isOldKey, lookUpDeadlineMs } from '../assumptions.js';

/** Reads one page of the orders of a domain: `orders.list`. */
type ReadOrders = (
  filters: { readonly domain: string; readonly cursor?: string },
  options: { readonly deadlineMs: number },
) => PromiseLike<ListPage<Order>>;

/** A sale, what is known about it, and the effects that are needed to end it. */
export interface SaleToEnd {
  /** The order of the sale, in its final form: a domain in lower-case ASCII, a currency in upper case. */
  readonly input: OrderInput;
  /** What `send` sends: a requote has another price. */
  readonly sent: OrderInput;
  /** Whether a request of this sale may have reached the service before. */
  readonly mayHaveBeenSent: boolean;
  readonly keyIsOld: boolean;
  readonly send: () => PromiseLike<unknown>;
  readonly readOrders: ReadOrders;
  /** For all pages of a look-up together, by the clock `nowMs`. */
  readonly lookUpDeadlineMs: number;
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => PromiseLike<unknown>;
}

/** Ends a sale, or says why it stays open. Rejects only if `sleep` rejects: on an abort. */
export async function reachVerdict(toEnd: SaleToEnd): Promise<Verdict> {
  const { sent, mayHaveBeenSent, keyIsOld } = toEnd;
  let attempt: AttemptResult | undefined;
  let lookUps: readonly LookUp[] = [];
  let isAskedAgain = false;
  for (;;) {
    const known = { sent, attempt, mayHaveBeenSent, keyIsOld, isAskedAgain, lookUps };
    const step = decideVerdict(known);
    if (step.state === 'send' || step.state === 'ask_again') {
      isAskedAgain = step.state === 'ask_again';
      if (step.state === 'ask_again') await toEnd.sleep(step.afterMs);
      attempt = await send(toEnd);
      lookUps = [];
    } else if (step.state === 'look_up') {
      if (step.afterMs > 0) await toEnd.sleep(step.afterMs);
      lookUps = [...lookUps, await lookUp(toEnd)];
    } else {
      return step;
    }
  }
}

async function send(toEnd: SaleToEnd): Promise<AttemptResult> {
  try {
    return { order: await toEnd.send() };
  } catch (error) {
    return { error };
  }
}

async function lookUp(toEnd: SaleToEnd): Promise<LookUp> {
  const { input, readOrders, nowMs, lookUpDeadlineMs: deadlineMs } = toEnd;
  const { domain } = input;
  try {
    const reading = await readList<Order>({
      noun: 'orders',
      readPage: (cursor, leftMs) =>
        readOrders(cursor === undefined ? { domain } : { domain, cursor }, { deadlineMs: leftMs }),
      isForeign: (order) => isOtherDomain(order.domain, domain),
      keep: (order) => compareOrder(input, order) !== 'other',
      nowMs,
      deadlineMs,
    });
    return matchOrders(input, reading);
  } catch (error) {
    return { state: 'failed', error };
  }
}
