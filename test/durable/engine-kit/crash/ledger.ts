/** The ledger: a line for each thing that a process did, in the order in which they were written. */

import { readFileSync } from 'node:fs';

export function readLedger(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').filter(Boolean);
}

/** What was written since the store was last emptied: everything begins anew then. */
export function sinceEmptied(lines: readonly string[]): readonly string[] {
  return lines.slice(lines.lastIndexOf('0 emptied') + 1);
}
