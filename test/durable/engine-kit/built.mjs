/**
 * `builtKit`: the kit as one JavaScript file, which imports the built package. Processes that a crash
 * test kills, and programs outside of vitest, run no TypeScript.
 */

import { mkdir, rename } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** @type {Promise<string> | undefined} */
let built;

/** @returns {Promise<string>} the url of the file */
export function builtKit() {
  built ??= buildKit();
  return built;
}

async function buildKit() {
  // Inside the package, whose name then means dist/; every run starts in its root.
  const file = resolve('coverage/engine-kit.mjs');
  const { build } = await import('esbuild');
  const ownFile = `${file}.${process.pid}.mjs`;
  await mkdir(resolve('coverage'), { recursive: true });
  await build({
    entryPoints: [resolve('test/durable/engine-kit/index.ts')],
    outfile: ownFile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  });
  // Several tests build at once: no process may read half of a file.
  await rename(ownFile, file);
  return pathToFileURL(file).href;
}
