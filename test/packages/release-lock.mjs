// npm run release:lock: writes .github/package-lock.json, by which the release installs. It is not in
// the root: it is for the release's platform, and a clone on another one installs with package-lock=false.

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inTemporaryFolder, npm, root } from './packed-project.mjs';

await inTemporaryFolder((folder) => {
  copyFileSync(join(root, 'package.json'), join(folder, 'package.json'));
  const flags = ['--package-lock', '--package-lock-only', '--ignore-scripts', '--no-audit'];
  // Without addresses, npm asks the registry of whoever installs; the hashes stay.
  npm(['install', ...flags, '--omit-lockfile-registry-resolved'], folder);
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  dropAbsentOptionals(lock.packages);
  writeFileSync(join(root, '.github/package-lock.json'), `${JSON.stringify(lock, undefined, 2)}\n`);
});

/** A registry need not offer the packages of other platforms; npm ci then misses them in the lock file. */
function dropAbsentOptionals(packages) {
  const names = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  for (const { optionalDependencies = {} } of Object.values(packages)) {
    for (const name of Object.keys(optionalDependencies)) {
      if (!names.has(name)) delete optionalDependencies[name];
    }
  }
}
