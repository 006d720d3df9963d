/**
 * createDeliveryHandler: verifies deliveries, passes their events to a function and sends the
 * responses, under every kind of server. `createWebhookHandler` and the durable inbox use it.
 */

import type { RawBody } from '../raw-body.js';
import type { WebhookHeaders } from '../signature-header.js';
import { handleFetch, type WebhookRequest, type WebhookResponse } from './adapters/fetch.js';
import {
  handleLambda,
  type LambdaWebhookEvent,
  type LambdaWebhookResult,
} from './adapters/lambda.js';
import { handleNode, type NodeWebhookRequest, type NodeWebhookResponse } from './adapters/node.js';
import { bytesWithinLimit } from './body-limit.js';
import { resolveConfig, type DeliveryHandlerOptions } from './delivery-config.js';
import { handleDelivery, type IncomingDelivery } from './delivery.js';
import { responseFor, type WebhookHttpResponse } from './response.js';

/** A delivery whose body a framework has already read. */
export interface WebhookDelivery {
  /** HTTP method. Default: POST. */
  readonly method?: string | undefined;
  /** All headers of the request. */
  readonly headers: WebhookHeaders;
  /** The raw body. `null` or `undefined` is refused with 500: nothing was read, or it was not kept. */
  readonly body: RawBody | null | undefined;
}

/** The runtime's own `Request` if its types are known. */
type RuntimeRequest = typeof globalThis extends { Request: { prototype: infer Known } }
  ? Known
  : WebhookRequest;

/** A webhook handler with a function for each kind of server. They need no `this` and never reject. */
export interface WebhookHandler {
  /** Responds to a fetch `Request`: Next.js route handlers, Hono, Deno, Bun. */
  // Next.js takes the last signature for the type of a route, and compares it with `Request`.
  readonly fetch: ((request: WebhookRequest) => Promise<WebhookResponse>) &
    ((request: RuntimeRequest) => Promise<WebhookResponse>);
  /** Responds to a node request: node:http, Express. Resolves when the response was passed to node. */
  readonly node: (request: NodeWebhookRequest, response: NodeWebhookResponse) => Promise<void>;
  /** Responds to an AWS Lambda event from API Gateway, a function URL or a load balancer. */
  readonly lambda: (event: LambdaWebhookEvent) => Promise<LambdaWebhookResult>;
  /** Returns the response to a delivery whose body a framework has read, for the framework to send. */
  readonly handle: (delivery: WebhookDelivery) => Promise<WebhookHttpResponse>;
}

/**
 * Creates a handler that verifies each delivery, calls `process` and responds with its status, or with
 * 503 after `timeoutMs`.
 *
 * @throws {@link WebhookVerificationError} `missing_secret`, if there is no secret or an empty one
 */
export function createDeliveryHandler(options: DeliveryHandlerOptions): WebhookHandler {
  const config = resolveConfig(options);
  return Object.freeze({
    fetch: (request: WebhookRequest) => handleFetch(request, config),
    node: (request: NodeWebhookRequest, response: NodeWebhookResponse) =>
      handleNode(request, response, config),
    lambda: (event: LambdaWebhookEvent) => handleLambda(event, config),
    handle: async (delivery: WebhookDelivery) =>
      responseFor(await handleDelivery(new ReadDelivery(delivery), config), config.isStopping()),
  });
}

class ReadDelivery implements IncomingDelivery {
  readonly #delivery: Partial<WebhookDelivery>;

  constructor(delivery: WebhookDelivery | null | undefined) {
    this.#delivery = delivery ?? {};
  }

  get method(): unknown {
    const { method = 'POST' } = this.#delivery;
    return method;
  }

  get headers(): unknown {
    return this.#delivery.headers;
  }

  readBody(maxBytes: number): Uint8Array {
    return bytesWithinLimit(this.#delivery.body, maxBytes);
  }
}
