/** What `emulator --env` prints is what the emulator goes by: a program that has those lines alone receives its events. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseEnv } from 'node:util';
import { MarketClient } from 'market-partner-sdk';
import { createWebhookHandler } from 'market-partner-sdk/webhooks';
import { expect, it, onTestFinished } from 'vitest';
import { startProgram } from '../support/program.js';

it('a program with the printed lines verifies a delivery to the endpoint of --webhook', async () => {
  const received: string[] = [];
  let secret = '';
  const server = createServer((request, response) => {
    const handler = createWebhookHandler({ secret, onEvent: ({ type }) => received.push(type) });
    void handler.node(request, response);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/market`;

  const args = ['emulator', '--port', '0', '--env', '--webhook', `${url}=whsec_mine`];
  const emulator = startProgram(['dist/bin.cjs', ...args]);
  await emulator.printed(/^SHOP_TOKEN=.+\n[^]*The emulator listens/m);
  const {
    MARKET_BASE_URL: baseUrl = '',
    MARKET_KEY_ID: keyId = '',
    ...lines
  } = parseEnv(emulator.output());
  secret = lines.MARKET_WEBHOOK_SECRET ?? '';

  const market = new MarketClient({ baseUrl, keyId, secret: lines.MARKET_SECRET ?? '' });
  onTestFinished(() => market.close());
  const [listing] = await market.domains.search('coffee');
  const { domain = '', price_cents: expected_price = 0 } = listing ?? {};
  await market.orders.create({ domain, expected_price });
  await expect.poll(() => received, { timeout: 10_000 }).toEqual(['order.recorded']);
});
