/**
 * Builds dist/ before a run of tests, if it is missing or older than the source: some tests use the
 * package as partners get it, by its own name.
 *
 * Several runs may do so at the same time while others read dist/: each builds in a folder of its
 * own and moves the finished files, of which no reader ever sees a half.
 */

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

const root = fileURLToPath(new URL('../../', import.meta.url));
const dist = join(root, 'dist');
const tsup = join(root, 'node_modules/tsup/dist/cli-default.js');

/**
 * What others ask for by a name without a hash. The CommonJS comes first: dist/testing.js leads to
 * dist/cjs/testing.js.
 */
const doors = [
  'cjs/bin.js',
  ...['cjs/', ''].flatMap((folder) =>
    ['index', 'webhooks', 'testing'].map((name) => `${folder}${name}.js`),
  ),
];

export default async function setup(project: TestProject): Promise<void> {
  project.onTestsRerun(buildIfStale);
  await buildIfStale();
}

/** Leaves dist/ as new as the source. */
export async function buildIfStale(): Promise<void> {
  if (await isUpToDate()) return;
  const startedAt = new Date();
  const workshop = await mkdtemp(join(root, 'node_modules', '.build-'));
  try {
    const options = ['--silent', '--no-dts', '--out-dir', workshop];
    await promisify(execFile)(process.execPath, [tsup, ...options], { cwd: root });
    await moveIntoPlace(workshop, startedAt);
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

async function isUpToDate(): Promise<boolean> {
  const built = await Promise.all(doors.map((door) => changedAt(join(dist, door))));
  const sources = [
    join(root, 'tsup.config.ts'),
    ...(await readdir(join(root, 'src'), { recursive: true })).map((name) =>
      join(root, 'src', name),
    ),
  ];
  const changed = await Promise.all(sources.map(changedAt));
  return Math.min(...built) >= Math.max(...changed);
}

/** Milliseconds of the last change; of what is not there, the beginning of time. */
async function changedAt(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.mtimeMs ?? -Infinity;
}

/** The doors come last: what they import is then there. */
async function moveIntoPlace(workshop: string, startedAt: Date): Promise<void> {
  const entries = await readdir(workshop, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(workshop, join(entry.parentPath, entry.name)));
  const pieces = files.filter((file) => !doors.includes(file));
  for (const file of [...pieces, ...doors]) {
    // As old as the source that was read: what changed during the build makes the next one.
    await utimes(join(workshop, file), startedAt, startedAt);
    await mkdir(dirname(join(dist, file)), { recursive: true });
    await rename(join(workshop, file), join(dist, file));
  }
}
