/** A TCP proxy on loopback that plays a fault for each request instead of passing the response on. */

import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** One request at the proxy. */
export interface ProxiedRequest {
  /** The client's connection. */
  readonly socket: Socket;
  /** Counts the requests of one proxy from 0. */
  readonly index: number;
  /** Sends the request to the service and gives the bytes of its response. */
  readonly work: () => Promise<Buffer>;
}

export interface SocketFault {
  /** Acts on a connection before any byte is read. */
  readonly connected?: (socket: Socket) => void;
  readonly requested?: (request: ProxiedRequest) => void | Promise<void>;
}

export class FaultProxy {
  fault: SocketFault = passOn;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #requests = 0;

  static async start(upstream: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(Number(new URL(upstream).port));
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(upstreamPort: number) {
    this.#server = createServer({ allowHalfOpen: true }, (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      // Half open on purpose, until the client ends its side.
      socket.on('end', () => socket.end());
      socket.on('error', () => undefined);
      this.fault.connected?.(socket);
      readRequests(socket, (bytes) => {
        const request = {
          socket,
          index: this.#requests++,
          work: () => forward(upstreamPort, bytes),
        };
        void this.#play(request);
      });
    });
  }

  async #play(request: ProxiedRequest): Promise<void> {
    try {
      await this.fault.requested?.(request);
    } catch {
      request.socket.destroy();
    }
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connections that the client keeps open. */
  get openSockets(): number {
    return this.#sockets.size;
  }

  /** Resolves when the client has left every connection; rejects after the time given. */
  async untilLeft(withinMs: number): Promise<void> {
    const endMs = performance.now() + withinMs;
    while (this.#sockets.size > 0) {
      if (performance.now() > endMs) throw new Error(`${this.#sockets.size} sockets are left open`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

export const passOn: SocketFault = {
  async requested({ socket, work }) {
    socket.write(await work());
  },
};

function readRequests(socket: Socket, each: (bytes: Buffer) => void): void {
  let read = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    read = Buffer.concat([read, chunk]);
    for (let end = messageEnd(read); end !== undefined; end = messageEnd(read)) {
      const bytes = read.subarray(0, end);
      read = read.subarray(end);
      each(bytes);
    }
  });
}

/** Where the first message ends, once it is there as a whole. */
function messageEnd(bytes: Buffer): number | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const head = bytes.subarray(0, headEnd).toString('latin1');
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  const end = headEnd + 4 + length;
  return bytes.length >= end ? end : undefined;
}

async function forward(port: number, bytes: Buffer): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1');
  try {
    socket.write(bytes);
    let read = Buffer.alloc(0);
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      read = Buffer.concat([read, chunk]);
      const end = messageEnd(read);
      if (end !== undefined) return read.subarray(0, end);
    }
    throw new Error('the service closed the connection');
  } finally {
    socket.destroy();
  }
}
