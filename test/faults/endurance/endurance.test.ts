/** Nothing that ends leaves anything in memory: each way to end, 2,000 times (800 where that is slow). */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { certificateFile } from '../../support/tls-server.js';

const program = fileURLToPath(new URL('endurance.mjs', import.meta.url));
/** A closure that stays behind takes some 100 bytes, a socket several thousand. */
const mostBytes = 300;

it(
  'each way to end leaves less than 300 bytes in memory, of a client, a delivery, a poll and a stream',
  { timeout: 300_000 },
  async () => {
    // Two processes, since a run in CI has two cores.
    const ways = (await Promise.all([measure('1/2'), measure('2/2')])).flat();
    expect(ways.length).toBeGreaterThan(30);
    const leaks: Way[] = [];
    for (const { name } of ways.filter(({ bytes }) => bytes >= mostBytes)) {
      // What is left in memory is left each time; on a busy machine something may end late once.
      leaks.push(...(await measure('1/1', name)).filter(({ bytes }) => bytes >= mostBytes));
    }
    expect(leaks).toEqual([]);
  },
);

/** The ways of one share, or those of it with these words in their name. */
async function measure(share: string, name = ''): Promise<Way[]> {
  // Compiled code of any tier would count as memory, and would grow for some 10,000 repetitions.
  const flags = ['--expose-gc', '--no-opt', '--no-sparkplug', '--no-maglev'];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, program, share, name], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: certificateFile('ca.crt') },
  });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Way);
}

interface Way {
  readonly name: string;
  readonly bytes: number;
}
