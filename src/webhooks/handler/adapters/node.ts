/** The adapter for node:http requests and for frameworks that pass on node's own objects. */

import { bodyConsumedError } from '../../raw-body.js';
import { bytesWithinLimit, checkContentLength, LimitedBuffer } from '../body-limit.js';
import type { DeliveryConfig } from '../delivery-config.js';
import { handleDelivery, type IncomingDelivery } from '../delivery.js';
import { responseFor, type WebhookStatus } from '../response.js';

/**
 * How much of a refused body is still read, and for how long, so that the sender gets to read the
 * response.
 */
const maxDrainBytes = 16 * 1024 * 1024;
const maxDrainMs = 2_000;

/** The part of node's `IncomingMessage` that is used, and what frameworks add to it. */
export interface NodeWebhookRequest {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Set by a body parser: bytes and text are verified, a parsed object is refused. */
  readonly body?: unknown;
  /** The bytes that NestJS and serverless platforms store next to the parsed body. */
  readonly rawBody?: unknown;
  readonly readableDidRead?: boolean | undefined;
  readonly readableEnded?: boolean | undefined;
  readonly destroyed?: boolean | undefined;
  readonly socket?: Pick<NodeWebhookRequest, 'on' | 'removeListener'> | null | undefined;
  on(event: string, listener: (value: unknown) => void): unknown;
  removeListener(event: string, listener: (value: unknown) => void): unknown;
  resume(): unknown;
  destroy(): unknown;
}

/** The part of node's `ServerResponse` that is used. */
export interface NodeWebhookResponse {
  statusCode: number;
  readonly headersSent: boolean;
  readonly destroyed?: boolean | undefined;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
  on?(event: string, listener: () => void): unknown;
}

/** Responds to a node request. Never rejects. */
export async function handleNode(
  request: NodeWebhookRequest,
  response: NodeWebhookResponse,
  config: DeliveryConfig,
): Promise<void> {
  const status = await handleDelivery(new NodeDelivery(request, response), config);
  try {
    if (request.readableEnded === false && request.destroyed !== true) drain(request);
    send(status, response);
  } catch (error) {
    config.report(error, { status });
  }
}

class NodeDelivery implements IncomingDelivery {
  readonly #request: NodeWebhookRequest;
  readonly #response: NodeWebhookResponse;

  constructor(request: NodeWebhookRequest, response: NodeWebhookResponse) {
    this.#request = request;
    this.#response = response;
  }

  get method(): unknown {
    return this.#request.method;
  }

  get headers(): unknown {
    return this.#request.headers;
  }

  readBody(maxBytes: number): unknown {
    const request = this.#request;
    checkContentLength(request.headers['content-length'], maxBytes);
    const buffered =
      bufferedBody(request.rawBody, maxBytes) ?? bufferedBody(request.body, maxBytes);
    if (buffered !== undefined) return buffered;
    if (request.readableDidRead === true || request.readableEnded === true) {
      // A body parser consumed an empty body: nothing was lost.
      if (isEmptyBody(request)) return '';
      throw bodyConsumedError();
    }
    if (request.destroyed === true) throw connectionClosedError();
    return readStream(request, maxBytes);
  }

  onSenderGone(callback: () => void): void {
    if (this.#response.destroyed === true) callback();
    else this.#response.on?.('close', callback);
  }
}

/** Bytes or text that a middleware has read; undefined if the body was parsed or is empty. */
function bufferedBody(body: unknown, maxBytes: number): Uint8Array | undefined {
  if (typeof body !== 'string' && !ArrayBuffer.isView(body)) return undefined;
  const bytes = bytesWithinLimit(body, maxBytes);
  return bytes.byteLength === 0 ? undefined : bytes;
}

function isEmptyBody({ headers, body }: NodeWebhookRequest): boolean {
  if (ArrayBuffer.isView(body)) return body.byteLength === 0;
  return headers['content-length'] === '0';
}

/** Settles when the stream ends. `drain` destroys a stream that does not end in time. */
function readStream(request: NodeWebhookRequest, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const bytes = new LimitedBuffer(maxBytes);
    const onData = (chunk: unknown) => {
      try {
        bytes.add(chunk);
      } catch (error) {
        onFailure(error);
      }
    };
    const onEnd = () => {
      removeListeners();
      resolve(bytes.toBytes());
    };
    const onFailure = (error: unknown) => {
      removeListeners();
      reject(error instanceof Error ? error : connectionClosedError());
    };
    const removeListeners = () => {
      request.removeListener('data', onData);
      request.removeListener('end', onEnd);
      request.removeListener('error', onFailure);
      request.removeListener('close', onFailure);
    };
    request.on('data', onData);
    request.on('end', onEnd);
    request.on('error', onFailure);
    request.on('close', onFailure);
    // A middleware may have paused the request, which adding a listener does not undo.
    request.resume();
  });
}

function connectionClosedError(): Error {
  return new Error('The sender closed the connection before the body was complete.');
}

/**
 * Reads and drops the rest of a body. Closing immediately would reset the connection, and the
 * sender would see the reset instead of the response.
 */
function drain(request: NodeWebhookRequest): void {
  let bytes = 0;
  const count = (chunk: unknown) => {
    bytes += (chunk as { readonly length: number }).length;
    if (bytes > maxDrainBytes) request.destroy();
  };
  // Node does not close a request whose response is sent: only its socket says that the sender has gone.
  const { socket } = request;
  const timer = setTimeout(() => request.destroy(), maxDrainMs);
  const stop = () => {
    clearTimeout(timer);
    socket?.removeListener('close', stop);
    for (const event of ['end', 'close', 'error']) request.removeListener(event, stop);
    request.removeListener('data', count);
  };
  request.on('data', count);
  for (const event of ['end', 'close', 'error']) request.on(event, stop);
  socket?.on('close', stop);
  request.resume();
}

function send(status: WebhookStatus, response: NodeWebhookResponse): void {
  // Another middleware has already responded, for example one with a timeout.
  if (response.headersSent) return;
  const { headers, body } = responseFor(status);
  response.statusCode = status;
  for (const name in headers) response.setHeader(name, headers[name] ?? '');
  response.end(body);
}
