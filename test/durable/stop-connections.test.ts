/** A stopped inbox closes the connections of its senders, which keep them open, so that a server can end. */

import { createServer } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createEventInbox, memoryEngine, type EventInbox } from 'market-partner-sdk/durable';
import { signWebhook } from 'market-partner-sdk/webhooks';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listen } from '../support/loopback.js';
import { recordingLogger } from '../support/recording-logger.js';
import { MarketWorld, secret } from './support/market-world.js';

const body = '{"id":"evt_1","type":"order.settled","created_at":"2026-11-21T08:00:00Z","data":{}}';
const headers = { 'x-market-signature': signWebhook(body, secret) };

let world: MarketWorld;
let inbox: EventInbox;

beforeEach(async () => {
  world = await MarketWorld.start();
  inbox = createEventInbox({
    market: world.market,
    secret,
    engine: memoryEngine(world.time.options),
    startFrom: 'beginning',
    onEvent: () => undefined,
    logger: recordingLogger().logger,
  });
  await inbox.start();
});
afterEach(async () => {
  await inbox.stop({ graceMs: 0 });
  await world.stop();
});

it('with each response of node, fetch and handle, once it is stopped', async () => {
  const url = await listen(createServer((request, response) => void inbox.node(request, response)));
  const ask = async () => {
    const byNode = await fetch(url, { method: 'POST', headers, body });
    await byNode.text();
    const request = new Request('http://shop.example/', { method: 'POST', headers, body });
    const byFetch = await inbox.fetch(request);
    const { headers: handled } = await inbox.handle({ headers, body });
    return [byNode, byFetch]
      .map(({ headers }) => headers.get('connection'))
      .concat(handled.connection ?? null);
  };
  expect(await ask()).toEqual(['keep-alive', null, null]);
  await inbox.stop();
  expect(await ask()).toEqual(['close', 'close', 'close']);
});

it('over HTTP/2 too, where the session ends after its requests', async () => {
  const server = createHttp2Server((request, response) => void inbox.node(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const closed = once(session, 'close');
  await inbox.stop();
  const stream = session.request({ ':method': 'POST', ...headers });
  stream.end(body);
  const [{ ':status': status }] = (await once(stream, 'response')) as [{ ':status': number }];
  stream.resume();
  expect(status).toBe(503);
  await closed;
  server.close();
  await once(server, 'close');
});
