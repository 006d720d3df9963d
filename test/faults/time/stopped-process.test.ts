/** A process that is stopped, as by a laptop's lid or an orchestrator, in a request and in a wait. */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { listen } from '../../support/loopback.js';

const program = fileURLToPath(new URL('./one-call.mjs', import.meta.url));
const stoppedMs = 4_500;

/** What the child prints of its call. */
interface Report {
  readonly name: string;
  readonly which?: string;
  readonly outcome?: string;
  readonly attempts?: number;
}

describe.skipIf(process.platform === 'win32')('a process that was stopped', () => {
  it('in a request ends the call, and sends nothing after its deadline', async () => {
    const report = await run(() => undefined);
    expect(report).toMatchObject({ name: 'TimeoutError', outcome: 'unknown', attempts: 1 });
  });

  it('in a wait ends the call, and sends nothing after its deadline', async () => {
    const report = await run((response) => {
      response.writeHead(503, { 'retry-after': '1', 'content-type': 'application/json' });
      response.end('{"message":"soon"}');
    });
    expect(report).toMatchObject({ name: 'TimeoutError', which: 'deadline', attempts: 1 });
  });
});

/** Stops the child as soon as its first request is there, and lets it go on after its deadline. */
async function run(answer: (response: ServerResponse) => void): Promise<Report> {
  let requests = 0;
  const children: ChildProcess[] = [];
  const signal = (name: NodeJS.Signals) => children.forEach((child) => child.kill(name));
  const server = createServer((_request, response) => {
    requests += 1;
    answer(response);
    setTimeout(() => {
      signal('SIGSTOP');
      setTimeout(() => signal('SIGCONT'), stoppedMs);
    }, 100);
  });
  const baseUrl = await listen(server);
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, [program, baseUrl], { stdio: [...stdio] });
  children.push(child);
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  await once(child, 'close');
  expect(requests).toBe(1);
  return JSON.parse(printed) as Report;
}
