/** The adapter for fetch requests: Next.js route handlers, Hono, Deno, Bun, workers. */

import { isMistake } from '../../../core/errors/cause.js';
import { bodyConsumedError } from '../../raw-body.js';
import { headerValue, type HeadersLike } from '../../signature-header.js';
import { bytesWithinLimit, checkContentLength, LimitedBuffer } from '../body-limit.js';
import type { DeliveryConfig } from '../delivery-config.js';
import { handleDelivery, SenderGoneError, type IncomingDelivery } from '../delivery.js';
import { messageOf, notFetchRequest } from '../foreign-objects.js';
import { responseFor } from '../response.js';

/** The part of a fetch `Request` that is used. */
export interface WebhookRequest {
  readonly method: string;
  readonly headers: HeadersLike;
  readonly bodyUsed: boolean;
  readonly body: WebhookRequestBody | null;
  /** Aborts when the sender closes the connection. */
  readonly signal?: WebhookRequestSignal | null | undefined;
}

/** The part of a request's `AbortSignal` that is used. */
export interface WebhookRequestSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options: { once: boolean }): void;
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

/** The runtime's own `Response` if its types are known. */
export type WebhookResponse = typeof globalThis extends {
  Response: { prototype: infer RuntimeResponse };
}
  ? RuntimeResponse
  : { readonly status: number; text(): Promise<string> };

/** Responds to a fetch request. Never rejects. */
export async function handleFetch(
  request: WebhookRequest,
  config: DeliveryConfig,
): Promise<WebhookResponse> {
  const mistake = notFetchRequest(request);
  if (mistake !== undefined) config.report(new TypeError(mistake), { status: 500 });
  const status =
    mistake === undefined ? await handleDelivery(new FetchDelivery(request), config) : 500;
  const { headers, body } = responseFor(status, config.isStopping());
  return new Response(body, { status, headers });
}

class FetchDelivery implements IncomingDelivery {
  readonly #request: WebhookRequest;
  #reader: WebhookRequestReader | undefined;
  #bytes: LimitedBuffer | undefined;

  constructor(request: WebhookRequest) {
    this.#request = request;
  }

  get method(): unknown {
    return this.#request.method;
  }

  get headers(): unknown {
    return this.#request.headers;
  }

  get receivedBytes(): number | undefined {
    return this.#bytes?.length;
  }

  async readBody(maxBytes: number): Promise<Uint8Array> {
    const { headers, body, bodyUsed } = this.#request;
    checkContentLength(headerValue(headers, 'content-length'), maxBytes);
    if (bodyUsed || body?.locked === true) throw bodyConsumedError();
    if (body === null) return new Uint8Array();
    // The imitation of a request: its body may be bytes; anything else was parsed or is missing.
    if (typeof (body as Partial<WebhookRequestBody> | undefined)?.getReader !== 'function')
      return bytesWithinLimit(body, maxBytes);

    const bytes = (this.#bytes = new LimitedBuffer(maxBytes));
    const reader = (this.#reader = body.getReader());
    try {
      for (let chunk = await this.#read(reader); !chunk.done; chunk = await this.#read(reader)) {
        bytes.add(chunk.value);
      }
      return bytes.toBytes();
    } catch (error) {
      this.cancelBody();
      throw error;
    }
  }

  async #read(reader: WebhookRequestReader): ReturnType<WebhookRequestReader['read']> {
    try {
      return await reader.read();
    } catch (cause) {
      // A stream of the receiver's own, as one that decompresses, can fail by itself.
      if (isMistake(cause)) throw cause;
      // Every runtime has its own error for a sender that broke off.
      throw new SenderGoneError(messageOf(cause, 'The body broke off.'), { cause });
    }
  }

  cancelBody(): void {
    try {
      this.#reader?.cancel().catch(() => undefined);
    } catch {
      // The response does not depend on it.
    }
  }

  onSenderGone(callback: () => void): void {
    const { signal } = this.#request;
    if (signal == null) return;
    if (signal.aborted) callback();
    else signal.addEventListener('abort', callback, { once: true });
  }
}
