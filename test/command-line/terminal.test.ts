/** What a person sees on a terminal: colors, rows that fit, and a sign of what runs. */

import { createServer } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runCommandLine } from '../../src/command-line/main.js';
import { createWriter } from '../../src/command-line/writer.js';
import { service } from './run-doctor.js';

const red = (text: string) => `\u001b[31m${text}\u001b[39m`;
const green = (text: string) => `\u001b[32m${text}\u001b[39m`;

/** All that a command writes, in its order, with the stream of each piece. */
function recorder() {
  const pieces: (readonly [to: 'out' | 'err', text: string])[] = [];
  const out = (text: string) => void pieces.push(['out', text]);
  const err = (text: string) => void pieces.push(['err', text]);
  const textOf = (stream: 'out' | 'err') =>
    pieces.flatMap(([to, text]) => (to === stream ? [text] : [])).join('');
  return { out, err, pieces, textOf, stop: new AbortController().signal };
}

test.each([
  ['a terminal', { columns: 80 }, green('ok')],
  ['a pipe', {}, 'ok'],
  ['a terminal with NO_COLOR', { columns: 80, env: { NO_COLOR: '1' } }, 'ok'],
  ['a pipe with FORCE_COLOR', { env: { FORCE_COLOR: '1' } }, green('ok')],
  ['a terminal with FORCE_COLOR=0', { columns: 80, env: { FORCE_COLOR: '0' } }, 'ok'],
  ['both', { columns: 80, env: { FORCE_COLOR: '1', NO_COLOR: '1' } }, 'ok'],
  ['a dumb terminal', { columns: 80, env: { TERM: 'dumb' } }, 'ok'],
])('the color of a state on %s', (_, terminal, state) => {
  const { textOf, ...record } = recorder();
  createWriter({ ...record, ...terminal }).row('ok       node');
  expect(textOf('out')).toBe(`${state}       node\n`);
});

test('only the first state of a row has a color, and no text has escapes of its own', () => {
  const { textOf, ...record } = recorder();
  const { row } = createWriter({ ...record, columns: 80 });
  row('books.ok 422 price_mismatch: it failed \u001b[2J');
  expect(textOf('out')).toBe(`books.ok ${red('422')} price_mismatch: it failed \\u001b[2J\n`);
});

test('a row that fared well is cut between words, one that did not is wrapped', () => {
  const { textOf, ...record } = recorder();
  const { row } = createWriter({ ...record, columns: 60, env: { NO_COLOR: '1' } });
  const hash = 'a'.repeat(40);
  row(`held  the key of the sale is ${hash}`);
  row(`FAILED  the key of the sale is ${hash}, and it is used twice`, { indent: 8 });
  expect(textOf('out').split('\n')).toEqual([
    'held  the key of the sale is …',
    'FAILED  the key of the sale is',
    `        ${hash}, and it is`,
    '        used twice',
    '',
  ]);
});

test('progress is a line that the next output replaces', () => {
  const { pieces, ...record } = recorder();
  const { progress, row } = createWriter({ ...record, columns: 40, isInteractive: true });
  progress('1/47 after 10 s: outage, slow-response, lost-after-work');
  row('done');
  row('done');
  expect(pieces).toEqual([
    ['err', '1/47 after 10 s: outage, …'],
    ['err', '\r\u001b[K'],
    ['out', 'done\n'],
    ['out', 'done\n'],
  ]);
});

test('where it cannot be replaced, progress is a line after ten quiet seconds', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { textOf, ...record } = recorder();
  const { progress, row } = createWriter(record);
  for (let second = 1; second <= 25; second += 1) {
    vi.advanceTimersByTime(1_000);
    if (second === 5) row('held');
    progress(`after ${second} s`);
  }
  expect(textOf('err')).toBe('after 15 s\nafter 25 s\n');
});

test('doctor prints each check when it has ended, and names the one that failed', async () => {
  // It takes the connection, and never says a word.
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await new Promise((resolve) => silent.once('listening', resolve));
  const { port } = silent.address() as { port: number };
  const { env } = await service();
  const { pieces, textOf, ...record } = recorder();
  const stopping = new AbortController();
  const ended = runCommandLine(['doctor'], {
    ...record,
    env: { ...env, MARKET_BASE_URL: `http://127.0.0.1:${port}` },
    columns: 80,
    isInteractive: true,
    stop: stopping.signal,
  });
  await vi.waitFor(() => expect(pieces.at(-1)?.[1]).toMatch(/^The first read from 127/), 10_000);
  expect(textOf('out')).toMatch(/configuration .*\n.*tls /);
  expect(textOf('out')).not.toMatch(/connection/);
  stopping.abort();
  expect(await ended).toBe(1);

  const refused = recorder();
  await runCommandLine(['doctor'], { ...refused, env: { ...env, MARKET_SECRET: 'x'.repeat(40) } });
  expect(refused.textOf('out')).toMatch(
    /\n1 check failed: credential. \d+ others need that first\.\n$/,
  );
});

test('the help has its commands in groups, and begins each with the one that all need', async () => {
  const { textOf, ...record } = recorder();
  await runCommandLine(['--help'], { ...record, columns: 80 });
  const first = [...textOf('out').matchAll(/^(Try|Test|Go live|Operate):\n {2}(\w+)/gm)];
  expect(first.map(([, group, name]) => [group, name])).toEqual([
    ['Try', 'emulator'],
    ['Test', 'rehearse'],
    ['Go live', 'doctor'],
    ['Operate', 'reconcile'],
  ]);
});
