/**
 * The proof of the catalogue, in short: each program with a mistake against the case that names it. The whole
 * one is soak.mjs: every program against every case, many times.
 */

import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { caseNames } from '../../../src/command-line/rehearse/cases/index.js';
import { rightPrograms, wrongPrograms, type Program } from './programs.mjs';
import { rehearse } from './run-rehearsal.js';

const hasPython = canRun('python3');
/** A right program may take half a minute to prove that no order exists: until then it has not come to an end. */
const isSlow = ({ rule }: Program) => rule === 'comes-to-an-end';
// The slow ones first: the others end beside them.
const runnable = wrongPrograms
  .filter(({ command: [runtime] }) => hasPython || runtime !== 'python3')
  .sort((one, other) => Number(isSlow(other)) - Number(isSlow(one)));

// The longest one first: those that follow end beside it.
describe.concurrent('a right program', () => {
  const [resume] = rightPrograms as [(typeof rightPrograms)[number]];
  const signed = rightPrograms.find(({ name }) => name === 'signed')!;

  it('holds in the whole catalogue', { timeout: 400_000 }, async ({ expect }) => {
    const { code, out, report } = await rehearse(resume, '--outage', '5');
    const held = [...caseNames, 'books-at-the-end', 'requests', 'output'].map((name) => [
      name,
      'held',
    ]);
    expect(report.results.map(({ name, status }) => [name, status]).sort(), out).toEqual(
      held.sort(),
    );
    expect(report.limits).toEqual([]);
    expect(code).toBe(0);
  });

  it.skipIf(!hasPython)('holds in another language', { timeout: 90_000 }, async ({ expect }) => {
    // A program that polls twice a second gets the late kills of kill-in-history.
    const kills = ['kill-after-200', 'kill-in-history'];
    const short = ['lost-after-work', 'delivery-forged', 'raw-body', ...kills];
    const { code, out, report, markdown } = await rehearse(signed, '--only', short.join());
    expect(
      report.results.map(({ status }) => status),
      out,
    ).not.toContain('failed');
    expect(report.results.map(({ name }) => name).sort()).toEqual(
      ['books-at-the-end', 'output', 'plain-sale', 'requests', ...short].sort(),
    );
    expect(code).toBe(0);
    expect(markdown).toContain(`Only these cases were asked for: ${short.join(', ')}.`);
  });
});

// Each waits for real time most of the while: many at once take the time of one.
describe.concurrent('a program with a mistake', () => {
  it.for(runnable)(
    '$name is named by $brokenBy',
    // On a busy machine a program may miss the 5 seconds of its first delivery, and a kill the moment it was meant for.
    { timeout: 200_000, retry: 2 },
    async (program, { expect }) => {
      const { brokenBy = '', rule, remedy = '' } = program;
      // What the program prints is looked at in every run.
      const playedWith: Partial<Record<string, string>> = {
        output: 'delivery-forged,domain-gone',
        requests: 'delivery-lost',
        'plain-sale': 'error-after-work',
      };
      const only = playedWith[brokenBy] ?? brokenBy;
      const patience = isSlow(program) ? '40' : '5';
      const options = ['--only', only, '--patience', patience];
      const { code, out, err, report } = await rehearse(program, ...options);
      const named = report.results.find(({ name }) => name === brokenBy);
      expect(
        named?.findings.map((found) => found.rule),
        out + err,
      ).toContain(rule);
      expect(named?.findings.map(({ seen }) => seen).join('\n')).toContain(remedy);
      expect(named?.status).toBe('failed');
      expect(code).toBe(2);
    },
  );
});

describe('the programs', () => {
  it('are named by cases that there are', () => {
    const named = wrongPrograms.map(({ brokenBy }) => brokenBy);
    expect(
      named.filter((name) => ![...caseNames, 'requests', 'output'].includes(name ?? '')),
    ).toEqual([]);
    expect(new Set(wrongPrograms.map(({ name }) => name)).size).toBeGreaterThanOrEqual(12);
  });
});

function canRun(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
