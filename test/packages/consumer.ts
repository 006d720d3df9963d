// A partner's program: compiled in fresh projects with the compilers and settings that partners use.

import {
  canonicalQuery,
  MarketClient,
  MarketError,
  RateLimitError,
  type CallResponse,
  type ClientOptions,
  type Logger,
  type Order,
  type OrderInput,
  type Page,
} from 'market-partner-sdk';
import * as sdk from 'market-partner-sdk';
import * as durable from 'market-partner-sdk/durable';
import * as pgBoss from 'market-partner-sdk/durable/pg-boss';
import * as opentelemetry from 'market-partner-sdk/opentelemetry';
import * as testing from 'market-partner-sdk/testing';
import * as webhooks from 'market-partner-sdk/webhooks';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { createWebhookHandler, verifyWebhook, type MarketEvent } from 'market-partner-sdk/webhooks';

const logger: Logger = { warn: (message, fields) => console.warn(message, fields.status) };
const options: ClientOptions = {
  baseUrl: 'https://market.example',
  keyId: 'mk_test_1',
  secret: 's',
  logger,
};

export async function sell(input: OrderInput): Promise<Order> {
  const market = new MarketClient(options);
  try {
    const { data, response } = await market.orders.create(input).withResponse();
    const facts: CallResponse = response;
    console.log(facts.idempotencyKey, data.public_id, data.sale_price_cents.toFixed(0));
    return data;
  } catch (error) {
    if (error instanceof RateLimitError) console.log(error.retryAfterMs);
    if (error instanceof MarketError && error.outcome === 'unknown')
      console.log(error.idempotencyKey);
    throw error;
  } finally {
    await market.close();
  }
}

export async function list(market: MarketClient): Promise<string[]> {
  const page: Page<Order> = await market.orders.list({ status: 'SETTLED' });
  const ids = page.items.map((order) => order.public_id);
  for await (const order of market.orders.list()) ids.push(order.public_id);
  for await (const event of market.events.list()) {
    if (event.type === 'order.settled') ids.push(event.data.order.public_id);
  }
  return ids;
}

export function receive(body: Uint8Array, signature: string): string {
  const event: MarketEvent = verifyWebhook(body, signature, ['new', 'old']);
  switch (event.type) {
    case 'order.refunded':
      return event.data.order.domain;
    default:
      return event.type;
  }
}

export const handler = createWebhookHandler({
  secret: 'whsec',
  on: { 'order.settled': (event) => console.log(event.data.order.sale_price_cents) },
});

export async function test(): Promise<void> {
  const emulator = await MarketEmulator.start({ port: 0 });
  const { keyId, secret } = emulator.createCredential({ scopes: ['search', 'buy'] });
  const market = new MarketClient({
    baseUrl: emulator.baseUrl,
    keyId,
    secret,
    fetch: globalThis.fetch,
  });
  await market.domains.search('coffee');
  await emulator.stop();
}

// @ts-expect-error the domain is required
const wrong: OrderInput = { expected_price: 1 };
export const query: string = canonicalQuery({ a: 1, b: ['x', 'y'], wrong: String(wrong) });

// @ts-expect-error a type alone: at run time there is no such export
export class OwnOrders extends sdk.Orders {}

// @ts-expect-error as above
export const admin: unknown = testing.Admin;

export const functions = [
  durable.memoryEngine,
  pgBoss.pgBossEngine,
  opentelemetry.openTelemetry,
  webhooks.signWebhook,
];
