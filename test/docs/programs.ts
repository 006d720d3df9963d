/**
 * The programs that the pages hold. A fence of `ts` or `js` is a program of its own; one that is
 * marked `continued` goes on from the fence before it, as a reader would who types them in turn.
 */

import type { Fence } from './markdown.js';
import type { DocPage } from './pages.js';

/** One fence of a program. */
export interface Part {
  readonly code: string;
  readonly line: number;
  /** What the fence of `text output` that follows it says is printed. */
  readonly output?: string;
}

export interface Program {
  /** `js` runs as it stands; its types are in comments. */
  readonly language: 'ts' | 'js';
  /** Page and first line: `docs/errors.md:12`. */
  readonly name: string;
  /** The page, and the page with the anchor of the heading: what its scene is looked up by. */
  readonly places: readonly [page: string, section: string];
  readonly parts: readonly [Part, ...Part[]];
  /** Why it is compiled only; absent for a program that is run. */
  readonly notRun?: NotRunReason;
}

/** Why a snippet may not be run, by the word that marks it: `not-run=server`. */
export const notRunReasons = {
  server: 'it needs a PostgreSQL or a Redis, which a fresh clone does not have',
} as const;

export type NotRunReason = keyof typeof notRunReasons;

/** Languages of fences that are not programs, but are checked or shown. */
const otherLanguages = ['sh', 'json', 'text', 'http', 'sql', 'dockerfile', 'python'];

export function programsOf({ path, fences }: DocPage): Program[] {
  const programs: {
    language: 'ts' | 'js';
    name: string;
    places: [string, string];
    parts: Part[];
    notRun?: NotRunReason;
  }[] = [];
  for (const fence of fences) {
    const at = `${path}:${fence.line}`;
    if (fence.language === 'text' && fence.marks === 'output') {
      const parts = programs.at(-1)?.parts ?? [];
      const last = parts.pop();
      if (last === undefined) throw new Error(`${at}: output of no program`);
      parts.push({ ...last, output: fence.code });
      continue;
    }
    if (!isProgram(fence, at)) continue;
    const part = { code: fence.code, line: fence.line };
    if (fence.marks === 'continued') {
      const previous = programs.at(-1);
      if (previous === undefined) throw new Error(`${at}: continues nothing`);
      previous.parts.push(part);
      continue;
    }
    const places: [string, string] = [path, `${path}#${fence.section}`];
    const notRun = reasonOf(fence.marks, at);
    const language = fence.language === 'js' ? 'js' : 'ts';
    programs.push({
      language,
      name: at,
      places,
      parts: [part],
      ...(notRun === undefined ? {} : { notRun }),
    });
  }
  return programs as unknown as Program[];
}

function isProgram({ language, marks }: Fence, at: string): boolean {
  if (language === 'ts' || language === 'js') return true;
  if (!otherLanguages.includes(language) && language !== '') {
    throw new Error(`${at}: a fence of "${language}" is not known to the tests`);
  }
  if (marks !== '') throw new Error(`${at}: the mark "${marks}" is not known`);
  return false;
}

function reasonOf(marks: string, at: string): NotRunReason | undefined {
  if (marks === '') return undefined;
  const reason = /^not-run=(\w+)$/.exec(marks)?.[1];
  if (reason !== undefined && Object.hasOwn(notRunReasons, reason)) return reason as NotRunReason;
  throw new Error(`${at}: the mark "${marks}" is not known`);
}
