import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bodyPlan, pauseUnless } from './body-pieces.js';
import {
  maxBodyBytes,
  splitTarget,
  withoutBody,
  type Answer,
  type ArrivedRequest,
  type Outcome,
} from './exchange.js';

/** Long enough that no test's kept connection is closed between two of its calls. */
const keepAliveMs = 60_000;

/** The service over real HTTP on one address. */
export class HttpServer {
  readonly #server: Server;
  readonly #stopping = new AbortController();

  constructor(handle: (request: ArrivedRequest) => Outcome) {
    this.#server = createServer({ keepAliveTimeout: keepAliveMs }, (message, response) => {
      serve(message, response, handle, this.#stopping.signal).catch((error: unknown) => {
        // A client that left, or a match or listener of the test that threw: that one must show.
        if (response.headersSent || response.destroyed) message.destroy();
        else response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error));
      });
    });
  }

  async listen(port: number, host: string): Promise<AddressInfo> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    return this.#server.address() as AddressInfo;
  }

  /** Ends every connection, answers that are held back included. */
  async close(): Promise<void> {
    this.#stopping.abort();
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

async function serve(
  message: IncomingMessage,
  response: ServerResponse,
  handle: (request: ArrivedRequest) => Outcome,
  stopping: AbortSignal,
): Promise<void> {
  const body = await readBody(message);
  const outcome = handle(arrived(message, body));
  if (outcome.delayMs === 0 && outcome.manner.kind === 'whole') {
    const { status, headers } = outcome.answer;
    if (withoutBody.includes(status)) response.writeHead(status, headers).end();
    else sendWhole(response, outcome.answer);
    return;
  }
  const gone = new AbortController();
  const leave = () => gone.abort();
  response.once('close', leave);
  stopping.addEventListener('abort', leave, { once: true });
  try {
    await sendOddly(response, outcome, pauseUnless(gone.signal));
  } catch {
    response.destroy();
  } finally {
    stopping.removeEventListener('abort', leave);
  }
}

function sendWhole(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** An answer that is late, or does not come as a whole. */
async function sendOddly(
  response: ServerResponse,
  outcome: Outcome,
  pause: (milliseconds: number) => Promise<void>,
): Promise<void> {
  if (outcome.delayMs > 0) await pause(outcome.delayMs);
  const { socket } = response;
  if (outcome.manner.kind === 'reset') {
    // RST instead of FIN: what a client sees when a machine dies.
    socket?.resetAndDestroy();
    return;
  }
  const { contentLength, cut, pieces } = bodyPlan(outcome, pause);
  const { status, headers } = outcome.answer;
  response.writeHead(status, {
    ...headers,
    ...(contentLength === undefined ? {} : { 'content-length': contentLength }),
  });
  response.flushHeaders();
  for await (const piece of pieces) {
    if (!response.write(piece)) await drained(response);
  }
  if (cut) {
    // The pieces must be on their way before the connection goes.
    await new Promise<void>((resolve) => setImmediate(resolve));
    socket?.destroy();
  } else {
    response.end();
  }
}

async function drained(response: ServerResponse): Promise<void> {
  const over = new AbortController();
  await Promise.race([
    once(response, 'drain', { signal: over.signal }),
    once(response, 'close', { signal: over.signal }),
  ]).finally(() => over.abort());
}

async function readBody(message: IncomingMessage): Promise<{ body: Buffer; tooLarge: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    length += chunk.length;
    // The rest is read and dropped: a client that is still sending cannot hear an answer.
    if (length <= maxBodyBytes) chunks.push(chunk);
  }
  return { body: Buffer.concat(chunks), tooLarge: length > maxBodyBytes };
}

function arrived(
  message: IncomingMessage,
  { body, tooLarge }: { body: Buffer; tooLarge: boolean },
): ArrivedRequest {
  return {
    method: message.method ?? 'GET',
    // As it stood in the request line; node:http refuses what is not ASCII there.
    ...splitTarget(message.url ?? '/'),
    headers: flatHeaders(message),
    body,
    bodyTooLarge: tooLarge,
  };
}

function flatHeaders({ headers }: IncomingMessage): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}
