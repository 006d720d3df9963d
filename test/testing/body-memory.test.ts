import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { start } from './control-fixture.js';
import { collectGarbage } from '../support/garbage.js';

/** Bytes that are in use, buffers included. */
function usedBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const chunkCount = 400_000;
const wireBytes = chunkCount * '1\r\n \r\n'.length;

/** Sends a body of one-byte chunks without its end. */
async function sendTinyChunks(port: number, path: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
  const batch = '1\r\n \r\n'.repeat(chunkCount / 100);
  for (let sent = 0; sent < 100; sent += 1) {
    if (!socket.write(batch)) await once(socket, 'drain');
  }
  return socket;
}

it.each(['/api/partner/v1/orders', '/_emulator/v1/settle'])(
  'a body in chunks of one byte to %s takes no more than twice what was sent',
  async (path) => {
    const { emulator, port } = await start();
    const before = usedBytes();
    const socket = await sendTinyChunks(port, path);
    // A response to a later request: the server has read what came before it.
    await fetch(`${emulator.baseUrl}/_emulator/health`);
    expect(usedBytes() - before).toBeLessThan(2 * wireBytes);
    // What it holds is freed before the next measurement.
    socket.destroy();
    await emulator.stop();
    await new Promise((resolve) => setImmediate(resolve));
  },
);
