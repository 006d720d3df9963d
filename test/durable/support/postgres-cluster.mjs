/** A PostgreSQL of its own on loopback, by the binaries of the machine; its data ends with it. */

import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../support/free-port.mjs';

const run = promisify(execFile);

/** @returns the folder of the binaries, or `undefined` where PostgreSQL is not installed */
export function findBinaries() {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => b - a) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')));
}

export async function startCluster() {
  const bin = findBinaries();
  if (bin === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  const folder = mkdtempSync(join(tmpdir(), 'market-postgres-'));
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const owner = await ownerOf(folder, data);
  const command = (name, ...args) => run(join(bin, name), args, owner);
  const port = await freePort();
  const options = `-c port=${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder}`;
  const start = () =>
    command('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), '-o', options, 'start');
  /** As a power cut does: without a checkpoint. */
  const crash = () => command('pg_ctl', '-D', data, '-m', 'immediate', 'stop');
  const end = async () => {
    await crash().catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await command('initdb', '-D', data, '-U', 'postgres', '--auth=trust');
    await start();
  } catch (error) {
    await end();
    throw error;
  }
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, start, crash, end };
}

/** The server refuses to run as root: there it runs as the user that its package created. */
export async function ownerOf(...folders) {
  if (process.getuid() !== 0) return {};
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, 'postgres'])).stdout)),
  );
  for (const folder of folders) chownSync(folder, uid, gid);
  return { uid, gid, cwd: folders[0] };
}
