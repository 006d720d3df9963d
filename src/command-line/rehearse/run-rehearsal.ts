/** runRehearsal: a rehearsal on a terminal, and its report in a folder. */

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CommandTerminal } from '../terminal.js';
import type { CaseResult } from './play-case.js';
import type { RehearsalOptions } from './options.js';
import { rehearse } from './rehearsal.js';
import { causeOf } from './findings.js';
import {
  casesByCause,
  exitCodeOf,
  limitsOf,
  summaryOf,
  toJson,
  toMarkdown,
  type ReportFacts,
} from './report.js';
import { Progress } from './progress.js';
import { rules } from './rules.js';

// The command imports one module, so that the build makes one file of all.
export { caseNames, unmetNeed } from './cases/index.js';

const fileNames = ['report.md', 'report.json', 'program.log'] as const;

/** Resolves with the exit code. */
export async function runRehearsal(
  options: RehearsalOptions,
  out: string,
  terminal: CommandTerminal,
): Promise<number> {
  const folder = resolve(options.cwd, out);
  await prepareFolder(folder);
  const startedAt = new Date();
  const results: CaseResult[] = [];
  const progress = new Progress();
  const onResult = (result: CaseResult) => {
    results.push(result);
    progress.end(result);
    print(result, progress.count, casesByCause(results), terminal);
  };
  const listener = {
    onPlan: (total: number) => progress.plan(total),
    onBegin: (name: string) => progress.begin(name),
    onResult,
    onNote: (text: string) => terminal.err(`${text}\n`),
  };
  const watch = setInterval(() => terminal.progress(progress.text), 1_000);
  const rehearsal = await rehearse(options, listener, terminal.stop).finally(() =>
    clearInterval(watch),
  );
  const facts = { ...rehearsal, options, startedAt, endedAt: new Date() };
  await writeReport(folder, facts);
  const { couldNotRun, printed } = rehearsal;
  if (couldNotRun !== undefined) terminal.err(`${couldNotRun}\n${printed}`.trimEnd() + '\n');
  const lines = [
    ...causesOf(results),
    ...limitsOf(facts),
    summaryOf(facts),
    `seed ${options.seed}, report in ${out}`,
  ];
  terminal.out(`\n${lines.join('\n')}\n`);
  return exitCodeOf(facts);
}

/** Removes an earlier report, which could be mistaken for that of a run that could not start. */
async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of fileNames) await rm(join(folder, name), { force: true });
}

async function writeReport(folder: string, facts: ReportFacts): Promise<void> {
  const texts = [toMarkdown(facts), toJson(facts), facts.output];
  for (const [at, name] of fileNames.entries())
    await writeFile(join(folder, name), texts[at] ?? '', { mode: 0o600 });
}

/** A mistake that several cases show is told once, and again here: it is one thing to put right. */
function causesOf(results: readonly CaseResult[]): string[] {
  const causes = [...casesByCause(results).values()].filter(({ length }) => length > 1);
  return causes.map(
    ([first = '', ...more]) => `One cause: ${first}, and ${more.length} more: ${more.join(', ')}.`,
  );
}

function print(
  { name, title, status, reason, findings, ms }: CaseResult,
  count: string,
  byCause: ReadonlyMap<string, readonly string[]>,
  { row }: CommandTerminal,
): void {
  const time = status === 'skipped' ? '' : `${(ms / 1_000).toFixed(1)} s`;
  row(`${status.padEnd(14)}${count}${time.padStart(8)}  ${name.padEnd(22)}${title}`, {
    indent: 14,
  });
  const why = reason === undefined ? [] : [reason];
  const broken = findings.flatMap((each) => {
    const [first = name] = byCause.get(causeOf(each)) ?? [];
    if (first !== name) return [`The same as in ${first}.`];
    const alike = findings.filter((other) => causeOf(other) === causeOf(each));
    if (alike[0] !== each) return [];
    const more = alike.length === 1 ? '' : ` And ${alike.length - 1} more like it.`;
    return [`${each.seen}${more}`, `${rules[each.rule].text} See ${rules[each.rule].guide}`];
  });
  for (const line of [...why, ...new Set(broken)]) row(`  ${line}`, { tone: 'text' });
}
