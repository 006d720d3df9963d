/** `reachVerdict`: sends and looks up as `decideVerdict` asks, until there is a verdict. */

import { decideVerdict, type AttemptResult, type Verdict } from './decide-verdict.js';
import { matchOrders, type LookUp, type OrderPage, type Sale } from './match-orders.js';

export { idempotencyWindowMs } from '../assumptions.js';

/** A sale, what is known of it, and the three effects that ending it needs. */
export interface SaleToEnd {
  readonly sale: Sale;
  readonly mayHaveBeenSent: boolean;
  readonly keyIsOld: boolean;
  /** Sends the order with its key. */
  readonly send: () => PromiseLike<unknown>;
  /** Reads every order of the sale's domain. */
  readonly listOrders: () => { pages(): AsyncIterable<OrderPage> };
  readonly sleep: (ms: number) => PromiseLike<unknown>;
}

/** Ends a sale, or says why it stays open. Rejects only where `sleep` rejects: an abort. */
export async function reachVerdict(toEnd: SaleToEnd): Promise<Verdict> {
  const { mayHaveBeenSent, keyIsOld } = toEnd;
  let attempt: AttemptResult | undefined;
  let lookUps: readonly LookUp[] = [];
  for (;;) {
    const step = decideVerdict({ attempt, mayHaveBeenSent, keyIsOld, lookUps });
    if (step.state === 'send') {
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

async function lookUp({ sale, listOrders }: SaleToEnd): Promise<LookUp> {
  const pages: OrderPage[] = [];
  try {
    for await (const page of listOrders().pages()) pages.push(page);
  } catch (error) {
    return { state: 'failed', error };
  }
  return matchOrders(sale, pages);
}
