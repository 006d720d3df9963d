// A workspace with two versions of the package: what one makes, the options of the other take.

import { MarketClient, type Order } from 'market-partner-sdk';
import { memoryEngine } from 'market-partner-sdk/durable';
import { openTelemetry } from 'market-partner-sdk/opentelemetry';
import { RecentEvents } from 'market-partner-sdk/webhooks';
import { MarketClient as OtherClient, type ClientOptions } from 'other-version';
import { createEventInbox, createOrderOutbox, pollEvents } from 'other-version/durable';
import { createWebhookHandler } from 'other-version/webhooks';

declare const api: Parameters<typeof openTelemetry>[0];

const market = new MarketClient();
const engine = memoryEngine();
const tracing = openTelemetry(api);
const options: ClientOptions = { tracing };

export const client = new OtherClient(options);
export const outbox = createOrderOutbox({
  market,
  engine,
  tracing,
  onPlaced: (order) => sold.push(order),
  onRefused: () => undefined,
  onAttention: () => undefined,
});
export const inbox = createEventInbox({ market, engine, tracing, startFrom: 'beginning', on: {} });
export const relay = pollEvents({
  market,
  startFrom: 'beginning',
  checkpoint: { read: () => undefined, write: () => undefined },
  enqueue: () => undefined,
});
export const handler = createWebhookHandler({
  secret: 'whsec',
  tracing,
  deduplicate: new RecentEvents(),
});
export const sold: Order[] = [];
