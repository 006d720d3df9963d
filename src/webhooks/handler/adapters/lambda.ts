/** The adapter for AWS Lambda events: API Gateway (REST and HTTP), function URLs, load balancers. */

import { bodyTooLargeError } from '../../raw-body.js';
import { signatureValues, type WebhookHeaders } from '../../signature-header.js';
import { WebhookVerificationError } from '../../verification-error.js';
import { bytesWithinLimit } from '../body-limit.js';
import type { DeliveryConfig } from '../delivery-config.js';
import { handleDelivery, type IncomingDelivery } from '../delivery.js';
import { responseFor, type WebhookStatus } from '../response.js';

/** The part of a Lambda event that is used, in the formats 1.0 and 2.0. */
export interface LambdaWebhookEvent {
  /** Format 1.0 and load balancers. */
  readonly httpMethod?: string | undefined;
  /** Format 2.0 and function URLs. */
  readonly requestContext?: object | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  readonly multiValueHeaders?: Readonly<Record<string, string[] | undefined>> | null | undefined;
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
}

/** The response in a form that both formats accept. */
export interface LambdaWebhookResult {
  statusCode: number;
  headers: Record<string, string>;
  /** Set for load balancers with multi-value headers. */
  multiValueHeaders?: Record<string, string[]>;
  body: string;
  isBase64Encoded: false;
}

/**
 * Responds to a Lambda event. Never rejects: the response to an event that is not an HTTP request is
 * 500.
 */
export async function handleLambda(
  event: LambdaWebhookEvent | null | undefined,
  config: DeliveryConfig,
): Promise<LambdaWebhookResult> {
  const request = event ?? {};
  return toResult(await handleDelivery(new LambdaDelivery(request), config), request);
}

class LambdaDelivery implements IncomingDelivery {
  readonly #event: LambdaWebhookEvent;

  constructor(event: LambdaWebhookEvent) {
    this.#event = event;
  }

  get method(): unknown {
    const { requestContext, httpMethod } = this.#event;
    // Direct invocations have no method; treat them as POST, the signature is still verified.
    const { http } = (requestContext ?? {}) as { http?: { method?: unknown } };
    return http?.method ?? httpMethod ?? 'POST';
  }

  /** Format 1.0 has both, but only multiValueHeaders shows that a header was sent twice. */
  get headers(): WebhookHeaders {
    const { headers, multiValueHeaders } = this.#event;
    if (headers == null && multiValueHeaders == null && !this.#isHttp) throw notHttpError();
    const all = multiValueHeaders ?? {};
    return signatureValues(all).length > 0 ? all : (headers ?? {});
  }

  /** Their body is null if the sender sent none; a direct invocation without one forgot it. */
  get #isHttp(): boolean {
    return this.#event.requestContext !== undefined || this.#event.httpMethod !== undefined;
  }

  readBody(maxBytes: number): Uint8Array {
    const { body, isBase64Encoded } = this.#event;
    const isEncoded = isBase64Encoded === true && typeof body === 'string';
    return isEncoded
      ? decodeBase64(body, maxBytes)
      : bytesWithinLimit(this.#isHttp ? (body ?? '') : body, maxBytes);
  }
}

function decodeBase64(body: string, maxBytes: number): Uint8Array {
  // Four characters hold three bytes: do not spend time on decoding a body that is too large.
  if (body.length > 4 * Math.ceil(maxBytes / 3)) throw bodyTooLargeError(maxBytes);
  // Buffer.from silently skips what is not base64.
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(body)) throw notBase64Error();
  return bytesWithinLimit(Buffer.from(body, 'base64'), maxBytes);
}

function notHttpError(): TypeError {
  return new TypeError(
    'The event has no headers. It is not an HTTP request, or the API passes only the body. Use a proxy ' +
      'integration, a function URL or a load balancer.',
  );
}

function notBase64Error(): WebhookVerificationError {
  return new WebhookVerificationError(
    'body_not_raw',
    'isBase64Encoded is true, but the body is not base64. Was it already decoded?',
  );
}

function toResult(
  webhookStatus: WebhookStatus,
  { headers, multiValueHeaders }: LambdaWebhookEvent,
): LambdaWebhookResult {
  const response = responseFor(webhookStatus);
  const result: LambdaWebhookResult = {
    statusCode: response.status,
    headers: { ...response.headers },
    body: response.body,
    isBase64Encoded: false,
  };
  if (multiValueHeaders != null && headers == null) {
    result.multiValueHeaders = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, [value]]),
    );
  }
  return result;
}
