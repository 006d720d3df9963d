/** A TCP proxy on loopback whose connections can be cut for a while. */

import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface CuttableProxy {
  readonly port: number;
  /** Cuts every connection and refuses new ones for so long. */
  cut(ms: number): Promise<void>;
  close(): Promise<void>;
}

export async function startCuttableProxy(target: {
  readonly host: string;
  readonly port: number;
}): Promise<CuttableProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    const upstream = connect(target.port, target.host);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    if (isCut) client.destroy();
  });
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut: async (ms) => {
      isCut = true;
      cutAll();
      await sleep(ms);
      isCut = false;
    },
    close: () => {
      cutAll();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
