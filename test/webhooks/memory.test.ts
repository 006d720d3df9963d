import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventJson, signedHeaders } from './deliveries.js';

const program = fileURLToPath(new URL('./memory/receiver.mjs', import.meta.url));

/** A signature that nobody made: 64 hexadecimal characters are enough for the body to be read. */
const head =
  'POST / HTTP/1.1\r\nHost: receiver\r\nContent-Type: application/json\r\n' +
  `X-Market-Signature: ${'0'.repeat(64)}\r\nTransfer-Encoding: chunked\r\n\r\n`;
const tinyChunk = '1\r\nx\r\n';

interface Receiver {
  readonly process: ChildProcess;
  readonly port: number;
  /** Bytes of memory in use, once this many bytes have arrived over all connections. */
  memory(afterBytes: number): Promise<number>;
}

async function startReceiver(kind: string, execArgv: string[]): Promise<Receiver> {
  const child = fork(program, [kind], { execArgv: ['--expose-gc', ...execArgv] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    process: child,
    port,
    memory: async (afterBytes) => {
      child.send({ afterBytes });
      const [{ memory }] = (await once(child, 'message')) as [{ memory: number }];
      return memory;
    },
  };
}

/** Sends an unsigned body in chunks of one byte, and leaves it open. Resolves when all is written. */
async function sendTinyChunks(port: number, chunks: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const isWritten = socket.write(head + tinyChunk.repeat(chunks));
  if (!isWritten) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  return socket;
}

describe('a body of unsigned one-byte chunks', () => {
  const chunks = 400_000;
  const warmUpChunks = 150_000;
  const bytesOf = (count: number) => head.length + tinyChunk.length * count;

  it.each(['node:http', 'Express', 'Fastify', 'Hono'])(
    'costs a receiver on %s at most twice its bytes',
    async (kind) => {
      const receiver = await startReceiver(kind, []);
      // The first connection loads and compiles what all share.
      const warmUp = await sendTinyChunks(receiver.port, warmUpChunks);
      await receiver.memory(bytesOf(warmUpChunks));
      warmUp.destroy();
      const before = await receiver.memory(bytesOf(warmUpChunks));
      const socket = await sendTinyChunks(receiver.port, chunks);
      const after = await receiver.memory(bytesOf(warmUpChunks) + bytesOf(chunks));
      // A response would mean that the body was dropped before it was measured.
      expect(socket.bytesRead).toBe(0);
      expect(after - before).toBeLessThan(2 * chunks);
    },
  );

  it('leaves a receiver with a small heap alive, from 40 senders at once', async () => {
    const receiver = await startReceiver('node:http', ['--max-old-space-size=64']);
    const ended = once(receiver.process, 'exit');
    const senders = Array.from({ length: 40 }, () => sendTinyChunks(receiver.port, 30_000));
    expect(await Promise.race([Promise.all(senders), ended])).toHaveLength(40);
    const body = eventJson();
    const response = await fetch(`http://127.0.0.1:${receiver.port}/`, {
      method: 'POST',
      headers: signedHeaders(body),
      body,
    });
    expect(response.status).toBe(200);
  });
});
