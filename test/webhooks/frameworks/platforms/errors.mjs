// node errors.mjs: what a visitor gets when an error of the client leaves a handler, in each framework: uncaught, and
// with the handler of examples/errors/web-frameworks.mjs (handlers.mjs, copied beside this file). Prints a row for each as JSON.

import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { MarketClient, MarketError } from 'market-partner-sdk';
import * as handlers from './handlers.mjs';

const require = createRequire(import.meta.url);

/** What a shop's page must not get: the service's headers, its words, and the key of a credential. */
const foreign = {
  'www-authenticate': 'Market realm="partners"',
  'cache-control': 'public, max-age=600',
  'access-control-allow-origin': '*',
  'set-cookie': 'market=1',
  'x-market-trace': 'trace-1',
};
const words = 'mk_sandbox_1f0c has no order ord_none';

const service = createServer((_request, response) => {
  response.writeHead(404, { 'content-type': 'application/json', ...foreign });
  // In two parts: chunked.
  response.write('{"code":"not_found",');
  response.end(`"message":"${words}"}`);
});
const market = new MarketClient({
  baseUrl: `http://127.0.0.1:${await listen(service)}`,
  keyId: 'mk_sandbox_1f0c',
  secret: 'secret-of-the-partner',
});
const readOrder = () => market.orders.get('ord_none');

const express = (name) => (isHandled) => {
  const app = require(name)();
  // Its default handler shows the stack in development.
  app.set('env', 'production');
  app.get('/order', (_request, _response, next) => void readOrder().catch(next));
  app.get('/alive', (_request, response) => void response.send('alive'));
  if (isHandled) app.use(handlers.onExpressError);
  return createServer(app);
};
const koa = (name) => (isHandled) => {
  const app = new (require(name))();
  app.silent = true;
  if (isHandled) app.use(handlers.catchKoaError);
  app.use(async (context) => {
    context.body = context.path === '/alive' ? 'alive' : await readOrder();
  });
  return createServer(app.callback());
};
const nest = (adapter) => async (isHandled) => {
  await import('reflect-metadata');
  const { Catch, Controller, Get, Module } = require('@nestjs/common');
  const { NestFactory } = require('@nestjs/core');
  class Shop {
    order() {
      return readOrder();
    }
    alive() {
      return 'alive';
    }
  }
  for (const name of ['order', 'alive']) {
    Get(name)(Shop.prototype, name, Object.getOwnPropertyDescriptor(Shop.prototype, name));
  }
  Controller()(Shop);
  class AppModule {}
  Module({ controllers: [Shop] })(AppModule);
  const app = await NestFactory.create(AppModule, adapter(), { logger: false });
  Catch(MarketError)(handlers.MarketErrorFilter);
  if (isHandled) app.useGlobalFilters(new handlers.MarketErrorFilter());
  await app.init();
  await app.getHttpAdapter().getInstance().ready?.();
  return app.getHttpServer();
};

const frameworks = {
  'Express 4': express('express4'),
  'Express 5': express('express'),
  'Koa 2': koa('koa2'),
  'Koa 3': koa('koa'),
  'Fastify 5': async (isHandled) => {
    const app = require('fastify')();
    app.get('/order', readOrder);
    app.get('/alive', async () => 'alive');
    if (isHandled) app.setErrorHandler(handlers.onFastifyError);
    await app.ready();
    return app.server;
  },
  'Nest on Express': nest(() => new (require('@nestjs/platform-express').ExpressAdapter)()),
  'Nest on Fastify': nest(() => new (require('@nestjs/platform-fastify').FastifyAdapter)()),
  Hono: async (isHandled) => {
    const { Hono } = await import('hono');
    const { getRequestListener } = await import('@hono/node-server');
    const app = new Hono();
    app.get('/order', async (context) => context.json(await readOrder()));
    app.get('/alive', (context) => context.text('alive'));
    if (isHandled) app.onError(handlers.onHonoError);
    return createServer(getRequestListener(app.fetch));
  },
  hapi: async (isHandled) => {
    const server = require('@hapi/hapi').server({ address: '127.0.0.1', debug: false });
    server.route({ method: 'GET', path: '/order', handler: readOrder });
    server.route({ method: 'GET', path: '/alive', handler: () => 'alive' });
    if (isHandled) server.ext('onPreResponse', handlers.onHapiResponse);
    await server.initialize();
    return server.listener;
  },
};

// The handlers log each error, as a shop does: not into the table.
console.error = () => undefined;
for (const [name, start] of Object.entries(frameworks)) {
  console.log(
    JSON.stringify([name, await visit(await start(false)), await visit(await start(true))]),
  );
}
console.log(JSON.stringify(['Sentry for Express', ...(await sentry())]));
// Servers of frameworks may keep timers.
process.exit(0);

/** What a visitor got: the status, and whatever of the service's response is in it. */
async function visit(server) {
  const url = `http://127.0.0.1:${await listen(server)}`;
  const response = await fetch(`${url}/order`);
  const text = await response.text();
  const leaked = Object.keys(foreign).filter(
    (name) => response.headers.get(name) === foreign[name],
  );
  if ([words, 'mk_sandbox', 'secret-of'].some((part) => text.includes(part))) leaked.push('body');
  const alive = await (await fetch(`${url}/alive`)).text();
  if (alive !== 'alive') leaked.push('and it serves no more');
  server.close();
  return [response.status, ...leaked].join(' ');
}

/** Which errors its handler reports: by default those whose status is 5xx or none. */
async function sentry() {
  const Sentry = require('@sentry/node');
  const reported = [];
  Sentry.init({
    dsn: 'https://public@sentry.invalid/1',
    defaultIntegrations: false,
    skipOpenTelemetrySetup: true,
    beforeSend: (event) => {
      reported.push(event.exception?.values?.at(-1)?.type);
      return null;
    },
  });
  const app = require('express')();
  app.set('env', 'production');
  app.get('/order', readOrder);
  app.get('/alive', (_request, response) => void response.send('alive'));
  Sentry.setupExpressErrorHandler(app);
  app.use(handlers.onExpressError);
  const got = await visit(createServer(app));
  await Sentry.flush(2_000);
  return [reported.join(), got];
}

function listen(server) {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server.address().port));
  });
}
