/** Cases of the sale itself: prices, quotes, buyers. */

import { fault } from '../../../testing/faults/fault.js';
import type { FaultRequest } from '../../../testing/faults/match.js';
import { finding } from '../findings.js';
import { pause } from '../../../core/time/sleep.js';
import { arm } from '../stage.js';
import { refusedAll } from './deliveries.js';
import { waitUntil } from '../wait-until.js';
import { NotApplicable, placedOrder, type Case, type Scene } from '../case.js';

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
    expect({ sale }) {
      if (sale.orderRequests.some(({ quoteId }) => quoteId !== undefined))
        return Promise.resolve([]);
      throw new NotApplicable('the program orders without a quote_id');
    },
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
    name: 'order-held',
    title: 'the order is held for manual review for two seconds',
    arrange: ({ emulator, sale }) => sale.whenRecorded((id) => emulator.admin.hold(id)),
    async expect({ emulator, sale }) {
      const held = sale.belief;
      await pause(2_000);
      for (const { publicId } of sale.standingOrders) emulator.admin.clear(publicId);
      await sale.settle();
      if (held !== 'refused') return [];
      return [
        finding(
          'one-order',
          `${sale.payment} was refused while its order was held.`,
          sale.requests,
        ),
      ];
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
