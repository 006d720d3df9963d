/**
 * Builds dist/ before a run of tests, if it is missing or older than the source: some tests use the
 * package as partners get it, by its own name.
 *
 * Several runs may build while others read dist/. Each builds in its own folder and then moves the
 * finished files, so that no reader sees half of one.
 */

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { entryPoints } from '../../src/entry-points.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const dist = join(root, 'dist');
const tsup = join(root, 'node_modules/tsup/dist/cli-default.js');

/** The files that others import by name. Each comes after the files that it imports. */
const entryFiles = [
  'bin.cjs',
  ...['.code.cjs', '.cjs', '.js'].flatMap((suffix) =>
    Object.keys(entryPoints).map((name) => `${name}${suffix}`),
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
  const buildFolder = await mkdtemp(join(root, 'node_modules', '.build-'));
  try {
    const options = ['--silent', '--no-dts', '--out-dir', buildFolder];
    await promisify(execFile)(process.execPath, [tsup, ...options], { cwd: root });
    await moveIntoPlace(buildFolder, startedAt);
  } finally {
    await rm(buildFolder, { recursive: true, force: true });
  }
}

async function isUpToDate(): Promise<boolean> {
  const built = await Promise.all(entryFiles.map((file) => changedAt(join(dist, file))));
  const sources = [
    join(root, 'tsup.config.ts'),
    ...(await readdir(join(root, 'src'), { recursive: true })).map((name) =>
      join(root, 'src', name),
    ),
  ];
  const changed = await Promise.all(sources.map(changedAt));
  return Math.min(...built) >= Math.max(...changed);
}

/** Milliseconds of the last change; minus infinity for a missing file. */
async function changedAt(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.mtimeMs ?? -Infinity;
}

/** Moves the entry files last: the chunks that they import are then in place. */
async function moveIntoPlace(buildFolder: string, startedAt: Date): Promise<void> {
  const entries = await readdir(buildFolder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(buildFolder, join(entry.parentPath, entry.name)));
  const chunks = files.filter((file) => !entryFiles.includes(file));
  for (const file of [...chunks, ...entryFiles]) {
    // As old as the source that was read: a change during the build starts the next build.
    await utimes(join(buildFolder, file), startedAt, startedAt);
    await mkdir(dirname(join(dist, file)), { recursive: true });
    await rename(join(buildFolder, file), join(dist, file));
  }
}
