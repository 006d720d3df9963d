// Question: what does it cost to verify and parse one webhook?

import { createHmac, timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { signWebhook, verifyWebhook } from 'market-partner-sdk/webhooks';
import { alternate } from './rounds.mjs';
import { table, times } from './table.mjs';

export async function webhooks() {
  const secret = 'whsec_bench_secret';
  const body = Buffer.from(
    JSON.stringify({
      id: 'evt_1001',
      object: 'event',
      type: 'order.settled',
      created_at: '2026-11-21T08:00:00Z',
      partner_id: 'prt_1',
      data: {
        order: {
          public_id: 'ord_1001',
          domain: 'brew.example',
          status: 'SETTLED',
          sale_price_cents: 250_000,
          currency: 'USD',
        },
      },
    }),
  );
  const ours = signWebhook(body, secret);

  const stripe = new Stripe('sk_test_bench');
  const stripeHeader = stripe.webhooks.generateTestHeaderString({
    payload: body.toString(),
    secret,
  });
  const standard = new Webhook(Buffer.from(secret).toString('base64'));
  const sentAt = new Date();
  const standardHeaders = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': standard.sign('msg_1', sentAt, body.toString()),
  };

  const verifiers = {
    'market-partner-sdk': () => verifyWebhook(body, ours, secret),
    'bare createHmac + timingSafeEqual + JSON.parse': () => {
      const expected = createHmac('sha256', secret).update(body).digest();
      const given = Buffer.from(ours, 'hex');
      if (given.length !== expected.length || !timingSafeEqual(given, expected))
        throw new Error('mismatch');
      return JSON.parse(body.toString('utf8'));
    },
    'stripe constructEvent': () => stripe.webhooks.constructEvent(body, stripeHeader, secret),
    standardwebhooks: () => standard.verify(body.toString(), standardHeaders),
  };
  for (const [name, verify] of Object.entries(verifiers)) {
    if (verify().id !== 'evt_1001') throw new Error(`${name} gave no event`);
  }
  const contenders = Object.fromEntries(
    Object.entries(verifiers).map(([name, verify]) => [
      name,
      (count) => {
        for (let n = 0; n < count; n += 1) verify();
      },
    ]),
  );
  const rows = await alternate(contenders, { count: 4_000, rounds: 15 });
  table(
    'verifying and parsing one webhook',
    ['contender', 'us each', 'ours to theirs'],
    rows.map((row) => [row.name, (1e6 / row.perSecond).toFixed(1), times(row.ratio)]),
  );
}
