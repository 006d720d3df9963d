/** Webhooks with Fastify: a plugin of its own, so that only its route leaves the body to the handler. */

import Fastify, { type FastifyInstance } from 'fastify';
import { marketWebhooks } from './market-webhooks.js';

export const app = Fastify();

app.register(async (scope: FastifyInstance) => {
  scope.removeAllContentTypeParsers();
  // Fastify reads nothing: the handler stops unsigned and too large bodies by itself.
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  scope.post('/webhooks/market', async (request, reply) => {
    reply.hijack();
    await marketWebhooks.node(request.raw, reply.raw);
  });
});

app.post('/echo', async (request) => request.body);
