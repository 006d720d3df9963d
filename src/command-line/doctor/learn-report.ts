/** `learnSandbox`, `compareWithProfile`: the doctor's reads of how a service answers, and what is printed of them. */

import { writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { MarketClient } from '../../client/client.js';
import { checkProfile } from '../../client/profile/profile-schema.js';
import type { Profile } from '../../client/profile/profile.js';
import { printable } from '../terminal.js';
import { learn, type LearnOptions } from './learn.js';
import type { LearnedRow } from './learned-rows.js';

/** What the reads show. */
export interface ReadForm {
  readonly rows: readonly LearnedRow[];
  /** The lines to print. */
  readonly text: string;
  /** Whether the service differs from the profile in use. */
  readonly differs: boolean;
}

/** Writes what the reads show into a file. */
export async function learnSandbox(
  market: MarketClient,
  file: string,
  options: LearnOptions,
): Promise<ReadForm> {
  const { profile, rows, reads } = await learn(market, options);
  await writeFile(file, `${JSON.stringify(checkProfile(profile), undefined, 2)}\n`);
  const open = rows.filter(({ result }) => result === 'open').length;
  const text = `${table(rows)}\n${file} is written after ${reads} reads. Open rows: ${open}. A sandbox sale, --sale and --quote show more.\n`;
  return { rows, text, differs: false };
}

/** How the service differs from the profile in use; nothing is written. */
export async function compareWithProfile(
  market: MarketClient,
  profile: Profile,
  options: LearnOptions,
): Promise<ReadForm> {
  const { profile: found, rows } = await learn(market, options);
  const compared = rows.map((row) => compare(row, profile, found));
  const differs = compared.some(({ result }) => result === 'differs');
  return { rows: compared, text: `${table(compared)}\n`, differs };
}

function compare(row: LearnedRow, profile: Profile, found: Profile): LearnedRow {
  if (row.result === 'open') return row;
  const [key = ''] = row.key.split('.');
  const formOf = (each: Profile): object => each[key as Exclude<keyof Profile, 'version'>] ?? {};
  const theirs = formOf(found);
  const shown = visible(row.key, formOf(profile), theirs);
  if (isDeepStrictEqual(shown, theirs))
    return { ...row, result: 'holds', detail: 'as the profile says' };
  const detail = `${JSON.stringify(shown)} -> ${JSON.stringify(theirs)}`;
  return { ...row, result: 'differs', detail };
}

/** What only a write shows, and what a profile only repeats of the default, is not compared. */
function visible(key: string, ours: object, theirs: object): object {
  const unseen = key === 'amounts' ? ['sent', 'except'] : ['ignore', 'size', 'end', 'codes'];
  return Object.fromEntries(
    Object.entries(ours).filter(([name]) => name in theirs || !unseen.includes(name)),
  );
}

function table(rows: readonly LearnedRow[]): string {
  const width = Math.max(...rows.map(({ key }) => key.length));
  return rows
    .map(({ key, row, result, detail }) => {
      const line = `${result.padEnd(8)} ${key.padEnd(width)}  ${detail}`;
      return `${printable(result === 'holds' ? line : `${line} (${row})`)}\n`;
    })
    .join('');
}
