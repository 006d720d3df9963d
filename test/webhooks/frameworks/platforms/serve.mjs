// PORT=3000 node serve.mjs <platform>: mounts a handler as the platform's users do. Without a name: prints all names.

import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { createWebhookHandler } from 'market-partner-sdk/webhooks';

const path = '/webhooks/market';
const port = Number(process.env.PORT);

const handler = createWebhookHandler({
  secret: process.env.MARKET_WEBHOOK_SECRET,
  on: { 'order.settled': ({ data }) => console.log(`settled ${data.order.public_id}`) },
  onError: (error, { status }) => console.error(`answered ${status}: ${error}`),
  deduplicate: true,
});

/** The applications, each as its framework's listener of node or as an object that a wrapper takes. */
const express = (version) => async () => {
  const app = (await load(version))();
  app.all(path, handler.node);
  return app;
};
const koa = (version) => async () => {
  const app = new (await load(version))();
  app.use((context) => {
    context.respond = false;
    return handler.node(context.req, context.res);
  });
  return app;
};
const fastify = async () => {
  const app = (await load('fastify'))();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.all(path, async (request, reply) => {
    reply.hijack();
    await handler.node(request.raw, reply.raw);
  });
  await app.ready();
  return app;
};
/** Nest keeps the bytes beside what it parsed: on Express in node's own request, on Fastify in its own. */
const nest = (adapter, receive) => async () => {
  await import('reflect-metadata');
  const { All, Controller, Module, Req, Res } = await load('@nestjs/common');
  const { NestFactory } = await load('@nestjs/core');
  class Webhooks {
    receive(request, response) {
      return receive(request, response);
    }
  }
  const method = Object.getOwnPropertyDescriptor(Webhooks.prototype, 'receive');
  All()(Webhooks.prototype, 'receive', method);
  Req()(Webhooks.prototype, 'receive', 0);
  Res()(Webhooks.prototype, 'receive', 1);
  Controller('webhooks/market')(Webhooks);
  class AppModule {}
  Module({ controllers: [Webhooks] })(AppModule);
  const options = { rawBody: true, logger: ['error'] };
  return (await NestFactory.create(AppModule, await adapter(), options)).init();
};
const nestOnExpress = nest(async () => {
  const { ExpressAdapter } = await load('@nestjs/platform-express');
  return new ExpressAdapter();
}, handler.node);
const nestOnFastify = nest(
  async () => {
    const { FastifyAdapter } = await load('@nestjs/platform-fastify');
    return new FastifyAdapter();
  },
  async ({ method, headers, rawBody }, reply) => {
    const response = await handler.handle({ method, headers, body: rawBody });
    return reply.status(response.status).headers(response.headers).send(response.body);
  },
);
const h3Fetch = async () => {
  const { H3 } = await import('h3');
  return new H3().all(path, ({ req }) => handler.fetch(req));
};
const hono = async () => {
  const { Hono } = await import('hono');
  return new Hono().all(path, ({ req }) => handler.fetch(req.raw));
};

/** Wrappers that run an application of node in AWS Lambda. */
const serverlessHttp = (version, make) => async () =>
  lambdaFront((await load(version))(await make()));
const serverlessExpress = (name, make) => async () => {
  const { default: imported, configure } = await import(name);
  const wrap = imported.configure ?? configure ?? imported.default ?? imported;
  return lambdaFront(wrap({ app: await make() }));
};
const nestExpressApp = async () => (await nestOnExpress()).getHttpAdapter().getInstance();

const platforms = {
  'node:http': () => createServer(handler.node),
  'HTTP/2': () => createHttp2Server(handler.node),
  'Express 4': async () => createServer(await express('express4')()),
  'Express 5': async () => createServer(await express('express')()),
  'Koa 2': async () => createServer((await koa('koa2')()).callback()),
  'Koa 3': async () => createServer((await koa('koa')()).callback()),
  'Fastify 5': async () => (await fastify()).server,
  'Nest on Express': async () => (await nestOnExpress()).getHttpServer(),
  'Nest on Fastify': async () => {
    const app = await nestOnFastify();
    await app.getHttpAdapter().getInstance().ready();
    return app.getHttpServer();
  },
  hapi: async () => {
    const server = (await load('@hapi/hapi')).server({ address: '127.0.0.1' });
    const receive = async ({ raw }, { abandon }) => {
      await handler.node(raw.req, raw.res);
      return abandon;
    };
    const options = { payload: { parse: false, output: 'stream' } };
    server.route({ method: 'POST', path, options, handler: receive });
    server.route({ method: 'GET', path, handler: receive });
    await server.initialize();
    return server.listener;
  },
  Hono: async () => {
    const { getRequestListener } = await import('@hono/node-server');
    return createServer(getRequestListener((await hono()).fetch));
  },
  'h3 1': async () => {
    const { createApp, eventHandler, toNodeListener, toWebRequest } = await import('h3v1');
    const app = createApp().use(
      path,
      eventHandler((event) => handler.fetch(toWebRequest(event))),
    );
    return createServer(toNodeListener(app));
  },
  'h3 2': async () => createServer((await import('h3/node')).toNodeHandler(await h3Fetch())),
  Elysia: async () => {
    const { Elysia } = await import('elysia');
    const { node } = await import('@elysiajs/node');
    const app = new Elysia({ adapter: node() });
    app.all(path, ({ request }) => handler.fetch(request), { parse: 'none' });
    app.listen({ port, hostname: '127.0.0.1' });
  },
  'light-my-request': () => injectFront(handler.node),
  'light-my-request, Fastify': async () => {
    const app = await fastify();
    return injectFront((request, response) => app.routing(request, response));
  },
  Lambda: () => lambdaFront(handler.lambda),
  'serverless-http 3, Express 4': serverlessHttp('serverless-http3', express('express4')),
  'serverless-http 3, Express 5': serverlessHttp('serverless-http3', express('express')),
  'serverless-http 3, Koa 2': serverlessHttp('serverless-http3', koa('koa2')),
  'serverless-http 3, Koa 3': serverlessHttp('serverless-http3', koa('koa')),
  'serverless-http 4, Express 5': serverlessHttp('serverless-http', express('express')),
  'serverless-http 4, Koa 3': serverlessHttp('serverless-http', koa('koa')),
  'serverless-http 4, Nest': serverlessHttp('serverless-http', nestExpressApp),
  '@codegenie/serverless-express, Express 5': serverlessExpress(
    '@codegenie/serverless-express',
    express('express'),
  ),
  '@codegenie/serverless-express, Koa 3': serverlessExpress(
    '@codegenie/serverless-express',
    koa('koa'),
  ),
  '@codegenie/serverless-express, Nest': serverlessExpress(
    '@codegenie/serverless-express',
    nestExpressApp,
  ),
  '@vendia/serverless-express, Express 4': serverlessExpress(
    '@vendia/serverless-express',
    express('express4'),
  ),
  '@vendia/serverless-express, Express 5': serverlessExpress(
    '@vendia/serverless-express',
    express('express'),
  ),
  '@vendia/serverless-express, Koa 3': serverlessExpress('@vendia/serverless-express', koa('koa')),
};

const [name] = process.argv.slice(2);
if (name === undefined) {
  console.log(JSON.stringify(Object.keys(platforms)));
} else {
  const server = await platforms[name]();
  server?.listen(port, '127.0.0.1');
}

async function load(name) {
  const module = await import(name);
  return module.default ?? module;
}

/** A server that runs a function of Lambda for each request, as an HTTP API does. */
function lambdaFront(run) {
  return front(async ({ method, headers, body }) => {
    const http = { method, path, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' };
    const event = {
      version: '2.0',
      routeKey: '$default',
      rawPath: path,
      rawQueryString: '',
      headers,
      requestContext: {
        http,
        stage: '$default',
        requestId: '1',
        domainName: 'localhost',
        timeEpoch: 0,
      },
      isBase64Encoded: body.length > 0,
      ...(body.length > 0 && { body: body.toString('base64') }),
    };
    return run(event, { awsRequestId: '1', callbackWaitsForEmptyEventLoop: true });
  });
}

/** A server that injects each request into a listener of node, as tests do. */
async function injectFront(listener) {
  const inject = await load('light-my-request');
  return front(({ method, headers, body }) =>
    inject(listener, { method, url: path, headers, payload: body.length > 0 ? body : undefined }),
  );
}

function front(answer) {
  return createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, headers } = request;
    const { statusCode } = await answer({ method, headers, body: Buffer.concat(chunks) });
    response.writeHead(statusCode).end();
  });
}
