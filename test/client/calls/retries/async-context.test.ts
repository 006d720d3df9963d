/** Many calls at once: each runs in its caller's async context, and no more sockets than the bound. */

import { AsyncLocalStorage } from 'node:async_hooks';
import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { ClientOptions } from 'market-partner-sdk';
import { clientOf as startClient } from '../../../support/client.js';
import { listenOnPort } from '../../../support/loopback.js';
import { okRead } from '../../../support/mock-market.js';

async function startServer(listener: RequestListener) {
  const server = createServer(listener);
  return { server, port: await listenOnPort(server) };
}

const clientOf = (port: number, options: ClientOptions = {}) =>
  startClient({ baseUrl: `http://127.0.0.1:${port}`, ...options });

const orderIds = (count: number) => Array.from({ length: count }, (_each, index) => `ord_${index}`);

it('1,000 calls at once are each dispatched in the context of their caller', async () => {
  const { server, port } = await startServer((_request, response) => {
    setImmediate(() => response.end(JSON.stringify(okRead)));
  });
  let open = 0;
  let most = 0;
  server.on('connection', (socket) => {
    most = Math.max(most, (open += 1));
    socket.on('close', () => (open -= 1));
  });

  const caller = new AsyncLocalStorage<string>();
  const mixed: string[] = [];
  let created = 0;
  const onCreate = (message: unknown) => {
    const { path } = (message as { request: { path: string } }).request;
    created += 1;
    if (!path.endsWith(`/${caller.getStore() ?? 'nobody'}`)) mixed.push(path);
  };
  diagnostics.subscribe('undici:request:create', onCreate);
  onTestFinished(() => void diagnostics.unsubscribe('undici:request:create', onCreate));

  const market = clientOf(port);
  await market.orders.get('ord_first');
  created = 0;
  mixed.length = 0;
  await Promise.all(orderIds(1_000).map((id) => caller.run(id, () => market.orders.get(id))));
  await market.close();
  expect(created).toBe(1_000);
  expect(mixed).toEqual([]);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(64);
});

it('a call that is aborted while it waits for a socket is never sent', async () => {
  let held: (() => void)[] = [];
  const paths: string[] = [];
  const { port } = await startServer((request, response) => {
    paths.push(request.url ?? '');
    held.push(() => response.end(JSON.stringify(okRead)));
  });
  const market = clientOf(port);

  const running = orderIds(64).map((id) => market.orders.get(id));
  const controller = new AbortController();
  const waiting = market.orders.get('ord_waiting', { signal: controller.signal });
  const next = market.orders.get('ord_next');
  while (held.length < 64) await new Promise((resolve) => setImmediate(resolve));
  controller.abort(new Error('the user left'));
  await expect(waiting).rejects.toMatchObject({ name: 'AbortedError', outcome: 'not_sent' });
  const first = held;
  held = [];
  for (const respond of first) respond();
  await Promise.all(running);
  while (held.length < 1) await new Promise((resolve) => setImmediate(resolve));
  held[0]!();
  await next;
  await market.close();
  expect(paths).toHaveLength(65);
  expect(paths.some((path) => path.endsWith('ord_waiting'))).toBe(false);
});

it('calls that wait for a socket go on when all 64 sockets break at once', async () => {
  const held: Socket[] = [];
  const { port } = await startServer((request, response) => {
    if (held.length === 64) response.end(JSON.stringify(okRead));
    else if (held.push(request.socket) === 64) for (const socket of held) socket.destroy();
  });
  const market = clientOf(port, { maxRetries: 0 });
  const calls = orderIds(200).map((id) => market.orders.get(id));
  const results = await Promise.allSettled(calls);
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(64);
});

it('calls that wait for a socket fail unsent when nothing listens, and later ones are sent', async () => {
  const { server, port } = await startServer((_request, response) => {
    response.end(JSON.stringify(okRead));
  });
  server.close();
  await once(server, 'close');
  const market = clientOf(port, { maxRetries: 0 });
  const callMany = () => Promise.allSettled(orderIds(200).map((id) => market.orders.get(id)));
  for (const result of await callMany()) {
    expect(result).toMatchObject({ status: 'rejected', reason: { outcome: 'not_sent' } });
  }
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const results = await callMany();
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(200);
});
