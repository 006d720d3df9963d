/** `npm run soak [-- schedules [first seed]]`: the campaign with 100,000 schedules of a sale, and its figures. */

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const vitest = fileURLToPath(new URL('node_modules/vitest/vitest.mjs', `file://${root}`));
const [schedules = '100000', first = '0'] = process.argv.slice(2);
const env = { ...process.env, SCHEDULES: schedules, FIRST: first, FIGURES: '1' };
const child = spawn(process.execPath, [vitest, 'run', 'test/faults', 'lying-service'], {
  cwd: root,
  env,
  stdio: 'inherit',
});
child.on('close', (code) => (process.exitCode = code ?? 1));
