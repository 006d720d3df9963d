/** The examples call what exists: they are checked against the source's types, plain JavaScript as they are. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

it.each([
  ['every example', 'test/examples/tsconfig.examples.json'],
  ['the program to copy in TypeScript, strict', 'test/examples/tsconfig.typescript.json'],
])('%s passes the type checker', { timeout: 180_000 }, async (_what, project) => {
  const { code, stdout } = await checkTypes(project);
  expect(stdout).toBe('');
  expect(code).toBe(0);
});

function checkTypes(project: string): Promise<{ code: unknown; stdout: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['node_modules/typescript/bin/tsc', '-p', project],
      { cwd: root, timeout: 170_000 },
      (error, stdout) => resolve({ code: error === null ? 0 : error.code, stdout }),
    );
  });
}
