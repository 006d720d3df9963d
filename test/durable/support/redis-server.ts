/** A Redis to test on: REDIS_URL, else 127.0.0.1:6379, else a `redis-server` that this starts. */

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.mjs';
import { isReachable, redisUrl } from './servers.js';

export interface TestRedis {
  readonly url: URL;
  stop(): Promise<void>;
}

/** `undefined`: there is no server, and no program to start one. */
export async function findRedis(): Promise<TestRedis | undefined> {
  if (await isReachable(redisUrl)) return { url: redisUrl, stop: () => Promise.resolve() };
  const own = await startRedis({}).catch(() => undefined);
  // The processes of a crash test find it by the variable.
  if (own !== undefined) process.env.REDIS_URL = own.url.href;
  return own;
}

/** @param start.settings - arguments of redis-server, such as `--appendonly yes` */
export async function startRedis(start: {
  readonly port?: number;
  readonly settings?: readonly string[];
}): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'market-redis-'));
  const { port = await freePort(), settings = [] } = start;
  const url = new URL(`redis://127.0.0.1:${port}`);
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const server = spawn('redis-server', [...options, ...settings], { stdio: 'ignore' });
  const stop = async () => {
    await kill(server);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.race([
      untilReachable(url),
      new Promise((_resolve, reject) => server.once('error', reject)),
    ]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

async function kill(server: ChildProcess): Promise<void> {
  if (server.pid === undefined || server.exitCode !== null) return;
  const exited = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGKILL');
  await exited;
}

async function untilReachable(url: URL): Promise<void> {
  const until = Date.now() + 10_000;
  while (!(await isReachable(url))) {
    if (Date.now() > until) throw new Error('redis-server did not start');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
