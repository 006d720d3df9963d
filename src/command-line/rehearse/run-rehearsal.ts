/** runRehearsal: a rehearsal on a terminal, and its report in a folder. */

import { resolve } from 'node:path';
import type { Terminal } from '../terminal.js';
import type { CaseResult } from './play-case.js';
import type { RehearsalOptions } from './options.js';
import { rehearse } from './rehearsal.js';
import { exitCodeOf, limitsOf, summaryOf } from './report.js';
import { prepareFolder, writeReport } from './report-files.js';
import { rules } from './rules.js';

/** Resolves with the exit code. */
export async function runRehearsal(
  options: RehearsalOptions,
  out: string,
  terminal: Terminal,
): Promise<number> {
  const folder = resolve(options.cwd, out);
  await prepareFolder(folder);
  const startedAt = new Date();
  const onResult = (result: CaseResult) => terminal.out(linesOf(result));
  const rehearsal = await rehearse(options, onResult, terminal.stop);
  const facts = { ...rehearsal, options, startedAt, endedAt: new Date() };
  await writeReport(folder, facts);
  const { couldNotRun } = rehearsal;
  if (couldNotRun !== undefined) terminal.err(`${couldNotRun}\n`);
  const lines = [...limitsOf(facts), summaryOf(facts), `seed ${options.seed}, report in ${out}`];
  terminal.out(`\n${lines.join('\n')}\n`);
  return exitCodeOf(facts);
}

function linesOf({ name, title, status, reason, findings, ms }: CaseResult): string {
  const time = status === 'skipped' ? '' : `  ${(ms / 1_000).toFixed(1)} s`;
  const head = `${status.padEnd(14)}${name.padEnd(22)}${title}${time}\n`;
  const why = reason === undefined ? '' : `  ${reason}\n`;
  const told = findings.map(({ rule, seen }) => `  ${seen}\n  ${rules[rule].guide}\n`);
  return [head, why, ...told].join('');
}
