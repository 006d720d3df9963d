// A receiver in its own process, so that its memory can be measured. It listens as one of the kinds of
// server that the handler has an adapter for, and reports its memory when its parent asks.

import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { createWebhookHandler } from 'market-partner-sdk/webhooks';

const handler = createWebhookHandler({
  secret: 'whsec_public',
  onEvent: () => undefined,
  onError: () => undefined,
  timeoutMs: 4_900,
});

/** Each is set up as its example in examples/webhooks. */
const servers = {
  'node:http': () => createServer(handler.node),
  Express: () => createServer(express().all('/', handler.node)),
  Fastify: async () => {
    const app = Fastify();
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, _payload, done) => done(null));
    app.post('/', async (request, reply) => {
      reply.hijack();
      await handler.node(request.raw, reply.raw);
    });
    await app.ready();
    return app.server;
  },
  Hono: () => {
    const app = new Hono().all('/', (context) => handler.fetch(context.req.raw));
    return createAdaptorServer({ fetch: app.fetch });
  },
};

const sockets = [];
const server = await servers[process.argv[2]]();
server.on('connection', (socket) => sockets.push(socket));
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));

const bytesRead = () => sockets.reduce((sum, socket) => sum + socket.bytesRead, 0);

process.on('disconnect', () => process.exit());
process.on('message', async ({ afterBytes }) => {
  while (bytesRead() < afterBytes) await delay(5);
  // What the first collection finalizes, the second frees.
  globalThis.gc();
  await delay(5);
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.send({ memory: heapUsed + external });
});
