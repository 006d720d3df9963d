/** What the program of llms.txt calls of the package stripe. It prints each refund, and signs as Stripe does. */

import { createHmac } from 'node:crypto';

let sessions = 0;
const refunds = new Map();

export default class Stripe {
  checkout = {
    sessions: {
      create: async ({ line_items: [{ price_data, quantity }] }) => {
        const id = `cs_test_${(sessions += 1)}`;
        console.log('session', JSON.stringify({ id, ...price_data, quantity }));
        return { id, url: `https://stripe.example/${id}` };
      },
    },
  };

  refunds = {
    create: async (refund, { idempotencyKey }) => {
      const { payment_intent } = refund;
      if (refunds.has(idempotencyKey)) return refunds.get(idempotencyKey);
      if ([...refunds.values()].some((each) => each.payment_intent === payment_intent)) {
        throw Object.assign(new Error('refunded before'), { code: 'charge_already_refunded' });
      }
      refunds.set(idempotencyKey, refund);
      console.log('paid back', payment_intent);
      return refund;
    },
  };

  webhooks = {
    constructEvent(body, header, secret) {
      const { t: time, v1: signature } = Object.fromEntries(
        header.split(',').map((part) => part.split('=')),
      );
      const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex');
      if (signature !== expected) throw new Error('No signatures found matching');
      return JSON.parse(body.toString());
    },
  };
}
