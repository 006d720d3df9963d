/** A rehearsal in a process of its own ends what it started, however it ends itself. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../support/free-port.mjs';
import { rehearsalOf, rightPrograms } from './programs.mjs';
import { isListening, temporaryFolder, until } from './run-rehearsal.js';

const bin = fileURLToPath(new URL('../../../dist/bin.cjs', import.meta.url));
const [resume] = rightPrograms as [(typeof rightPrograms)[number]];

describe('the program of a rehearsal', { timeout: 60_000 }, () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
    'ends with it at %s',
    async (signal) => {
      const port = await freePort();
      const args = rehearsalOf(resume, port, await temporaryFolder());
      const command = spawn(process.execPath, [bin, ...args], { stdio: 'ignore' });
      const exit = once(command, 'exit');
      await until(() => isListening(port));
      command.kill(signal);
      await exit;
      await until(async () => !(await isListening(port)));
      expect(await isListening(port)).toBe(false);
    },
  );
});
