/** Programs that are not as a rehearsal expects them are met with a sentence or an option. */

import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../support/free-port.mjs';
import { rehearsalOf, rightPrograms, wrongPrograms } from './programs.mjs';
import { inlineProgram, rehearse, runCommand, temporaryFolder } from './run-rehearsal.js';

const [resume] = rightPrograms as [(typeof rightPrograms)[number]];
const shop = JSON.stringify(resume.command[1]);

describe.concurrent('a program that', { timeout: 60_000 }, () => {
  it('ignores SIGTERM is killed, and the report says so', async ({ expect }) => {
    const code = `process.on('SIGTERM', () => undefined); import(${shop})`;
    const { code: exitCode, out, report } = await rehearse(inlineProgram(code), '--only', 'deploy');
    expect(report.limits.join(), out).toContain(
      'has not ended 8 s after SIGTERM. It is killed after 10 s',
    );
    expect(exitCode).toBe(0);
  });

  it('starts slowly is told of before its time is over', async ({ expect }) => {
    const program = inlineProgram('setInterval(() => undefined, 1000)');
    const options = ['--start-within', '9'];
    const args = rehearsalOf(program, await freePort(), await temporaryFolder(), options);
    const { code, err } = await runCommand(args, undefined, true);
    expect(err).toMatch(/^the program has not listened after [12] s\r/);
    expect(err).toMatch(/does not listen on port \d+ after 8 s.*--start-within/);
    expect(code).toBe(1);
  });

  it('listens on IPv6 alone is rehearsed by localhost', async ({ expect }) => {
    const { code, out, err } = await rehearse(inlineProgram(onIpv6), '--only', 'raw-body');
    expect(code, out + err).toBe(0);
  });

  it('registers its public address at each start gets its deliveries all the same', async ({
    expect,
  }) => {
    const only = ['--only', 'raw-body,deploy'];
    const { code, out, err } = await rehearse(inlineProgram(registering), ...only);
    expect(code, out + err).toBe(0);
  });

  it('asks for the status of its orders in place of events needs no history', async ({
    expect,
  }) => {
    const only = ['--only', 'history-gap,kill-in-history'];
    const program = inlineProgram(withoutEvents);
    const args = rehearsalOf(program, await freePort(), await temporaryFolder(), only);
    args.splice(args.indexOf('--webhook'), 2);
    const { code, out, err } = await runCommand(args);
    expect(out + err).toContain('the program does not read the history');
    expect(code, out + err).toBe(0);
  });

  it('listens on IPv6 alone is not found at 127.0.0.1', async ({ expect }) => {
    const port = await freePort();
    const args = rehearsalOf(inlineProgram(onIpv6), port, await temporaryFolder());
    const { code, err } = await runCommand(
      args.map((arg) => arg.replace('localhost', '127.0.0.1')),
    );
    expect(err).toContain(`Nothing listens at 127.0.0.1:${port} of --sell`);
    expect(err).toContain(`Write http://localhost:${port} there`);
    expect(code).toBe(1);
  });

  it('is given in one word is told that there is no shell', async ({ expect }) => {
    const { err } = await rehearse({ name: 'quoted', command: ['node server.js'] });
    expect(err).toContain('It is started without a shell: -- node server.js');
  });

  it('runs under npm run is ended with it', async ({ expect }) => {
    const folder = await temporaryFolder();
    const scripts = { start: `node ${resume.command[1] ?? ''} "$BOOKS"` };
    await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts }));
    await mkdir(join(folder, 'books'));
    const command = ['env', `BOOKS=${folder}/books`, 'npm', '--prefix', folder, 'start', '--'];
    const only = ['--only', 'deploy,kill-after-paid'];
    const { code, out } = await rehearse({ name: 'npm', command }, ...only);
    expect(code, out).toBe(0);
  });

  it('needs an empty database in each case gets one', async ({ expect }) => {
    const port = await freePort();
    const folder = await temporaryFolder();
    const log = join(folder, 'emptied');
    const before = `echo again >> ${log} && rm -f ${folder}/books.jsonl`;
    const only = ['--only', 'lost-after-work,delivery-late', '--before-each', before];
    const { code, out } = await runCommand(rehearsalOf(resume, port, folder, only));
    expect(code, out).toBe(0);
    expect(await readFile(log, 'utf8')).toBe('again\nagain\n');
    expect(out).toContain('Skipped: books-at-the-end (--before-each empties the books)');
  });

  it('has a --before-each that fails is not rehearsed', async ({ expect }) => {
    const { code, err } = await rehearse(
      resume,
      ...['--only', 'lost-after-work', '--before-each', 'echo no database; exit 3'],
    );
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('exit code 3.\nno database') as string,
    ]);
  });
});

describe('a mistake that several cases show', { timeout: 60_000 }, () => {
  it('is told once, with the event, what was said and what is right', async () => {
    const prints = `console.log('bought by ada@buyer.example');`;
    const folder = await temporaryFolder();
    const only = ['--only', 'delivery-doubled,order-cancelled', '--patience', '3'];
    const program = inlineProgram(prints + noListener);
    const args = rehearsalOf(program, await freePort(), folder, only);
    const login = (arg: string) => arg.replace(/\/\/(?=.*{payment})/, '//shop:its-login@');
    const { out, code } = await runCommand(args.map(login));
    expect(code).toBe(2);
    // The two cases run beside each other: either may end first, and is told in full.
    expect(out).toMatch(
      /The service refunded ord_\w+ at [\d:]+ \(order\.refunded evt_\w+, status (?:REFUNDED|CANCELLED), delivered at [\d:]+, answered 200\)\. --ask says placed\. Right: handle order\.refunded/,
    );
    const [one, other] = ['delivery-doubled', 'order-cancelled'];
    expect(out).toMatch(new RegExp(`The same as in (?:${one}|${other})`));
    expect(out).toMatch(
      new RegExp(`One cause: (?:${one}, and 1 more: ${other}|${other}, and 1 more: ${one})\\.`),
    );
    await holdsNothingPrivate(folder);
  });

  it('is told once for all sales of a case, with its remedy', async () => {
    const program = wrongPrograms.find(({ name }) => name === 'key-from-clock')!;
    const { out, report } = await rehearse(program, '--only', 'storm', '--patience', '3');
    const storm = report.results.find(({ name }) => name === 'storm');
    expect(storm?.findings.filter(({ rule }) => rule === 'one-key').length).toBeGreaterThan(2);
    expect(out).toMatch(/^ {2}POST \/orders had another key .* And \d more like it\.$/m);
    expect(out.match(/A payment has one Idempotency-Key/g)).toHaveLength(1);
  });
});

/** The reports are sent on; what the program printed stays in a file for this user. */
async function holdsNothingPrivate(folder: string): Promise<void> {
  const names = ['program.log', 'report.md', 'report.json'];
  const files = names.map((name) => join(folder, name));
  const modes = await Promise.all(files.map(async (file) => (await stat(file)).mode & 0o777));
  expect(modes).toEqual([0o600, 0o600, 0o600]);
  const [log, ...reports] = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  expect(log).toContain('bought by ada@buyer.example\n');
  expect(reports.join()).toMatch(/--ask says placed.*"publicId": "ord_/s);
  expect(reports.join()).not.toMatch(/buyer\.example|its-login|msk_|whsec_/);
}

const onIpv6 = `const { Server } = require('node:net');
const { listen } = Server.prototype;
Server.prototype.listen = function (port) {
  return listen.call(this, { port, host: '::1' });
};
import(${shop})`;

const here = new URL('.', import.meta.url).href;
const registering = `setTimeout(async () => {
  const { market, webhookSecret: secret } = await import('${here}shop.mjs');
  await market.events.registerWebhook({ url: 'https://shop.example/webhooks/market', secret });
}, 200);
import(${shop})`;
const withoutEvents = `(async () => {
  const { market, Shop } = await import('${here}shop.mjs');
  const { onHttp } = await import('${here}servers.mjs');
  class Right extends Shop {
    async readHistory() {
      for (const { payment, domain } of this.sales.values()) {
        const { items } = await market.orders.list({ domain });
        const hasEnded = items.some(({ status }) => ['REFUNDED', 'CANCELLED'].includes(status));
        if (hasEnded) this.end(payment, 'refused');
      }
    }
  }
  onHttp(new Right().start());
})()`;
const noListener = `(async () => {
  const { Shop } = await import('${here}shop.mjs');
  const { onHttp } = await import('${here}servers.mjs');
  class Wrong extends Shop {
    handle() {}
  }
  onHttp(new Wrong().start());
})()`;
