// The same three routes in four frameworks. `receive(rawBody, signature)` resolves with the status of a
// delivery.

import { createServer } from 'node:http';
import { serve } from '@hono/node-server';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';

const port = Number(process.env.PORT);
const path = '/webhooks/market';

/** A delivery through the shop's own handler. */
export const verified = (shop) => async (body, signature) => {
  const { status } = await shop.verify.handle({
    headers: { 'x-market-signature': signature },
    body,
  });
  return status;
};

export function onHttp(shop, receive = verified(shop)) {
  createServer(async (request, response) => {
    const url = new URL(request.url, 'http://shop');
    const [domain, payment] = ['domain', 'payment'].map((name) => url.searchParams.get(name));
    if (url.pathname === '/buy') return response.end(await shop.sell(domain, payment));
    if (url.pathname === '/ask') return response.end(await shop.ask(payment));
    if (url.pathname === '/withdraw') {
      const said = await shop.withdraw(payment).catch(() => undefined);
      response.statusCode = said === undefined ? 409 : 200;
      return response.end(said);
    }
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    response.statusCode = await receive(
      Buffer.concat(chunks).toString(),
      request.headers['x-market-signature'],
    );
    response.end();
  }).listen(port);
}

export function onExpress(shop, receive = verified(shop)) {
  const app = express();
  app.post('/buy', async ({ query }, response) => {
    response.send(await shop.sell(query.domain, query.payment));
  });
  app.get('/ask', async ({ query }, response) => {
    response.send(await shop.ask(query.payment));
  });
  app.post('/withdraw', ({ query }, response) =>
    shop.withdraw(query.payment).then(
      (said) => response.send(said),
      () => response.sendStatus(409),
    ),
  );
  app.post(path, express.text({ type: '*/*' }), async (request, response) => {
    response.sendStatus(await receive(request.body, request.headers['x-market-signature']));
  });
  app.listen(port);
}

export function onFastify(shop, receive = verified(shop)) {
  const app = Fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  app.post('/buy', ({ query }) => shop.sell(query.domain, query.payment));
  app.get('/ask', ({ query }) => shop.ask(query.payment));
  app.post('/withdraw', ({ query }) => shop.withdraw(query.payment));
  app.post(path, async (request, reply) =>
    reply.code(await receive(request.body, request.headers['x-market-signature'])).send(),
  );
  void app.listen({ port });
}

export function onHono(shop, receive = verified(shop)) {
  const app = new Hono();
  app.post('/buy', async (c) =>
    c.text(await shop.sell(c.req.query('domain'), c.req.query('payment'))),
  );
  app.get('/ask', async (c) => c.text(await shop.ask(c.req.query('payment'))));
  app.post('/withdraw', async (c) => c.text(await shop.withdraw(c.req.query('payment'))));
  app.post(path, async (c) => {
    const status = await receive(await c.req.text(), c.req.header('x-market-signature'));
    return c.body(null, status);
  });
  serve({ fetch: app.fetch, port });
}
