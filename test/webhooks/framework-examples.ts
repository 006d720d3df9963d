/** Starts each example of examples/webhooks for real, until the test is finished. */

import { createServer, type Server } from 'node:http';
import { serve as serveHono } from '@hono/node-server';
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { afterEach, beforeEach, vi, type Mock } from 'vitest';
import { listen } from '../support/loopback.js';

type BookSettlement = (order: { public_id: string }) => Promise<void>;

/** Before each test: modules that are loaded anew, the secret, a quiet console, no settlements yet. */
export function freshExamples(secret: string, booked: Mock<BookSettlement>): void {
  beforeEach(() => {
    vi.resetModules();
    vi.stubEnv('MARKET_WEBHOOK_SECRET', secret);
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    vi.spyOn(console, 'log').mockImplementation(() => undefined);
    booked.mockReset().mockResolvedValue();
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
}

/** Starts an example as its framework is started, and gives its address. */
type Start = () => Promise<string>;

/** How each example is started; its modules are loaded anew. */
export const frameworkExamples: Record<string, Start> = {
  'node:http': async () => listen((await import('../../examples/webhooks/node-http.js')).server),
  'Express 5': async () =>
    listen(createServer((await import('../../examples/webhooks/express.js')).app)),
  'Express 4': async () => {
    vi.doMock('express', () => import('express4'));
    const { app } = await import('../../examples/webhooks/express.js');
    vi.doUnmock('express');
    return listen(createServer(app));
  },
  Fastify: async () => {
    const { app } = await import('../../examples/webhooks/fastify.js');
    await app.ready();
    return listen(app.server);
  },
  Hono: async () => {
    const { app } = await import('../../examples/webhooks/hono.js');
    const server = serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
    server.close();
    return listen(server);
  },
  'AWS Lambda': async () => {
    const { handler } = await import('../../examples/webhooks/lambda.js');
    return listen(functionUrl(handler));
  },
};

/** A server that hands its requests to a function as a Lambda function URL does. */
function functionUrl(
  handler: (event: LambdaFunctionURLEvent) => Promise<{ statusCode: number; body: string }>,
): Server {
  return createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const event = {
        version: '2.0',
        headers: request.headers,
        requestContext: { http: { method: request.method } },
        body: Buffer.concat(chunks).toString('base64'),
        isBase64Encoded: true,
      } as unknown as LambdaFunctionURLEvent;
      void handler(event).then(({ statusCode, body }) => {
        response.writeHead(statusCode).end(body);
      });
    });
  });
}
