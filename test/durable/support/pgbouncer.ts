/** A PgBouncer in transaction mode on loopback, in front of the PostgreSQL of the tests. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../support/free-port.mjs';
import { ownerOf } from './postgres-cluster.mjs';
import { addressOf, isReachable, postgresUrl } from './servers.js';

export const hasPgBouncer = spawnSync('pgbouncer', ['--version']).status === 0;

/** @param poolSize - connections to PostgreSQL, which all clients share */
export async function startPgBouncer(
  poolSize: number,
): Promise<{ readonly url: URL; end(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'market-pgbouncer-'));
  const file = join(folder, 'pgbouncer.ini');
  const port = await freePort();
  const server = addressOf(postgresUrl);
  writeFileSync(
    file,
    `[databases]
* = host=${server.host} port=${server.port} user=${postgresUrl.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
`,
  );
  const child = spawn('pgbouncer', [file], { stdio: 'ignore', ...(await ownerOf(folder)) });
  const exit = once(child, 'exit');
  const url = new URL(postgresUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  while (!(await isReachable(url))) await sleep(20);
  const end = async () => {
    child.kill('SIGKILL');
    await exit;
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, end };
}
