/** What partners write with a handler or an inbox on each platform: it only has to compile. */

import { createServer } from 'node:http';
import { createSecureServer, createServer as createHttp2Server } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { app as azure, type HttpRequest, type HttpResponseInit } from '@azure/functions';
import { http as googleCloud } from '@google-cloud/functions-framework';
import { server as hapi } from '@hapi/hapi';
import type { RequestHandler as SvelteHandler } from '@sveltejs/kit';
import type {
  ALBEvent,
  ALBHandler,
  ALBResult,
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  APIGatewayProxyHandler,
  APIGatewayProxyHandlerV2,
  APIGatewayProxyHandlerV2WithIAMAuthorizer,
  APIGatewayProxyHandlerV2WithJWTAuthorizer,
  APIGatewayProxyHandlerV2WithLambdaAuthorizer,
  APIGatewayProxyResult,
  APIGatewayProxyStructuredResultV2,
  APIGatewayProxyWithCognitoAuthorizerHandler,
  APIGatewayProxyWithLambdaAuthorizerHandler,
  Context,
  Handler,
  LambdaFunctionURLEvent,
  LambdaFunctionURLHandler,
  LambdaFunctionURLResult,
} from 'aws-lambda';
import { Elysia } from 'elysia';
import express, { type RequestHandler as ExpressHandler } from 'express';
import fastify from 'fastify';
import { defineEventHandler, fromWebHandler, H3 } from 'h3';
import * as h3v1 from 'h3v1';
import { Hono } from 'hono';
import Koa from 'koa';
import type { NextApiHandler, NextApiRequest, NextApiResponse } from 'next';
import type { NextRequest } from 'next/server';
import type { EventInbox } from 'market-partner-sdk/durable';
import type { WebhookHandler } from 'market-partner-sdk/webhooks';

const path = '/webhooks/market';

declare const handler: WebhookHandler;
declare const inbox: EventInbox;

function mount({ fetch, node, lambda, handle }: WebhookHandler) {
  createServer(node);
  createHttpsServer(node);
  createHttp2Server(node);
  createSecureServer({}, node);
  express().use(node).post(path, node);
  googleCloud('market', node);
  new Koa().use((context) => {
    context.respond = false;
    return node(context.req, context.res);
  });
  hapi().route({
    method: 'POST',
    path,
    handler: async ({ raw }, { abandon }) => {
      await node(raw.req, raw.res);
      return abandon;
    },
  });
  fastify().post(path, async (request, reply) => {
    const response = await handle({ headers: request.headers, body: request.body as Buffer });
    return reply.status(response.status).headers(response.headers).send(response.body);
  });
  fastify().post(path, async (request, reply) => {
    reply.hijack();
    await node(request.raw, reply.raw);
  });

  new Hono().post(path, ({ req }) => fetch(req.raw));
  new Elysia().post(path, ({ request }) => fetch(request), { parse: 'none' }).mount(path, fetch);
  new H3().post(path, ({ req }) => fetch(req)).post(path, fromWebHandler(fetch));
  defineEventHandler(({ req }) => fetch(req));
  h3v1
    .createApp()
    .use(
      path,
      h3v1.eventHandler((event) => fetch(h3v1.toWebRequest(event))),
    )
    .use(path, h3v1.fromWebHandler(fetch))
    .use(path, h3v1.fromNodeMiddleware(node));
  azure.http('market', {
    methods: ['POST'],
    handler: async (request: HttpRequest): Promise<HttpResponseInit> => {
      const { method, headers } = request;
      return handle({ method, headers, body: await request.arrayBuffer() });
    },
  });
  azure.http('market', {
    handler: async (request) => {
      const response = await fetch(request);
      return { status: response.status, body: await response.text() };
    },
  });

  return {
    svelte: (({ request }) => fetch(request)) satisfies SvelteHandler,
    deno: { fetch } satisfies { fetch(request: Request, info: object): Promise<Response> },
    next: fetch satisfies (request: NextRequest, context: object) => Promise<Response>,
    nextPages: node satisfies NextApiHandler,
    nextPagesWrapped: (request: NextApiRequest, response: NextApiResponse) =>
      node(request, response),
    express: node satisfies ExpressHandler,
    lambda: [
      lambda satisfies Handler,
      lambda satisfies APIGatewayProxyHandler,
      lambda satisfies APIGatewayProxyWithLambdaAuthorizerHandler<{ id: string }>,
      lambda satisfies APIGatewayProxyWithCognitoAuthorizerHandler,
      lambda satisfies APIGatewayProxyHandlerV2,
      lambda satisfies APIGatewayProxyHandlerV2WithJWTAuthorizer,
      lambda satisfies APIGatewayProxyHandlerV2WithIAMAuthorizer,
      lambda satisfies APIGatewayProxyHandlerV2WithLambdaAuthorizer<{ id: string }>,
      lambda satisfies LambdaFunctionURLHandler,
      lambda satisfies ALBHandler,
    ],
    rest: async (event: APIGatewayProxyEvent, _: Context): Promise<APIGatewayProxyResult> =>
      lambda(event),
    http: async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> =>
      lambda(event),
    url: async (event: LambdaFunctionURLEvent): Promise<LambdaFunctionURLResult> => lambda(event),
    alb: async (event: ALBEvent): Promise<ALBResult> => lambda(event),
  };
}

mount(handler);
mount(inbox);
