/** Deliveries as node:http requests, and those of the frameworks that hand on node's own objects. */

import type { WebhookAnswer } from './answer.js';
import { readNodeBody } from './node-body.js';
import type { Receiver } from './options.js';
import { receive } from './receive.js';

/** What is left of a refused body is taken in, so that the sender gets to read the answer; up to here. */
const DRAIN_BYTES = 16 * 1024 * 1024;
const DRAIN_MS = 2_000;

/** The part of node's `IncomingMessage` that is used, and what frameworks add to it. */
export interface NodeWebhookRequest {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** What a body parser has left: bytes and text are verified, a parsed object is refused. */
  readonly body?: unknown;
  /** The bytes that NestJS and serverless platforms keep beside the parsed body. */
  readonly rawBody?: unknown;
  readonly readableDidRead?: boolean | undefined;
  readonly readableEnded?: boolean | undefined;
  readonly destroyed?: boolean | undefined;
  on(event: string, listener: (value: unknown) => void): unknown;
  removeListener(event: string, listener: (value: unknown) => void): unknown;
  resume(): unknown;
  destroy(): unknown;
}

/** The part of node's `ServerResponse` that is used. */
export interface NodeWebhookResponse {
  statusCode: number;
  readonly headersSent: boolean;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

/** Answers a node request. Never rejects. */
export async function answerNode(
  request: NodeWebhookRequest,
  response: NodeWebhookResponse,
  receiver: Receiver,
): Promise<void> {
  const answer = await receive(
    {
      method: request.method ?? '',
      headers: request.headers,
      read: (maxBytes) => readNodeBody(request, maxBytes),
    },
    receiver,
  );
  if (request.readableEnded === false && request.destroyed !== true) drain(request);
  send(answer, response, receiver);
}

function send(answer: WebhookAnswer, response: NodeWebhookResponse, receiver: Receiver): void {
  // Another middleware, of timeouts for example, was faster.
  if (response.headersSent) return;
  try {
    response.statusCode = answer.status;
    for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
    response.end(answer.body);
  } catch (error) {
    receiver.report(error, { status: answer.status });
  }
}

/**
 * Takes in what is left of a body without keeping it. Closing at once would reset the connection,
 * and the sender would see that instead of the answer.
 */
function drain(request: NodeWebhookRequest): void {
  let bytes = 0;
  const count = (chunk: unknown) => {
    bytes += (chunk as { readonly length: number }).length;
    if (bytes > DRAIN_BYTES) request.destroy();
  };
  const timer = setTimeout(() => request.destroy(), DRAIN_MS);
  const done = () => {
    clearTimeout(timer);
    for (const event of ['end', 'close', 'error']) request.removeListener(event, done);
    request.removeListener('data', count);
  };
  request.on('data', count);
  for (const event of ['end', 'close', 'error']) request.on(event, done);
  request.resume();
}
