/** Deliveries as AWS Lambda events: API Gateway (REST and HTTP), function URLs, load balancers. */

import { signatureValues, type WebhookHeaders } from '../signature-header.js';
import { WebhookVerificationError } from '../verification-error.js';
import type { WebhookAnswer } from './answer.js';
import { boundedBytes } from './bounded-body.js';
import type { Receiver } from './options.js';
import { receive } from './receive.js';

/** The part of a Lambda event that is used, in the formats 1.0 and 2.0. */
export interface LambdaWebhookEvent {
  /** Format 1.0 and load balancers. */
  readonly httpMethod?: string | undefined;
  /** Format 2.0 and function URLs. */
  readonly requestContext?:
    { readonly http?: { readonly method?: string | undefined } } | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  readonly multiValueHeaders?: Readonly<Record<string, string[] | undefined>> | null | undefined;
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
}

/** The answer in the form that Lambda takes in both formats. */
export interface LambdaWebhookResult {
  statusCode: number;
  headers: Record<string, string>;
  /** For load balancers that were told to send several values of a header. */
  multiValueHeaders?: Record<string, string[]>;
  body: string;
  isBase64Encoded: false;
}

/** Answers a Lambda event. Never rejects. */
export async function answerLambda(
  event: LambdaWebhookEvent,
  receiver: Receiver,
): Promise<LambdaWebhookResult> {
  const answer = await receive(
    {
      // An invocation that names no method did not come over HTTP; its signature is checked as ever.
      method: event.requestContext?.http?.method ?? event.httpMethod ?? 'POST',
      headers: headersOf(event),
      read: (maxBytes) => bodyOf(event, maxBytes),
    },
    receiver,
  );
  return toResult(answer, event);
}

/** Format 1.0 has both: only the second tells a header that was sent twice from one that was not. */
function headersOf({ headers, multiValueHeaders }: LambdaWebhookEvent): WebhookHeaders {
  const all = multiValueHeaders ?? {};
  return signatureValues(all).length > 0 ? all : (headers ?? {});
}

function bodyOf({ body, isBase64Encoded }: LambdaWebhookEvent, maxBytes: number): unknown {
  const encoded = isBase64Encoded === true && typeof body === 'string';
  return boundedBytes(encoded ? decodeBase64(body) : (body ?? ''), maxBytes);
}

function decodeBase64(body: string): Uint8Array {
  try {
    return Uint8Array.from(atob(body), (char) => char.charCodeAt(0));
  } catch (cause) {
    throw new WebhookVerificationError(
      'body_not_raw',
      'isBase64Encoded is true, but the body is not base64: was it decoded before?',
      { cause },
    );
  }
}

function toResult(answer: WebhookAnswer, event: LambdaWebhookEvent): LambdaWebhookResult {
  const result: LambdaWebhookResult = {
    statusCode: answer.status,
    headers: { ...answer.headers },
    body: answer.body,
    isBase64Encoded: false,
  };
  if (event.multiValueHeaders != null && event.headers == null) {
    result.multiValueHeaders = Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [name, [value]]),
    );
  }
  return result;
}
