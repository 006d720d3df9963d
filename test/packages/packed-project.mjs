// Installs the packed package in fresh projects, as a partner would, and runs named checks.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs `work` in a temporary folder, and deletes the folder afterwards. */
export async function inTemporaryFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'market-partner-sdk-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Packs the built package. Returns the tarball's path and npm's own description of it. */
export function pack(folder) {
  const [description] = JSON.parse(
    npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root),
  );
  return { tarball: join(folder, description.filename), description };
}

/** Writes a project's files and installs its packages. */
export function project(folder, files, packages) {
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(
      join(folder, path),
      typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    );
  }
  npm(['install', '--no-audit', '--no-fund', '--no-package-lock', ...packages], folder);
  return folder;
}

/** Runs a program to its end. The error of a program that fails contains its output. */
export function run(program, args, folder, env = {}, timeoutMs = 300_000) {
  try {
    return execFileSync(program, args, {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
    });
  } catch (error) {
    const printed = `${error.stdout ?? ''}${error.stderr ?? ''}`.trim();
    const why = error.code === 'ETIMEDOUT' ? `took over ${timeoutMs / 1_000} s` : 'failed';
    throw new Error(`${program} ${args.join(' ')} ${why}\n${printed || error.message}`, {
      cause: error,
    });
  }
}

export function npm(args, folder) {
  return run('npm', [...args, '--loglevel=error'], folder);
}

/** A packed file's name as test/packages/files.txt has it: chunks carry a hash of their content. */
export const withoutHash = (path) => path.replace(/-[\w-]{8}\.(?=(d\.c?ts|c?js)$)/, '-*.');

/** The smoke test as a CommonJS program. */
export function toCommonJs(source) {
  const required = source.replaceAll(
    /^import (\{[^}]+\}) from ('[^']+');$/gm,
    'const $1 = require($2);',
  );
  return `(async () => {\n${required}\n})().catch((error) => { console.error(error); process.exit(1); });\n`;
}

/** The size of a folder's files in bytes, without links. */
export function bytesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) return sum;
    return sum + (entry.isDirectory() ? bytesBelow(path) : statSync(path).size);
  }, 0);
}

/** Runs named checks one after another, prints a line for each, and fails if any did. */
export async function checks(named) {
  let failed = 0;
  for (const [name, check] of Object.entries(named)) {
    const started = performance.now();
    try {
      const note = await check();
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`ok    ${name} (${seconds} s)${note === undefined ? '' : `: ${note}`}`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL  ${name}\n${error.message.replaceAll(/^/gm, '      ')}`);
    }
  }
  console.log(`${Object.keys(named).length - failed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}
