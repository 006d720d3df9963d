/** Nothing that ends leaves anything in memory: each way to end, 2,000 times, in a process of its own. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { certificateFile } from '../../support/tls-server.js';

const program = fileURLToPath(new URL('endurance.mjs', import.meta.url));
/** A closure that stays behind takes some 100 bytes, a socket several thousand. */
const mostBytes = 300;

it.each(['client'])(
  'each way in which something of the %s ends leaves less than 300 bytes in memory',
  { timeout: 300_000 },
  async (part) => {
    // Compiled code would count as memory, and would grow for some 10,000 repetitions.
    const flags = ['--expose-gc', '--no-opt'];
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, program, part], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: certificateFile('ca.crt') },
    });
    const ways = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Way);
    expect(ways.length).toBeGreaterThan(10);
    expect(ways.filter(({ bytes }) => bytes >= mostBytes)).toEqual([]);
  },
);

interface Way {
  readonly name: string;
  readonly bytes: number;
}
