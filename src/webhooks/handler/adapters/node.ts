/** The adapter for node:http requests and for frameworks that pass on node's own objects. */

import { bodyConsumedError, toRawBody } from '../../raw-body.js';
import { headerValue } from '../../signature-header.js';
import { bytesWithinLimit, checkContentLength, LimitedBuffer } from '../body-limit.js';
import type { DeliveryConfig } from '../delivery-config.js';
import { handleDelivery, SenderGoneError, type IncomingDelivery } from '../delivery.js';
import { hasFunction, member, notNodeObjects } from '../foreign-objects.js';
import { responseFor, type WebhookStatus } from '../response.js';

/**
 * How much of a refused body is still read, and for how long, so that the sender gets to read the
 * response.
 */
const maxDrainBytes = 16 * 1024 * 1024;
const maxDrainMs = 2_000;

/** How long a stream that was read before may take to begin again: a platform replays it at once. */
const maxReplayMs = 100;

/** The part of node's `IncomingMessage` that is used, and what frameworks add to it. */
export interface NodeWebhookRequest {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly httpVersionMajor?: number | undefined;
  /** Set by a body parser: bytes and text are verified, a parsed object is refused. */
  readonly body?: unknown;
  /** The bytes that NestJS and serverless platforms store next to the parsed body. */
  readonly rawBody?: unknown;
  readonly readableDidRead?: boolean | undefined;
  readonly readableEnded?: boolean | undefined;
  readonly destroyed?: boolean | undefined;
  readonly socket?: unknown;
  /** The stream of an HTTP/2 request. */
  readonly stream?: unknown;
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
  const mistake = notNodeObjects(request, response);
  if (mistake !== undefined) {
    config.report(new TypeError(mistake.message), { status: 500 });
    attempt(() => send(500, mistake.response as NodeWebhookResponse, false));
    return;
  }
  const status = await handleDelivery(new NodeDelivery(request, response), config);
  const isStopping = config.isStopping();
  try {
    send(status, response, isStopping && request.httpVersionMajor === 1);
  } catch (error) {
    config.report(error, { status });
  }
  const { stream } = request as { stream?: { session?: { close?: () => unknown } } };
  // HTTP/2 has no header for it: the session takes no more requests and ends with the last one.
  if (isStopping) attempt(() => stream?.session?.close?.());
  // After the response, because it is only for the sender's comfort, and fails on a platform's imitation.
  attempt(() => drain(request));
}

class NodeDelivery implements IncomingDelivery {
  /** The stream was read before, and what came now has not the announced length. */
  mayBePartial = false;
  readonly #request: NodeWebhookRequest;
  readonly #response: NodeWebhookResponse;
  #bytes: LimitedBuffer | undefined;

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

  get receivedBytes(): number | undefined {
    return this.#bytes?.length;
  }

  readBody(maxBytes: number): unknown {
    const request = this.#request;
    checkContentLength(headerValue(request.headers, 'content-length'), maxBytes);
    const buffered =
      bufferedBody(member(request, 'rawBody'), maxBytes) ??
      bufferedBody(member(request, 'body'), maxBytes);
    if (buffered !== undefined) return buffered;
    if (request.readableDidRead === true || request.readableEnded === true) {
      // A body parser consumed an empty body: nothing was lost.
      return isEmptyBody(request) ? '' : this.#readAgain(maxBytes);
    }
    if (request.destroyed === true) throw connectionClosedError();
    // A mock of a request has no stream: its body, which is neither bytes nor text, is named.
    if (!hasFunction(request, 'resume')) return toRawBody(member(request, 'body'));
    this.#bytes = new LimitedBuffer(maxBytes);
    return readStream(request, this.#bytes);
  }

  onSenderGone(callback: () => void): void {
    if (this.#response.destroyed === true) callback();
    else this.#response.on?.('close', callback);
  }

  /** A platform may replay what it read, and a middleware may have put it back. */
  async #readAgain(maxBytes: number): Promise<Uint8Array> {
    const request = this.#request;
    const bytes = await readStream(request, new LimitedBuffer(maxBytes), maxReplayMs);
    if (bytes.byteLength === 0) throw bodyConsumedError(request);
    const announced = headerValue(request.headers, 'content-length');
    this.mayBePartial = announced !== String(bytes.byteLength);
    return bytes;
  }
}

/** Bytes or text that a middleware has read; undefined if the body was parsed or is empty. */
function bufferedBody(body: unknown, maxBytes: number): Uint8Array | undefined {
  if (typeof body !== 'string' && !ArrayBuffer.isView(body)) return undefined;
  const bytes = bytesWithinLimit(body, maxBytes);
  return bytes.byteLength === 0 ? undefined : bytes;
}

function isEmptyBody(request: NodeWebhookRequest): boolean {
  const body = member(request, 'body');
  if (ArrayBuffer.isView(body)) return body.byteLength === 0;
  return headerValue(request.headers, 'content-length') === '0';
}

/**
 * Settles when the stream ends; `drain` destroys one that does not end in time. With `beginWithinMs` it
 * is a stream that was read before: it resolves with no bytes if none come.
 */
function readStream(
  request: NodeWebhookRequest,
  bytes: LimitedBuffer,
  beginWithinMs?: number,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const isReplay = beginWithinMs !== undefined;
    const onData = (chunk: unknown) => {
      try {
        clearTimeout(timer);
        bytes.add(chunk);
      } catch (error) {
        removeListeners();
        reject(error);
      }
    };
    const onEnd = () => {
      removeListeners();
      resolve(bytes.toBytes());
    };
    const onError = (error: unknown) => {
      removeListeners();
      reject(isSendersFault(error, request) ? connectionClosedError(error) : (error as Error));
    };
    const onClose = () => {
      removeListeners();
      reject(connectionClosedError());
    };
    const listeners: [string, (value: unknown) => void][] = [
      ['data', onData],
      ['end', onEnd],
      ['error', onError],
    ];
    // A request that was read has closed, or will in a moment.
    if (!isReplay) listeners.push(['close', onClose]);
    const removeListeners = () => {
      clearTimeout(timer);
      attempt(() => {
        for (const [event, listener] of listeners) request.removeListener(event, listener);
      });
    };
    const timer = isReplay ? setTimeout(onEnd, beginWithinMs) : undefined;
    for (const [event, listener] of listeners) request.on(event, listener);
    // A middleware may have paused the request, which adding a listener does not undo.
    request.resume();
  });
}

/** Whether the sender broke the request off; other errors come from what reads it here. */
function isSendersFault(error: unknown, request: NodeWebhookRequest): boolean {
  if (error == null || (request as { aborted?: unknown }).aborted === true) return true;
  const { code } = Object(error) as { code?: unknown };
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'EPIPE';
}

function connectionClosedError(cause?: unknown): Error {
  return new SenderGoneError(
    'The sender closed the connection before the body was complete.',
    cause === undefined ? undefined : { cause },
  );
}

/**
 * Reads and drops the rest of a body. Closing immediately would reset the connection, and the
 * sender would see the reset instead of the response.
 */
function drain(request: NodeWebhookRequest): void {
  if (request.readableEnded !== false || request.destroyed === true) return;
  let bytes = 0;
  const count = (chunk: unknown) => {
    bytes += Number((chunk as { readonly length?: number } | null)?.length);
    if (bytes > maxDrainBytes) destroy(request);
  };
  // Node does not close a request whose response is sent: only its socket says that the sender has gone.
  const socket = request.socket as Partial<NodeWebhookRequest> | null | undefined;
  const timer = setTimeout(() => destroy(request), maxDrainMs);
  const stop = () => {
    clearTimeout(timer);
    attempt(() => socket?.removeListener?.('close', stop));
    attempt(() => {
      for (const event of ['end', 'close', 'error']) request.removeListener(event, stop);
      request.removeListener('data', count);
    });
  };
  try {
    request.on('data', count);
    for (const event of ['end', 'close', 'error']) request.on(event, stop);
    request.resume();
  } catch {
    stop();
  }
  attempt(() => socket?.on?.('close', stop));
}

/** Ends the request: its connection over HTTP/1, its stream over HTTP/2. */
function destroy(request: NodeWebhookRequest): void {
  attempt(() => request.destroy());
  const { stream } = request as { stream?: { close?: () => unknown } | null };
  attempt(() => stream?.close?.());
}

/** Runs what only serves the sender's comfort: a platform's imitation of a request may lack it. */
function attempt(run: () => unknown): void {
  try {
    run();
  } catch {
    // The response does not depend on it.
  }
}

function send(status: WebhookStatus, response: NodeWebhookResponse, closes: boolean): void {
  // Another middleware has already responded, for example one with a timeout.
  if (response.headersSent) return;
  const { headers, body } = responseFor(status, closes);
  response.statusCode = status;
  for (const name in headers) response.setHeader(name, headers[name] ?? '');
  response.end(body);
}
