/**
 * A server of raw sockets on loopback: it reads whole requests and answers with whatever bytes a
 * test wants, HTTP or not. It is closed, with all of its sockets, when the test ends.
 */

import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { SentRequest } from './msw-dispatcher.js';

/** What to do with a request; `index` counts requests from 0. */
type Answer = (socket: Socket, request: SentRequest, index: number) => void;

export class RawServer {
  readonly requests: SentRequest[] = [];
  /** Sockets that were accepted, in order. */
  readonly sockets: Socket[] = [];
  readonly #server: Server;

  private constructor(answer: Answer) {
    this.#server = createServer((socket) => {
      this.sockets.push(socket);
      // A client that goes away is what these tests are about.
      socket.on('error', () => undefined);
      readRequests(socket, (request) => {
        this.requests.push(request);
        answer(socket, request, this.requests.length - 1);
      });
    });
  }

  static async start(answer: Answer): Promise<RawServer> {
    const server = new RawServer(answer);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    onTestFinished(() => server.stop());
    return server;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Stops listening and ends all sockets. */
  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/**
 * An address on loopback where nobody listens. Below the ports that a system gives out: a server of another test
 * would get one of those that was free a moment ago.
 */
export async function deadAddress(): Promise<string> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const socket = connect(port, '127.0.0.1');
    const isTaken = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (!isTaken) return `http://127.0.0.1:${port}`;
  }
}

/** The bytes of an answer; `body` is sent as given, with its length unless `headers` says otherwise. */
export function answerBytes(
  status: number,
  body = '',
  headers: Record<string, string | number> = { 'content-length': Buffer.byteLength(body) },
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Whatever\r\n${lines.join('')}\r\n${body}`;
}

/** Resolves when the other side has closed the socket, in either way. */
export function closed(socket: Socket): Promise<void> {
  if (socket.closed) return Promise.resolve();
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

function readRequests(socket: Socket, each: (request: SentRequest) => void): void {
  let read = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    read = Buffer.concat([read, chunk]);
    for (;;) {
      const end = read.indexOf('\r\n\r\n');
      if (end === -1) return;
      const [line = '', ...fields] = read.subarray(0, end).toString('latin1').split('\r\n');
      const headers = Object.fromEntries(
        fields.map((field) => {
          const colon = field.indexOf(':');
          return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
        }),
      );
      const bodyStart = end + 4;
      const bodyEnd = bodyStart + Number(headers['content-length'] ?? 0);
      if (read.length < bodyEnd) return;
      const [method = '', target = ''] = line.split(' ');
      const body = read.subarray(bodyStart, bodyEnd).toString('utf8');
      read = read.subarray(bodyEnd);
      each({ method, target, headers, body });
    }
  });
}
