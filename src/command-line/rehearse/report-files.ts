/** The folder of a rehearsal: all that it writes. */

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toJson, toMarkdown, type ReportFacts } from './report.js';

const names = ['report.md', 'report.json', 'program.log'] as const;

/** Removes an earlier report, which could be mistaken for that of a run that could not start. */
export async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of names) await rm(join(folder, name), { force: true });
}

export async function writeReport(folder: string, facts: ReportFacts): Promise<void> {
  const texts = [toMarkdown(facts), toJson(facts), facts.output];
  for (const [at, name] of names.entries()) await writeFile(join(folder, name), texts[at] ?? '');
}
