/** Cases of the sale itself: prices, quotes, buyers. */

import { fault } from '../../../testing/faults/fault.js';
import type { FaultRequest } from '../../../testing/faults/match.js';
import { finding } from '../findings.js';
import type { Sale } from '../sale.js';
import { pause } from '../../../core/time/sleep.js';
import { arm } from '../stage.js';
import { refusedAll } from './deliveries.js';
import { waitUntil } from '../wait-until.js';
import { placedOrder, type Case, type Scene } from '../case.js';

/** Longer than the two callbacks are apart. */
const slowQuoteMs = 600;

/** The sale without a fault. If it fails, nothing can be said about the others. */
export const plainSale: Case = {
  name: 'plain-sale',
  title: 'a sale without a fault',
  turn: 'alone',
  async act({ sale, signal }) {
    const { isOk } = await sale.sell();
    const hasBegun = () => sale.requests.length > 0;
    // A command that reaches no program would otherwise be waited for as long as patience lasts.
    if (!isOk && !(await waitUntil(hasBegun, 3_000, signal))) sale.giveUp();
  },
  expect: refusedAll,
};

export const sellingCases: readonly Case[] = [
  {
    name: 'impatient-buyer',
    title: 'the same payment three times: twice at once, and again after its end; quotes are slow',
    arrange({ sale }) {
      // A second worker on the same payment then takes a quote of its own.
      sale.onCalls('POST /quotes', fault.latency(slowQuoteMs), { times: 2 });
      sale.onOrder(fault.latency('1 second'), { times: 1 });
    },
    async act({ sale }) {
      await Promise.all([sale.sell(), pause(100).then(() => sale.sell())]);
      await placedOrder(sale);
      await sale.sell();
    },
  },
  {
    name: 'odd-price',
    title:
      'a price with cents that are lost where it is counted in units: 512.05 * 100 is 51204.99…',
    hasOddPrice: true,
    mustBePlaced: 'always',
  },
  {
    name: 'price-rose',
    title: 'the price rose above 1,000.00 and the quote expired before the order',
    mustBePlaced: false,
    gainsDigit: true,
    arrange: (scene) => moveThePrice(scene, 1.1),
  },
  {
    name: 'price-fell',
    title:
      'the price fell and the quote expired before the order; the response to the next order is lost',
    mustBePlaced: false,
    arrange(scene) {
      moveThePrice(scene, 0.9);
      loseNextResponse(scene);
    },
  },
  {
    name: 'quote-expired',
    title: 'the quote expired before the order, at the same price',
    mustBePlaced: false,
    arrange: (scene) => moveThePrice(scene, 1),
  },
  {
    name: 'price-mismatch',
    title: 'the price rose by a cent, and the service refuses the order with price_mismatch',
    mustBePlaced: false,
    arrange({ sale, emulator }) {
      const { paidCents, domain } = sale;
      sale.beforeFirstOrder(() => sale.reprice(paidCents + 1));
      const isAtOldPrice = ({ endpoint, json }: FaultRequest) => {
        const order = Object(json) as { domain?: unknown; expected_price?: unknown };
        return (
          endpoint === 'POST /orders' &&
          order.domain === domain &&
          order.expected_price === paidCents
        );
      };
      arm(emulator, isAtOldPrice, fault.status(422));
    },
  },
  {
    name: 'domain-gone',
    title: 'the domain is taken off sale before the order',
    mustBePlaced: false,
    arrange: ({ emulator, sale }) =>
      sale.beforeFirstOrder(() => emulator.admin.delist(sale.domain)),
  },
  {
    name: 'domain-resold',
    title:
      'the order is refunded; the domain is sold to another buyer, whose response is lost, and refunded again',
    needs: ['ask'],
    sells: 2,
    resells: true,
    mustBePlaced: false,
    beliefRule: 'event-handled',
    async act({ sales, emulator }) {
      const [first, second] = sales as [Sale, Sale];
      await first.sell();
      emulator.admin.refund(await placedOrder(first));
      await first.settle();
      // However often a client sends it again, so that the order must be looked up.
      second.onOrder(fault.resetAfterWork(), { times: 4 });
      await second.sell();
    },
    async expect({ sales: [, second], emulator }) {
      const [order] = second?.standingOrders ?? [];
      if (second === undefined || order === undefined || second.belief !== 'placed') return [];
      emulator.admin.refund(order.publicId);
      await second.settle();
      if ((await second.askAgain()) === 'refused') return [];
      const seen = `${second.payment} and a payment before it were for ${second.domain}. The service refunded its order ${order.publicId}, and --ask says ${second.belief}.`;
      const right = 'find the payment of an event by the id of its order, not by the domain.';
      return [finding('event-handled', seen, right, second.requests)];
    },
  },
];

/** The order at the new price is recorded, and no one learns of it: it too has one key. */
function loseNextResponse({ sale }: Scene): void {
  const isAtNewPrice = ({ json }: FaultRequest) => {
    const { expected_price: price } = Object(json) as { expected_price?: unknown };
    return price !== sale.paidCents && price === sale.prices.at(-1);
  };
  sale.onCalls('POST /orders', fault.resetAfterWork(), { times: 1 }, isAtNewPrice);
}

function moveThePrice({ emulator, sale }: Scene, factor: number): void {
  sale.beforeFirstOrder((quoteId) => {
    if (factor !== 1) sale.reprice(Math.round(sale.paidCents * factor));
    if (quoteId !== undefined) emulator.admin.expireQuote(quoteId);
  });
}
