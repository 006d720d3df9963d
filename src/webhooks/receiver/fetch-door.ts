/** Deliveries as fetch requests: Next.js route handlers, Hono, Deno, Bun, workers. */

import { alreadyConsumed } from '../raw-body.js';
import type { HeadersLike } from '../signature-header.js';
import type { WebhookAnswer } from './answer.js';
import { BoundedBytes, refuseAnnounced } from './bounded-body.js';
import type { Receiver } from './options.js';
import { receive } from './receive.js';

/** The part of a fetch `Request` that is used. */
export interface WebhookRequest {
  readonly method: string;
  readonly headers: HeadersLike;
  readonly bodyUsed: boolean;
  readonly body: WebhookRequestBody | null;
}

/** The part of a `ReadableStream` that is used. */
export interface WebhookRequestBody {
  readonly locked: boolean;
  getReader(): WebhookRequestReader;
}

/** The part of a `ReadableStreamDefaultReader` that is used. */
export interface WebhookRequestReader {
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
  cancel(reason?: unknown): Promise<unknown>;
}

/** The runtime's own `Response`, where its types are known. */
export type WebhookResponse = typeof globalThis extends {
  Response: { prototype: infer RuntimeResponse };
}
  ? RuntimeResponse
  : { readonly status: number; text(): Promise<string> };

/** Answers a fetch request. Never rejects. */
export async function answerFetch(
  request: WebhookRequest,
  receiver: Receiver,
): Promise<WebhookResponse> {
  const delivery = {
    method: request.method,
    headers: request.headers,
    read: (maxBytes: number, signal: AbortSignal) => readBody(request, maxBytes, signal),
  };
  return toResponse(await receive(delivery, receiver));
}

async function readBody(
  request: WebhookRequest,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  refuseAnnounced(request.headers.get('content-length'), maxBytes);
  if (request.bodyUsed || request.body?.locked === true) throw alreadyConsumed();
  const bytes = new BoundedBytes(maxBytes);
  const reader = request.body?.getReader();
  if (reader === undefined) return bytes.toBytes();

  const stop = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', stop);
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      bytes.add(chunk.value);
    }
    return bytes.toBytes();
  } catch (error) {
    stop();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function toResponse({ status, headers, body }: WebhookAnswer): Response {
  return new Response(body, { status, headers });
}
