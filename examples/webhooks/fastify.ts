/** Webhooks with Fastify: a plugin of its own, so that only its route keeps the raw body. */

import Fastify, { type FastifyInstance } from 'fastify';
import { marketWebhooks } from './market-webhooks.js';

export const app = Fastify();

app.register(async (scope: FastifyInstance) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  scope.post<{ Body: Buffer | undefined }>('/webhooks/market', async (request, reply) => {
    const { status, headers, body } = await marketWebhooks.handle(request);
    return reply.code(status).headers(headers).send(body);
  });
});

app.post('/echo', async (request) => request.body);
