/** The programs that a partner copies hold in a short rehearsal, by the commands of docs/start-here.md. */

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.mjs';
import { node, shopSecrets } from './run-shop.js';

const only = 'lost-after-work,domain-gone,order-cancelled';

describe.concurrent('a rehearsal', { timeout: 120_000 }, () => {
  it.skipIf(node === undefined).each(['examples/go-live/sqlite.mjs', 'examples/shop/shop.mjs'])(
    'of %s is green',
    async (program) => {
      const [port, folder] = [await freePort(), await mkdtemp(join(tmpdir(), 'rehearsal-'))];
      const script = (name: string) => `"${node}" examples/go-live/${name}.mjs`;
      const args = [
        'rehearse',
        ...[
          '--sell',
          `${script('sell')} {domain} {payment}`,
          '--ask',
          `${script('ask')} {payment}`,
        ],
        ...['--webhook', `http://localhost:${port}/webhooks/market`, '--port', String(port)],
        ...['--only', only, '--out', folder, '--', node!, '--no-warnings', program],
      ];
      const env = {
        ...process.env,
        ...shopSecrets,
        OPERATOR_PASSWORD: 'operator',
        DATABASE: join(folder, 'shop.db'),
        DATABASE_URL: '',
      };
      const run = promisify(execFile)(process.execPath, ['dist/bin.cjs', ...args], { env });
      const { stdout } = await run.finally(() => rm(folder, { recursive: true }));
      expect(stdout).toMatch(/\n7 held\.\n/);
    },
  );
});
