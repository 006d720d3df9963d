// Question: what does a call cost? `orders.get`, one at a time and 50 at once.

import Stripe from 'stripe';
import { Agent, request } from 'undici';
import { MarketClient } from 'market-partner-sdk';
import { signByHand } from './by-hand.mjs';
import { alternate } from './rounds.mjs';
import { table, times, whole } from './table.mjs';

const keyId = 'mk_test_bench';
const secret = 'bench-secret';
const path = '/api/partner/v1/orders/ord_1001';

export async function requests(port) {
  const origin = `http://127.0.0.1:${port}`;
  const market = new MarketClient({ baseUrl: origin, keyId, secret });
  const agent = new Agent({ connections: 64 });
  const stripe = new Stripe('sk_test_bench', {
    host: '127.0.0.1',
    port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
  });

  const calls = {
    'market-partner-sdk': () => market.orders.get('ord_1001'),
    'undici.request, signed by hand': async () => {
      const headers = signByHand({ method: 'GET', path, keyId, secret });
      const { statusCode, body } = await request(origin + path, { dispatcher: agent, headers });
      if (statusCode !== 200) throw new Error(`status ${statusCode}`);
      return body.json();
    },
    'global fetch, signed by hand': async () => {
      const headers = signByHand({ method: 'GET', path, keyId, secret });
      const response = await fetch(origin + path, { headers });
      if (!response.ok) throw new Error(`status ${response.status}`);
      return response.json();
    },
    'stripe-node': () => stripe.paymentIntents.retrieve('pi_1001'),
  };
  for (const [name, call] of Object.entries(calls)) {
    const { public_id } = await call();
    if (public_id !== 'ord_1001') throw new Error(`${name} gave no order`);
  }

  for (const [atOnce, count] of [
    [1, 1_500],
    [50, 4_000],
  ]) {
    const contenders = Object.fromEntries(
      Object.entries(calls).map(([name, call]) => [
        name,
        (total) => inParallel(call, total, atOnce),
      ]),
    );
    const rows = await alternate(contenders, { count });
    table(
      `orders.get, ${atOnce === 1 ? 'one at a time' : `${atOnce} at once`}`,
      ['contender', 'requests/s', 'client CPU us/request', 'ours to theirs'],
      rows.map((row) => [row.name, whole(row.perSecond), whole(row.cpuMicros), times(row.ratio)]),
    );
  }
  await market.close();
  await agent.close();
}

async function inParallel(call, total, atOnce) {
  let left = total;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
