/** The service over real HTTP. */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { isIPv6, type AddressInfo } from 'node:net';
import { ByteCollector } from '../../core/byte-collector.js';
import { pause } from '../../core/time/sleep.js';
import { planBody } from './body-plan.js';
import { isLoopback, refuseForeignSite, type SiteRefusal } from './loopback.js';
import {
  maxBodyBytes,
  originOf,
  splitTarget,
  statusesWithoutBody,
  type ServiceResponse,
  type RawRequest,
  type ScheduledResponse,
  type ServerRequest,
} from './messages.js';

/** Longer than any pause of a test between two calls on one connection. */
const keepAliveMs = 60_000;

/** "Every address" cannot be called, and the client refuses it. */
const reachableNames: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The service over real HTTP on one address. */
export class HttpServer {
  readonly #server: Server;
  #isOnLoopback = true;

  /**
   * @param handle - the service
   * @param handleOwn - responds to a request that is not for the service; `false` if it is for it
   * @param publicUrl - another address that leads here: requests may come by its name
   */
  constructor(
    handle: (request: RawRequest) => ScheduledResponse,
    handleOwn: (message: ServerRequest, response: ServerResponse) => boolean,
    publicUrl?: string,
  ) {
    this.#server = createServer({ keepAliveTimeout: keepAliveMs }, (received, response) => {
      const message = received as ServerRequest;
      if (handleOwn(message, response)) return;
      const refusal = this.#isOnLoopback
        ? refuseForeignSite(message.headers, publicUrl)
        : undefined;
      if (refusal !== undefined) {
        sendRefusal(response, refusal);
        return;
      }
      serve(message, response, handle).catch((error: unknown) => {
        // The client left, or a matcher or listener of the test threw. Show the second.
        if (response.headersSent || response.destroyed) message.destroy();
        else response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error));
      });
    });
  }

  /** Resolves with the port, and the address that a client on this machine can call. */
  async listen(port: number, host: string): Promise<{ port: number; origin: string }> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    // A test that fails before it stops the emulator ends; so must its idle connections.
    this.#server.unref().on('connection', (socket) => socket.unref());
    const bound = this.#server.address() as AddressInfo;
    this.#isOnLoopback = isLoopback(bound.address);
    const name = reachableNames[bound.address] ?? bound.address;
    const hostname = isIPv6(name) ? `[${name}]` : name;
    return { port: bound.port, origin: `http://${hostname}:${bound.port}` };
  }

  /** Ends every connection, and thereby the responses that are still delayed. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

async function serve(
  message: ServerRequest,
  response: ServerResponse,
  handle: (request: RawRequest) => ScheduledResponse,
): Promise<void> {
  const body = await readBody(message);
  const scheduled = handle(toRawRequest(message, body));
  if (scheduled.delayMs === 0 && scheduled.mode.kind === 'whole') {
    const { status, headers } = scheduled.response;
    if (statusesWithoutBody.includes(status)) response.writeHead(status, headers).end();
    else sendWhole(response, scheduled.response);
    return;
  }
  const clientGone = new AbortController();
  response.once('close', () => clientGone.abort());
  try {
    await sendFaulty(response, scheduled, (ms) => pause(ms, [clientGone.signal]));
  } catch {
    response.destroy();
  }
}

/** Nothing of the body is read, so the connection cannot be used for another request. */
function sendRefusal(response: ServerResponse, { status, code, message }: SiteRefusal): void {
  const headers = { 'content-type': 'application/json; charset=utf-8', connection: 'close' };
  sendWhole(response, { status, headers, body: JSON.stringify({ code, message }) });
}

function sendWhole(response: ServerResponse, { status, headers, body }: ServiceResponse): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** Sends a response late or in a broken way. */
async function sendFaulty(
  response: ServerResponse,
  scheduled: ScheduledResponse,
  wait: (ms: number) => Promise<unknown>,
): Promise<void> {
  if (scheduled.delayMs > 0) await wait(scheduled.delayMs);
  const { socket } = response;
  if (scheduled.mode.kind === 'reset') {
    // RST instead of FIN: what a client sees when a machine dies.
    socket?.resetAndDestroy();
    return;
  }
  const { contentLength, cut, pieces } = planBody(scheduled, wait);
  const { status, headers } = scheduled.response;
  response.writeHead(status, {
    ...headers,
    ...(contentLength === undefined ? {} : { 'content-length': contentLength }),
  });
  response.flushHeaders();
  for await (const piece of pieces) {
    if (!response.write(piece)) await waitForDrain(response);
  }
  if (cut) {
    // Let the socket write the pieces before the connection is destroyed.
    await new Promise<void>((resolve) => setImmediate(resolve));
    socket?.destroy();
  } else {
    response.end();
  }
}

async function waitForDrain(response: ServerResponse): Promise<void> {
  const over = new AbortController();
  await Promise.race([
    once(response, 'drain', { signal: over.signal }),
    once(response, 'close', { signal: over.signal }),
  ]).finally(() => over.abort());
}

type ReadBody = Pick<RawRequest, 'body' | 'bodyTooLarge' | 'bodySha256'>;

async function readBody(message: ServerRequest): Promise<ReadBody> {
  const collector = new ByteCollector();
  const hash = createHash('sha256');
  let length = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    length += chunk.length;
    hash.update(chunk);
    // Read and drop the rest: a client that is still sending does not read the response.
    if (length <= maxBodyBytes) collector.add(chunk);
  }
  const body = toBuffer(collector.toBytes());
  return length > maxBodyBytes
    ? { body, bodyTooLarge: true, bodySha256: hash.digest('hex') }
    : { body, bodyTooLarge: false };
}

function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function toRawRequest(message: ServerRequest, body: ReadBody): RawRequest {
  return {
    origin: originOf(message.headers),
    method: message.method,
    // The raw request target; node:http refuses non-ASCII there.
    ...splitTarget(message.url),
    headers: flattenHeaders(message),
    ...body,
  };
}

function flattenHeaders({ headers }: ServerRequest): Record<string, string> {
  const flat = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]);
  return Object.fromEntries(flat) as Record<string, string>;
}
