/** A start follows each end of the program, however the end came about. */

import { expect, it, onTestFinished } from 'vitest';
import { ProcessGroups } from '../../../src/command-line/rehearse/process-groups.js';
import { PartnerProgram } from '../../../src/command-line/rehearse/program.js';
import { ProgramOutput } from '../../../src/command-line/rehearse/program-output.js';
import { freePort } from '../../support/free-port.mjs';

const printsPid = `console.log('pid', process.pid);
  require('http').createServer((_, response) => response.end()).listen(process.env.PORT)`;

it('ends a program that a kill came too early for', async () => {
  const port = await freePort();
  const [groups, output] = [new ProcessGroups(), new ProgramOutput()];
  onTestFinished(() => groups.endAll());
  const program = new PartnerProgram(
    {
      command: [process.execPath, '-e', printsPid],
      cwd: '.',
      port,
      startWithinMs: 20_000,
      env: { ...process.env, PORT: String(port) },
      onNote: () => undefined,
    },
    groups,
    output,
    new AbortController().signal,
  );
  await program.start();
  // As when the kill of the process before this one came while this one was being started.
  await program.restart();
  const pids = [...output.text.matchAll(/pid (\d+)/g)].map(([, pid]) => pid);
  expect(new Set(pids).size).toBe(2);
  expect(program.unexpectedExits).toEqual([]);
});
