/** Faults of real connections, each with the ends that are documented for it. */

import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { passOn, type ProxiedRequest, type SocketFault } from './fault-proxy.js';

/** `'success'`, or the class of the error. */
export type SocketEnd = 'success' | 'ConnectionError' | 'TimeoutError' | 'UnexpectedResponseError';

export interface SocketFaultCase extends SocketFault {
  readonly end: SocketEnd;
  /** It never ends by itself: the attempt's time does. */
  readonly stalls?: true;
  /** The calls that meet it, where it is too much work for all of them. */
  readonly calls?: readonly string[];
}

const lost = { end: 'ConnectionError' } as const;
const stalled = { end: 'TimeoutError', stalls: true } as const;
const fine = { end: 'success' } as const;
const unexpected = { end: 'UnexpectedResponseError' } as const;

export const socketFaults: Readonly<Record<string, SocketFaultCase>> = {
  'no fault': { ...passOn, ...fine },
  'reset before reading': { connected: reset, ...lost },
  'closed before reading': { connected: (socket) => socket.destroy(), ...lost },
  'half closed before reading': { connected: (socket) => socket.end(), ...lost },
  'reset after reading': { requested: ({ socket }) => reset(socket), ...lost },
  'reset after the work': { requested: afterWork((socket) => reset(socket)), ...lost },
  'closed after the work': { requested: afterWork((socket) => socket.destroy()), ...lost },
  'half closed after the work': { requested: afterWork((socket) => socket.end()), ...lost },
  'reset in the headers': { requested: cut((head) => head / 2, reset), ...lost },
  'half closed in the headers': { requested: cut((head) => head / 2, close), ...lost },
  'reset in the body': { requested: cut((head) => head + 1, reset), ...lost },
  'half closed in the body': { requested: cut((head) => head + 1, close), ...lost },
  'silent before the work': { requested: () => undefined, ...stalled },
  'silent after the work': { requested: afterWork(() => undefined), ...stalled },
  'silent in the headers': { requested: cut((head) => head / 2), ...stalled },
  'silent in the body': { requested: cut((head) => head + 1), ...stalled },
  'garbage before the work': {
    requested: ({ socket }) => void socket.end('SSH-2.0-x\r\n'),
    ...lost,
  },
  'garbage after the work': { requested: afterWork((socket) => socket.end('\0\x01\x02')), ...lost },
  'one byte at a time': { requested: drip, ...fine },
  'informational responses first': {
    requested: afterWork((socket, response) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
      socket.write(response);
    }),
    ...fine,
  },
  // undici ends the connection, though HTTP says to skip it (docs/client.md).
  '100 Continue first': {
    requested: afterWork((socket, response) => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      socket.write(response);
    }),
    ...lost,
  },
  'closed behind each response': {
    requested: afterWork((socket, response) => socket.end(response)),
    ...fine,
  },
  'headers without an end': {
    requested: ({ socket }) => endless(socket, head, 'x-a: b\r\n'),
    ...lost,
  },
  'a header line without an end': {
    requested: ({ socket }) => endless(socket, `${head}x-a: `, 'b'.repeat(4_096)),
    ...lost,
  },
  'a body without an end': {
    requested: ({ socket }) => endless(socket, chunked, '400\r\n' + ' '.repeat(1_024) + '\r\n'),
    ...lost,
    calls: ['domains.search', 'orders.create', 'orders.refund'],
  },
  'a slow body without an end': {
    requested: ({ socket }) => endless(socket, chunked, '1\r\n \r\n', 20),
    ...stalled,
  },
  // Each call decodes it up to the limit, so all of them at once would take a slow machine its whole timeout.
  'a compressed bomb': {
    requested: ({ socket }) => void socket.write(bomb),
    calls: ['domains.search', 'orders.create', 'orders.refund'],
    ...unexpected,
  },
  'a switch of protocols': {
    requested: ({ socket }) => void socket.write('HTTP/1.1 101 Switching\r\nupgrade: h2c\r\n\r\n'),
    ...lost,
  },
  'a body that is longer than announced': {
    requested: afterWork((socket, response) => socket.write(Buffer.concat([response, response]))),
    ...fine,
  },
  'two lengths': {
    requested: ({ socket }) =>
      void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}'),
    ...lost,
  },
  'chunks that are none': {
    requested: ({ socket }) => void socket.write(`${chunked}zz\r\n{}\r\n`),
    ...lost,
  },
};

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const chunked = `${head}transfer-encoding: chunked\r\n\r\n`;

/** 30 MB of zeros in 30 kB. */
const bomb = (() => {
  const body = gzipSync(Buffer.alloc(30_000_000));
  return Buffer.concat([
    Buffer.from(`${head}content-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`),
    body,
  ]);
})();

function reset(socket: Socket): void {
  socket.resetAndDestroy();
}

function close(socket: Socket): void {
  socket.end();
}

function afterWork(play: (socket: Socket, response: Buffer) => unknown) {
  return async ({ socket, work }: ProxiedRequest): Promise<void> => {
    play(socket, await work());
  };
}

/** Sends the beginning of the service's response, and then ends the connection, if asked to. */
function cut(lengthFor: (headLength: number) => number, end?: (socket: Socket) => void) {
  return afterWork((socket, response) => {
    const length = Math.floor(lengthFor(response.indexOf('\r\n\r\n') + 4));
    socket.write(response.subarray(0, length), () => setTimeout(() => end?.(socket), 5));
  });
}

async function drip({ socket, work }: ProxiedRequest): Promise<void> {
  socket.setNoDelay(true);
  for (const byte of await work()) {
    if (socket.destroyed) return;
    socket.write(Buffer.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Sends the same piece until the client leaves. */
function endless(socket: Socket, start: string, piece: string, everyMs = 0): void {
  socket.write(start);
  const more = () => {
    if (socket.destroyed) return;
    if (everyMs > 0) {
      socket.write(piece);
      setTimeout(more, everyMs);
    } else if (socket.write(piece.repeat(64))) setImmediate(more);
    else socket.once('drain', more);
  };
  more();
}
