/** A real HTTP proxy on loopback: it tunnels CONNECT, asks for a password if it has one, and counts. */

import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';
import { listenOnPort } from './loopback.js';

export interface ProxyServer {
  /** `http://127.0.0.1:3128`. */
  readonly url: string;
  /** The target of each CONNECT: `127.0.0.1:443`. */
  readonly tunnels: readonly string[];
  /** The sockets that are open now. */
  readonly open: ReadonlySet<Duplex>;
}

export interface ProxyServerOptions {
  /** `user:password`; without it everybody may pass. */
  readonly login?: string;
  /** Takes CONNECT and never answers it. */
  readonly silent?: boolean;
}

export async function startProxyServer({ login, silent }: ProxyServerOptions = {}) {
  const tunnels: string[] = [];
  const open = new Set<Duplex>();
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connection', (socket: Socket) => watch(socket));
  server.on('connect', (request: IncomingMessage, client: Duplex) => {
    tunnels.push(request.url ?? '');
    // node keeps a socket half open until this side ends it, too.
    client.on('end', () => client.end());
    if (silent === true) {
      client.resume();
      return;
    }
    const expected = `Basic ${Buffer.from(login ?? '').toString('base64')}`;
    if (login !== undefined && request.headers['proxy-authorization'] !== expected) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const target = watch(connect(Number(port), host));
    target.on('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(target).pipe(client);
    });
    target.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'));
    client.on('close', () => target.destroy());
    target.on('close', () => client.destroy());
  });
  const port = await listenOnPort(server);
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
  });
  return { url: `http://127.0.0.1:${port}`, tunnels, open } satisfies ProxyServer;

  function watch<S extends Duplex>(socket: S): S {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    return socket;
  }
}
