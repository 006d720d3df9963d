// A receiver in its own process, so that its memory can be measured. It listens as one of the kinds of
// server that the handler has an adapter for, and reports its memory when its parent asks.

import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { createWebhookHandler } from 'market-partner-sdk/webhooks';

// The time limit would free on a slow machine what is measured here.
const timeoutMs = 4_900;
const startTimer = globalThis.setTimeout;
const setTimeout = (run, ms) => startTimer(run, ms === timeoutMs ? 60_000 : ms);
Object.assign(globalThis, { setTimeout });

const handler = createWebhookHandler({
  secret: 'whsec_public',
  onEvent: () => undefined,
  onError: () => undefined,
  timeoutMs,
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
  // A stream may still pass on what its socket has read, and what one collection finalizes the next frees.
  let memory = Infinity;
  for (let round = 0; round < 5; round += 1) {
    await delay(20);
    globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    memory = Math.min(memory, heapUsed + external);
  }
  process.send({ memory });
});
