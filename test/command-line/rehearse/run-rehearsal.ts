/** Runs the command `rehearse` in this process, on a program in one of its own. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll } from 'vitest';
import { runCommandLine } from '../../../src/command-line/main.js';
import { freePort } from '../../support/free-port.mjs';
import { rehearsalOf, type Program } from './programs.mjs';

interface ReportedCase {
  readonly name: string;
  readonly status: string;
  readonly reason?: string;
  readonly findings: readonly { readonly rule: string; readonly seen: string }[];
}

export interface Report {
  readonly exitCode: number;
  readonly couldNotRun: string | null;
  readonly limits: readonly string[];
  readonly results: readonly ReportedCase[];
}

export interface Rehearsed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly port: number;
  readonly folder: string;
  readonly report: Report;
  readonly markdown: string;
}

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/** A folder that is gone after the tests. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rehearsal-'));
  folders.push(folder);
  return folder;
}

export async function rehearse(program: Program, ...options: string[]): Promise<Rehearsed> {
  const port = await freePort();
  const folder = await temporaryFolder();
  const ran = await runCommand(rehearsalOf(program, port, folder, options));
  const report = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')) as Report;
  const markdown = await readFile(join(folder, 'report.md'), 'utf8');
  return { ...ran, port, folder, report, markdown };
}

export async function runCommand(
  args: readonly string[],
  stop = new AbortController().signal,
  isInteractive = false,
) {
  let [out, err] = ['', ''];
  const code = await runCommandLine(args, {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    env: process.env,
    stop,
    isInteractive,
  });
  return { code, out, err };
}

/** A program in a few lines of CommonJS. Its folder is the same argument as in a file. */
export function inlineProgram(code: string): Program {
  return { name: 'inline', command: [process.execPath, '-e', code, 'inline'] };
}

/** Waits in real time: another process is under way. The test's own time limit ends it. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(50);
}

export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const end = (isOpen: boolean) => () => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', end(true)).once('error', end(false));
  });
}
