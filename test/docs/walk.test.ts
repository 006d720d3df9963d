/**
 * A reader's walk: README and the guides in the order of docs/README.md, on one emulator, each program saved as
 * a file and run by Node, each command of the emulator typed where the page has it.
 */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findNodeWithSqlite } from '../durable/support/find-sqlite.js';
import { freePort } from '../support/free-port.mjs';
import { pageAt, root, type DocPage } from './pages.js';
import { programsOf, type Program } from './programs.js';

/** A step of the walk, in the order of the page. */
type Step =
  | { readonly name: string; readonly line: number; readonly program: Program }
  | { readonly name: string; readonly line: number; readonly command: string };

/** What a reader types into a running emulator; the others start servers or need files of the reader. */
const emulatorCommand =
  /^npx market-partner-sdk (faults|orders|domains|sessions|cases|links|clock|doctor)\b/;

/** Pages whose programs start a service of their own, or send to one that is only named. */
const withOwnService = ['docs/testing.md', 'docs/security.md'];

const walked = [pageAt('README.md'), ...guidesInOrder()].filter(
  ({ path }) => !withOwnService.includes(path),
);
const node = findNodeWithSqlite();
const bin = join(root, 'dist/bin.cjs');

function guidesInOrder(): DocPage[] {
  const { links } = pageAt('docs/README.md');
  return links.map(({ target }) => pageAt(`docs/${target}`));
}

function stepsOf(page: DocPage): Step[] {
  const programs = programsOf(page)
    .filter(({ notRun, parts }) => notRun === undefined && !isTestFile(parts[0]))
    .map((program) => ({ name: program.name, line: program.parts[0].line, program }));
  const commands = page.fences
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code, line }) =>
      code
        .split('\n')
        .filter((command) => emulatorCommand.test(command))
        .map((command) => ({ name: `${page.path}: ${command}`, line, command })),
    );
  return [...programs, ...commands].sort((a, b) => a.line - b.line);
}

function isTestFile({ code }: { readonly code: string }): boolean {
  return code.includes("from 'vitest'");
}

describe.skipIf(node === undefined)('a reader who follows the guides on one emulator', () => {
  const folder = mkdtempSync(join(tmpdir(), 'walk-'));
  let environment: Record<string, string> = {};
  let stop: () => Promise<unknown> = () => Promise.resolve();
  /** The records of each kind that a command printed last: pages call them `ord_1001`, `cs_1001` and so on. */
  const lastIds: Record<string, string> = {};

  beforeAll(async () => {
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(root, join(folder, 'node_modules/market-partner-sdk'));
    // What the pages tell the reader to bring.
    mkdirSync(join(folder, 'node_modules/@opentelemetry'));
    for (const name of ['@opentelemetry/api', 'express', 'pino', 'winston']) {
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    }
    const args = ['dist/bin.cjs', 'emulator', '--env', '--port', String(await freePort())];
    const emulator = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    stop = async () => {
      emulator.kill('SIGTERM');
      await once(emulator, 'close');
    };
    const [text] = (await once(emulator.stdout, 'data')) as [Buffer];
    environment = Object.fromEntries(
      text
        .toString()
        .trim()
        .split('\n')
        .map((line) => line.split('=') as [string, string]),
    );
  });
  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true });
  });

  it.each(walked.flatMap(stepsOf))('$name', { timeout: 60_000 }, async (step) => {
    if ('program' in step) await runProgram(step.program);
    else await runCommand(step.command);
  });

  async function runCommand(command: string): Promise<void> {
    const [, , ...args] = (command.match(/'[^']*'|\S+/g) ?? []).map((word) =>
      word.replace(/^'|'$/g, '').replace(/^\w+_1001$/, (id) => lastIds[id] ?? id),
    );
    const { stdout } = await promisify(execFile)(process.execPath, [bin, ...args], {
      // `doctor --learn` writes a file.
      cwd: folder,
      env: { ...process.env, ...environment },
    });
    if (args[1] !== 'place' && args[1] !== 'list') return;
    for (const [id, kind = ''] of stdout.matchAll(/^([a-z]+)_\w+/gm)) lastIds[`${kind}_1001`] = id;
  }

  /** A program that stays up is asked to end: once it has printed what the page says, or after a while. */
  async function runProgram({ name, parts }: Program): Promise<void> {
    const text = parts.map(({ code }) => code).join('\n');
    const { code } = await transform(text, { loader: 'ts', target: 'node20' });
    const file = join(folder, `${name.replace(/\W/g, '-')}.mjs`);
    const port = String(await freePort());
    writeFileSync(
      file,
      code
        .replaceAll('ord_1001', lastIds.ord_1001 ?? 'ord_1001')
        .replaceAll('listen(3000,', `listen(${port},`),
    );
    const child = spawn(node!, ['--no-warnings', file], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = parts.flatMap((part) => part.output ?? []).join('\n');
    let printed = '';
    let errors = '';
    child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
    child.stdout.on('data', (data: Buffer) => (printed += data.toString()));
    const patience = setTimeout(() => child.kill('SIGTERM'), output === '' ? 5_000 : 40_000);
    const [exitCode, signal] = (await once(child, 'close')) as [number | null, string | null];
    clearTimeout(patience);
    const ended = exitCode === 0 || signal === 'SIGTERM' ? '' : errors;
    expect(ended).toBe('');
    if (output !== '') expect(printed.trimEnd()).toBe(output);
  }
});

describe('the programs of the guides', () => {
  it('are plain JavaScript, but for those that are about types', async () => {
    const programs = walked.flatMap(programsOf);
    const typed = programs.filter(({ language }) => language === 'ts');
    expect(typed.map(({ places: [, section] }) => section)).toEqual(['docs/client.md#runtimes']);
    for (const { language, parts } of programs) {
      const text = parts.map(({ code }) => code).join('\n');
      await transform(text, { loader: language });
    }
  });
});
