/** `warnOfMount`: a database that is mounted as a single file loses what SQLite keeps beside it. */

import { readFileSync, realpathSync } from 'node:fs';

/** @returns A warning, if the file is the root of a mount, as with `docker run -v market.db:/data/market.db`. */
export function warnOfMount(file: string): string | undefined {
  try {
    const path = realpathSync(file);
    // Only Linux has it. The device of the file would not do: overlayfs gives files another one than folders.
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    if (!mounts.some((line) => line.split(' ')[4] === escaped(path))) return undefined;
  } catch {
    return undefined;
  }
  return (
    `${file} is mounted as a single file. SQLite keeps the latest commits in ${file}-wal, beside the mount: ` +
    'if the container is removed, they are lost. Mount the folder.'
  );
}

/** As the kernel writes paths there. */
function escaped(path: string): string {
  return path.replace(/[ \t\n\\]/g, (it) => `\\${it.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
