// Who is measured at verifying and parsing one webhook.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { settledEvent } from '../settled-event.mjs';

const secret = 'whsec_bench_secret';
const body = Buffer.from(settledEvent('evt_1001'));
const signature = createHmac('sha256', secret).update(body).digest('hex');

export const contenders = {
  'market-partner-sdk': async () => {
    const { verifyWebhook } = await import('market-partner-sdk/webhooks');
    return () => verifyWebhook(body, signature, secret);
  },
  'bare createHmac + timingSafeEqual + JSON.parse': () => () => {
    const expected = createHmac('sha256', secret).update(body).digest();
    const given = Buffer.from(signature, 'hex');
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw new Error('mismatch');
    return JSON.parse(body.toString('utf8'));
  },
  'stripe constructEvent': async () => {
    const { default: Stripe } = await import('stripe');
    const { webhooks } = new Stripe('sk_test_bench');
    const header = webhooks.generateTestHeaderString({ payload: body.toString(), secret });
    return () => webhooks.constructEvent(body, header, secret);
  },
  standardwebhooks: async () => {
    const { Webhook } = await import('standardwebhooks');
    const webhook = new Webhook(Buffer.from(secret).toString('base64'));
    const sentAt = new Date();
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
      'webhook-signature': webhook.sign('msg_1', sentAt, body.toString()),
    };
    return () => webhook.verify(body.toString(), headers);
  },
};

export const isRight = (event) => event.id === 'evt_1001';
