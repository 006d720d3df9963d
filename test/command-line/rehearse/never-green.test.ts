/** What a rehearsal must never call green. */

import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pageAt } from '../../docs/pages.js';
import { rules } from '../../../src/command-line/rehearse/rules.js';
import { freePort, listenOnFreePort } from '../../support/free-port.mjs';
import { rehearsalOf, rightPrograms, wrongPrograms } from './programs.mjs';
import {
  inlineProgram,
  isListening,
  rehearse,
  runCommand,
  temporaryFolder,
  until,
} from './run-rehearsal.js';

const [resume] = rightPrograms as [(typeof rightPrograms)[number]];

/** A shop that answers 200 to all, and does nothing. */
const idle = `require('http').createServer((_, response) => response.end('placed')).listen(process.env.PORT)`;
/** Its first call fails, so it never orders. */
const signsMilliseconds = `require('http').createServer((request, response) => {
  response.end('placed');
  const domain = new URL(request.url, 'http://shop').searchParams.get('domain');
  if (!request.url.startsWith('/buy')) return;
  fetch(process.env.MARKET_BASE_URL + '/api/partner/v1/quotes', {
    method: 'POST',
    headers: {
      'X-Market-Key-Id': process.env.MARKET_KEY_ID,
      'X-Market-Timestamp': Date.now(),
      'X-Market-Nonce': crypto.randomUUID(),
      'X-Market-Signature': 'v1=' + '0'.repeat(64),
    },
    body: JSON.stringify({ domain }),
  }).catch(() => undefined);
}).listen(process.env.PORT)`;

// Each waits for real time most of the while.
describe.concurrent('a rehearsal that could not be run exits with 1', { timeout: 60_000 }, () => {
  it('when the program ends before it listens, and shows what it printed', async () => {
    // What a program prints may arrive after its end: here it always does.
    const late = `setTimeout(() => console.log('no database'), 200)`;
    const { code, err, report, markdown } = await rehearse(
      inlineProgram(`
        const options = { stdio: 'inherit', detached: true };
        require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(late)}], options);
        process.exit(3);
      `),
    );
    expect(code).toBe(1);
    expect(err).toContain('The program ended with code 3 before it listened');
    expect(err).toContain('no database');
    expect(report.couldNotRun).toContain('before it listened');
    expect(markdown).toContain('It could not be run to its end');
  });

  it('when the program never listens', async () => {
    const { code, err } = await rehearse(
      inlineProgram('setInterval(() => undefined, 1000)'),
      ...['--start-within', '1'],
    );
    expect(code).toBe(1);
    expect(err).toMatch(/did not listen on port \d+ in 1000 ms/);
  });

  it('when the program cannot be found', async () => {
    const { code, err } = await rehearse({ name: 'none', command: ['there-is-no-such-program'] });
    expect(code).toBe(1);
    expect(err).toContain('The program could not be started');
  });

  it('when the program never sells, though its command ends well', async () => {
    const { code, err } = await rehearse(inlineProgram(idle), '--patience', '1');
    expect(code).toBe(1);
    expect(err).toMatch(/no POST \/orders of \S+ reached the emulator/);
  });

  it('when the program sells by another address', async ({ onTestFinished }) => {
    const elsewhere = createServer((_, response) => response.end('{}'));
    const port = await listenOnFreePort(elsewhere);
    onTestFinished(() => void elsewhere.close());
    const code = `process.env.MARKET_BASE_URL = 'http://127.0.0.1:${port}'; import(${JSON.stringify(resume.command[1])})`;
    const rehearsed = await rehearse(inlineProgram(code), '--patience', '1');
    expect(rehearsed.code).toBe(1);
    expect(rehearsed.err).toContain('the program must call MARKET_BASE_URL');
  });

  it('when the program signs wrongly, and says how', async () => {
    const { code, err } = await rehearse(inlineProgram(signsMilliseconds), '--patience', '1');
    expect(code).toBe(1);
    expect(err).toMatch(
      /POST \/quotes was answered 401 invalid_timestamp \(X-Market-Timestamp \d+ looks like milliseconds; .+\), and no POST \/orders/,
    );
  });

  it('when the program calls nothing, and says so before its patience ends', async () => {
    const { code, err, report } = await rehearse(inlineProgram(idle), '--patience', '9');
    expect(code).toBe(1);
    expect(err).toMatch(/^No call has reached the emulator in 8 s.*MARKET_BASE_URL.*until 9 s/m);
    expect(report.limits.join()).toContain('No call has reached the emulator');
  });

  it('when the sell command fails, though the order exists', async () => {
    const args = await commandWith((port) => ['--sell', `${curl(port, 'buy')}; exit 7`]);
    const { code, err } = await runCommand(args);
    expect(code).toBe(1);
    expect(err).toContain('the sell command ended with exit code 7');
  });

  it('when the sell command reaches no program, without waiting for a sale', async () => {
    const sell = 'echo refused: {domain} {payment}; exit 7';
    // The test's own time limit is far below an hour.
    const args = await commandWith(() => ['--patience', '3600', '--sell', sell]);
    const { code, err } = await runCommand(args);
    expect(code).toBe(1);
    expect(err).toMatch(/the sell command ended with exit code 7, and no .* PORT was \d+\./s);
    expect(err).toMatch(/The sell command printed:\nrefused: rehearse-/);
  });

  it('gives the commands the port as PORT', async () => {
    const args = await commandWith(() => ['--ask', 'echo {payment} $PORT']);
    const { code, err } = await runCommand(args);
    expect(code).toBe(1);
    expect(err).toMatch(/The ask command printed:\nrehearse-1-\w+ \d{2,5}\n/);
  });

  it('when --ask prints something else', async () => {
    const args = await commandWith((port) => ['--ask', `echo maybe {payment} ${port}`]);
    const { code, err } = await runCommand(args);
    expect(code).toBe(1);
    expect(err).toContain(
      '--ask did not print placed, refused or open, and ended with exit code 0',
    );
  });

  it('when something else listens on the port already', async ({ onTestFinished }) => {
    const other = createServer((_, response) => response.end('placed'));
    const port = await listenOnFreePort(other);
    onTestFinished(() => void other.close());
    const folder = await temporaryFolder();
    const { code, err } = await runCommand(rehearsalOf(resume, port, folder));
    expect(code).toBe(1);
    expect(err).toContain(`Something listens on port ${port} already`);
  });

  it('when it is stopped, and ends the program', async () => {
    const folder = await temporaryFolder();
    const port = await freePort();
    const stopping = new AbortController();
    const run = runCommand(rehearsalOf(resume, port, folder), stopping.signal);
    await until(() => isListening(port));
    stopping.abort();
    const { code, err } = await run;
    expect([code, err]).toEqual([1, 'It was stopped.\n']);
    await expect(isListening(port)).resolves.toBe(false);
    expect(await readFile(join(folder, 'report.md'), 'utf8')).toContain('It was stopped.');
  });

  it('and leaves no report of before', async () => {
    const args = await commandWith(() => []);
    const folder = args[args.indexOf('--out') + 1] ?? '';
    await writeFile(join(folder, 'report.json'), '{"exitCode":0}');
    const end = args.indexOf('--');
    const { code } = await runCommand([...args.slice(0, end), '--', process.execPath, '-e', '1']);
    expect(code).toBe(1);
    expect(JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'))).toMatchObject({
      exitCode: 1,
    });
  });
});

describe.concurrent('a case', { timeout: 60_000 }, () => {
  it('whose fault never came is not passed', async () => {
    // It believes the books of an order that it does not place: only the first sale reaches the service.
    const code = `(async () => {
      const { Shop } = await import(${fileOf('shop.mjs')});
      const { onHttp } = await import(${fileOf('servers.mjs')});
      class Wrong extends Shop {
        place(sale) {
          return this.sales.size > 1 ? this.end(sale.payment, 'refused') : super.place(sale);
        }
      }
      onHttp(new Wrong().start());
    })()`;
    const rehearsed = await rehearse(inlineProgram(code), '--only', 'lost-after-work');
    const played = rehearsed.report.results.find(({ name }) => name === 'lost-after-work');
    expect(played?.status).toBe('not exercised');
    expect(played?.reason).toMatch(/no POST \/orders of \S+ met the fault/);
    expect(rehearsed.code).toBe(2);
  });

  it('asks after a payment now and then, as long as nothing happens to it', async () => {
    const asked = join(await temporaryFolder(), 'asked');
    const code = `(async () => {
      const { appendFileSync } = require('node:fs');
      const { Shop } = await import(${fileOf('shop.mjs')});
      const { onHttp } = await import(${fileOf('servers.mjs')});
      class Right extends Shop {
        ask(payment) {
          appendFileSync(${JSON.stringify(asked)}, payment + '\\n');
          return super.ask(payment);
        }
      }
      onHttp(new Right().start());
    })()`;
    const { out } = await rehearse(inlineProgram(code), '--only', 'slow-response');
    // Once when the plain sale has ended; while the response takes 12 seconds; and both at the end.
    expect((await readFile(asked, 'utf8')).split('\n').length - 1, out).toBeLessThanOrEqual(10);
  });

  it('in which the program ends at every start fails, and is no failure to run', async () => {
    // A process manager starts it once more; it ends again before it listens, and then stays up.
    const code = `(async () => {
      const { appendFileSync, readFileSync } = require('node:fs');
      const starts = require('node:path').join(process.argv[2], 'starts');
      appendFileSync(starts, '.');
      if (readFileSync(starts).length === 2) process.exit(9);
      const { Shop } = await import(${fileOf('shop.mjs')});
      const { onHttp } = await import(${fileOf('servers.mjs')});
      class Wrong extends Shop {
        handle(event) {
          if (event.type === 'order.rehearsed' && readFileSync(starts).length === 1) process.exit(8);
          super.handle(event);
        }
      }
      onHttp(new Wrong().start());
    })()`;
    const rehearsed = await rehearse(inlineProgram(code), '--only', 'unknown-type');
    const played = rehearsed.report.results.find(({ name }) => name === 'unknown-type');
    expect(played?.findings.map(({ seen }) => seen)).toEqual([
      expect.stringMatching(/^The program ended by itself, with code 8\. Right: /),
      expect.stringMatching(/^The program ended by itself, with code 9\. Right: /),
    ]);
    expect(rehearsed.code).toBe(2);
  });

  it('that needs --ask or --webhook is told as skipped, above all', async () => {
    const args = await commandWith(
      (port) => ['--sell', `http://localhost:${port}/buy?domain={domain}&payment={payment}`],
      {
        without: ['--ask', '--webhook'],
      },
    );
    const { code, err } = await runCommand([
      ...args.slice(0, 1),
      '--only',
      'delivery-lost',
      ...args.slice(1),
    ]);
    expect(code).toBe(1);
    expect(err).toContain('--only delivery-lost needs --webhook\n');
  });
});

it(
  'a program that has stopped working is not waited for in every case',
  { timeout: 60_000 },
  async () => {
    const stopped = wrongPrograms.find(({ name }) => name === 'worker-ends-with-error')!;
    const orders = 'odd-price,lost-before-work,lost-after-work,error-after-work,gateway-404';
    const only = ['--only', `${orders},gateway-200,quote-expired,price-fell,slow-service`];
    const { code, report } = await rehearse(stopped, ...only, '--patience', '3');
    const skipped = report.results.filter(({ status }) => status === 'skipped');
    expect(skipped.map(({ reason }) => reason)).toContain(
      'in 6 cases before it a sale was left open',
    );
    expect(report.limits.join(' ')).toMatch(
      /slow-service[^()]*\(in 6 cases before it a sale was left open\)/,
    );
    expect(code).toBe(2);
  },
);

it(
  'a busy machine changes no verdict: a kill that comes late is a kill',
  { timeout: 240_000 },
  async () => {
    // By itself: the rehearsal gets no time to kill the program when it should.
    const timer = setInterval(() => keepBusy(150), 5);
    onTestFinished(() => {
      clearInterval(timer);
    });
    const only = ['--only', 'kill-after-paid,kill-after-200,kill-in-history'];
    const { code, out } = await rehearse(resume, ...only);
    expect(code, out).toBe(0);
    const lost = wrongPrograms.find(({ name }) => name === 'received-first')!;
    const wrong = await rehearse(lost, '--only', 'kill-after-paid-1000', '--patience', '5');
    expect(wrong.code, wrong.out).toBe(2);
  },
);

describe('--help', () => {
  it('is for the program where it follows --', async () => {
    const { out, err } = await runCommand(['rehearse', '--sell', 'x', '--', 'node', '--help']);
    expect([out, err]).toEqual(['', expect.stringContaining("option '--sell")]);
  });

  it('fits on a screen and has an example', async () => {
    const { code, out } = await runCommand(['rehearse', '--help']);
    expect(code).toBe(0);
    expect(out.split('\n').length).toBeLessThanOrEqual(35);
    expect(out).toContain('Example: market-partner-sdk rehearse');
  });
});

describe('wrong arguments exit with 1 and say which', () => {
  it.each([
    [['--sell', '{payment} {domain}'], "missing required argument 'program'"],
    [['--', 'node'], '"--sell" must be given'],
    [['--sell', '{domain}', '--', 'node'], 'with {payment} in it.'],
    [
      ['--sell', '{payment}', '--', 'node'],
      'It must be a command or an address with {domain} in it.',
    ],
    [['--sell', '{payment} {domain}', '--ask', 'x', '--', 'node'], 'with {payment} in it.'],
    [
      ['--sell', '{payment} {domain}', '--webhook', 'https://shop.example/', '--', 'node'],
      'It must be an http address of this machine.',
    ],
    [
      ['--sell', '{payment} {domain}', '--only', 'lost-afterwork', '--', 'node'],
      'Did you mean lost-after-work?',
    ],
    [
      ['--sell', '{payment} {domain}', '--port', '0', '--', 'node'],
      'It must be a whole number from 1 to 65535.',
    ],
    [['--sel', 'x'], '(Did you mean --sell?)'],
  ])('%j', async (args, message) => {
    const { code, err } = await runCommand(['rehearse', ...args]);
    expect(code).toBe(1);
    expect(err).toContain(message);
  });
});

describe('the heading with the remedy', () => {
  it.each(Object.values(rules))('$guide exists', ({ guide }) => {
    const [path = '', anchor] = guide.split('#');
    expect(existsSync(path)).toBe(true);
    if (anchor !== undefined) expect(pageAt(path).anchors).toContain(anchor);
  });
});

function keepBusy(ms: number): void {
  const endsAt = performance.now() + ms;
  while (performance.now() < endsAt);
}

/** The address of a file of this folder, as a literal. */
function fileOf(name: string): string {
  return JSON.stringify(new URL(name, import.meta.url).href);
}

/** The command of the right program, with other options. */
async function commandWith(
  options: (port: number) => readonly string[],
  { without = [] }: { without?: readonly string[] } = {},
): Promise<string[]> {
  const port = await freePort();
  const folder = await temporaryFolder();
  const own = options(port);
  const args = rehearsalOf(resume, port, folder, [
    '--patience',
    '2',
    '--only',
    'error-after-work',
    ...own,
  ]);
  return args.filter((arg, at) => !without.includes(arg) && !without.includes(args[at - 1] ?? ''));
}

function curl(port: number, path: string): string {
  return `${process.execPath} -e "fetch('http://localhost:${port}/${path}?domain={domain}&payment={payment}',{method:'POST'}).then((r)=>r.text())"`;
}
