/** A program that no command can ask: the orders of the service are all that there is to judge. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { freePort } from '../../support/free-port.mjs';
import { rehearsalOf, rightPrograms, wrongPrograms } from './programs.mjs';
import { runCommand, temporaryFolder, type Report } from './run-rehearsal.js';

async function rehearse(name: string, only: string) {
  const program = [...rightPrograms, ...wrongPrograms].find((each) => each.name === name)!;
  const folder = await temporaryFolder();
  const args = rehearsalOf(program, await freePort(), folder, [
    ...['--only', only],
    ...['--patience', '15'],
  ]);
  args.splice(args.indexOf('--ask'), 2);
  const { code } = await runCommand(args);
  const report = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')) as Report;
  return { code, report };
}

const findingsOf = ({ results }: Report) => results.flatMap(({ findings }) => findings);

describe.concurrent('without --ask', { timeout: 120_000 }, () => {
  it('a right program holds, and the report says what is not known', async ({ expect }) => {
    const { code, report } = await rehearse('resume', 'plain-sale,domain-gone,lost-after-work');
    expect(report.results.map(({ name, status }) => `${name}: ${status}`)).toEqual([
      'plain-sale: held',
      'lost-after-work: held',
      'domain-gone: held',
      'books-at-the-end: held',
      'requests: held',
      'output: held',
    ]);
    expect(report.limits.join(' ')).toContain('it is unknown what your program told the buyer');
    expect(code).toBe(0);
  });

  it('a payment without an order is named, though it may have been paid back', async ({
    expect,
  }) => {
    const { code, report } = await rehearse('any-200-is-placed', 'gateway-200');
    expect(findingsOf(report)).toMatchObject([
      {
        rule: 'one-order',
        seen: expect.stringMatching(
          /has no order, and without --ask nothing says that the buyer was paid back/,
        ) as string,
      },
    ]);
    expect(code).toBe(2);
  });

  it('a second key is named', async ({ expect }) => {
    const { code, report } = await rehearse('new-key', 'lost-after-work');
    expect(findingsOf(report)).toMatchObject([{ rule: 'one-key' }]);
    expect(code).toBe(2);
  });
});
