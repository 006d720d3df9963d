// The names of the packed files. They are committed, so that a change of them shows in review.
//
//   node test/packages/files.mjs           compares the package with test/packages/files.txt
//   node test/packages/files.mjs --write   writes that file; part of `npm run accept`

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inTemporaryFolder, pack, root, withoutHash } from './packed-project.mjs';

const file = join(root, 'test/packages/files.txt');

/** Compares the files of npm's description of a tarball with the committed list. */
export function checkFiles(description) {
  const actual = listOf(description);
  const expected = readFileSync(file, 'utf8');
  if (actual !== expected) {
    throw new Error(
      `the packed files changed; if they should: npm run accept\nexpected\n${expected}\ngot\n${actual}`,
    );
  }
  return `${description.files.length} files`;
}

// A name that is listed twice is a chunk of an earlier build.
function listOf({ files }) {
  return `${files
    .map(({ path }) => withoutHash(path))
    .sort()
    .join('\n')}\n`;
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  await inTemporaryFolder((folder) => {
    const { description } = pack(folder);
    if (process.argv.includes('--write')) writeFileSync(file, listOf(description));
    else console.log(checkFiles(description));
  });
}
