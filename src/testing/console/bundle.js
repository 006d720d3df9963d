/**
 * Bundles the console page, for the package's build and for tests that run the emulator's source:
 * both put its files where src/testing/control/console-files.ts is.
 */

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** The module that the bundle takes the place of. */
export const consoleFilesModule = /[\\/]testing[\\/]control[\\/]console-files\.ts$/;

/** The files that the page was made of; empty until it is. */
export const consoleInputs = new Set();

/** The source of that module with the page's files in it, by their names under `/_emulator/`. */
export async function consoleFilesSource() {
  const { outputFiles, metafile } = await build({
    metafile: true,
    entryPoints: [`${folder}main.tsx`, `${folder}console.css`],
    entryNames: 'console',
    outdir: folder,
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none', // the file that the page is in has Preact's license
    tsconfig: `${folder}tsconfig.json`,
    logLevel: 'silent',
  });
  for (const input of Object.keys(metafile.inputs)) consoleInputs.add(input);
  const read = (name) => readFile(`${folder}${name}`, 'utf8');
  const bundled = (suffix) => outputFiles.find(({ path }) => path.endsWith(suffix))?.text;
  const files = {
    '': await read('index.html'),
    'console.js': bundled('.js'),
    'console.css': bundled('.css'),
    'icon.svg': await read('icon.svg'),
  };
  return `export const consoleFiles = ${JSON.stringify(files)};`;
}

/** The plugin of esbuild that puts the page into a build. */
export const consolePlugin = {
  name: 'console',
  setup({ onLoad }) {
    onLoad({ filter: consoleFilesModule }, async () => ({
      contents: await consoleFilesSource(),
      loader: 'js',
    }));
  },
};
