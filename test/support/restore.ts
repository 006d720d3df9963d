/** Quick tests share threads: what a test replaced, the next file must not find, nor take for the original. */

import { afterAll, afterEach, expect, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const names = ['setTimeout', 'clearTimeout', 'setInterval', 'setImmediate', 'Date'] as const;
const key = Symbol.for('market-partner-sdk.test.originals');
/** As the thread's first file found them. */
const originals = ((globalThis as Record<symbol, unknown[] | undefined>)[key] ??= names.map(
  (name) => globalThis[name],
));

// A file that leaves a faked timer makes another one fail, in some runs: so it fails itself.
afterAll(() => {
  const left = names.filter((name, index) => globalThis[name] !== originals[index]);
  for (const name of left) Object.assign(globalThis, { [name]: originals[names.indexOf(name)] });
  expect(left, 'globals that this file replaced and left').toEqual([]);
});
