/** A receiver of deliveries with a door for each kind of server. */

import type { RawBody } from '../raw-body.js';
import type { WebhookHeaders } from '../signature-header.js';
import type { WebhookAnswer } from './answer.js';
import { boundedBytes } from './bounded-body.js';
import { answerFetch, type WebhookRequest, type WebhookResponse } from './fetch-door.js';
import { answerLambda, type LambdaWebhookEvent, type LambdaWebhookResult } from './lambda-door.js';
import { answerNode, type NodeWebhookRequest, type NodeWebhookResponse } from './node-door.js';
import { receiverFrom, type WebhookHandlerOptions } from './options.js';
import { receive } from './receive.js';

/** A delivery that a framework has read already. */
export interface WebhookDelivery {
  /** HTTP method; POST unless told. */
  readonly method?: string | undefined;
  /** All headers of the request. */
  readonly headers: WebhookHeaders;
  /** The raw body, or nothing when the request had none. */
  readonly body: RawBody | null | undefined;
}

/** What `createWebhookHandler` gives. The functions need no `this` and never reject. */
export interface WebhookHandler {
  /** Answers a fetch `Request`: Next.js route handlers, Hono, Deno, Bun. */
  readonly fetch: (request: WebhookRequest) => Promise<WebhookResponse>;
  /** Answers a node request: node:http, Express. Resolves when the answer was handed over. */
  readonly node: (request: NodeWebhookRequest, response: NodeWebhookResponse) => Promise<void>;
  /** Answers an AWS Lambda event of API Gateway, a function URL or a load balancer. */
  readonly lambda: (event: LambdaWebhookEvent) => Promise<LambdaWebhookResult>;
  /** Gives the answer to a delivery that was read by a framework, for the framework to send. */
  readonly handle: (delivery: WebhookDelivery) => Promise<WebhookAnswer>;
}

/**
 * Makes a receiver: it reads the raw body within its limits, verifies it, runs the handler of the
 * event's type and answers. 200 is answered only after the handler has resolved, and every delivery
 * is answered within `timeoutMs`, before the service's 5 seconds are over. The answers are constants
 * that tell a sender nothing; `onError` tells you.
 *
 * A body that a middleware has read before is answered 500 at once and reported with what to do.
 *
 * @throws {WebhookVerificationError} `missing_secret`, when there is no secret or an empty one.
 * @throws {TypeError | RangeError} when another option is wrong; the message names it.
 * @see specification, part 6
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { createWebhookHandler } from 'market-partner-sdk/webhooks';
 *
 * const handler = createWebhookHandler({
 *   secret: process.env.MARKET_WEBHOOK_SECRET ?? '',
 *   on: {
 *     'order.settled': (event) => console.log('settled', event.data.order.public_id),
 *   },
 *   onError: (error, { status }) => console.error(status, error),
 *   deduplicate: true,
 * });
 * createServer(handler.node).listen(3000);
 * ```
 */
export function createWebhookHandler(options: WebhookHandlerOptions): WebhookHandler {
  const receiver = receiverFrom(options);
  return Object.freeze({
    fetch: (request: WebhookRequest) => answerFetch(request, receiver),
    node: (request: NodeWebhookRequest, response: NodeWebhookResponse) =>
      answerNode(request, response, receiver),
    lambda: (event: LambdaWebhookEvent) => answerLambda(event, receiver),
    handle: ({ method = 'POST', headers, body }: WebhookDelivery) =>
      receive(
        { method, headers, read: (maxBytes) => boundedBytes(body ?? '', maxBytes) },
        receiver,
      ),
  });
}
