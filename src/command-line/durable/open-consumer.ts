/** `openInbox`, `openOutbox`: the halves as a program has them, without a client and without work. */

import type { MarketClient } from '../../client/client.js';
import type { DurableEngine } from '../../durable/queue/engine.js';
import { createEventInbox, type EventInbox } from '../../durable/inbox/event-inbox.js';
import { createOrderOutbox } from '../../durable/outbox/order-outbox.js';
import type { OrderOutbox } from '../../durable/outbox/outbox-api.js';
import type { Consumer } from './consumers.js';

type Market = Pick<MarketClient, 'orders' | 'events' | 'environment'>;

export function openInbox(
  engine: DurableEngine,
  { name, environment }: Consumer,
  keepDoneMs: number,
): EventInbox {
  const market = noClient(environment);
  const startFrom = 'beginning';
  // Required, and never called: nothing is handled from here.
  const onEvent = () => Promise.reject(new Error('The command handles no events.'));
  return createEventInbox({ market, engine, name, keepDoneMs, startFrom, on: {}, onEvent });
}

/** @param market - for `reconcile`, which reads the service; every other action is without one. */
export function openOutbox(
  engine: DurableEngine,
  { name, environment }: Consumer,
  market?: MarketClient,
): OrderOutbox {
  // Payments are the program's business: nothing is recovered from here.
  return createOrderOutbox({
    market: market === undefined ? noClient(environment) : withEnvironment(market, environment),
    engine,
    name,
    recover: () => [],
    onPlaced: refuse,
    onRefused: refuse,
    onAttention: refuse,
  });
}

/** Only the environment, which is a part of the queues' names; a call would be a mistake. */
function noClient(environment: Consumer['environment']): Market {
  return {
    environment,
    events: { list: refuse },
    orders: { create: refuse, prepare: refuse, quote: refuse, list: refuse, get: refuse },
  } as unknown as Market;
}

/** The queues' names hold the environment of the program's client, which may know none. */
function withEnvironment(market: MarketClient, environment: Consumer['environment']): Market {
  return { environment, orders: market.orders, events: market.events };
}

function refuse(): never {
  throw new Error('The shell calls nothing of the service, and runs no callback.');
}
