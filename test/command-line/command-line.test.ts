import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/command-line/main.js';
import { seconds, sendRaw, signed } from '../testing/independent-signer.js';

const { version: packageVersion } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };

/** Runs the command; what it printed, and how to stop it. */
function start(...args: string[]) {
  const stopping = new AbortController();
  let out = '';
  let err = '';
  const printed: (() => void)[] = [];
  const code = runCommandLine(args, {
    out: (text) => {
      out += text;
      for (const wake of printed.splice(0)) wake();
    },
    err: (text) => {
      err += text;
    },
    stop: stopping.signal,
  });
  return {
    code,
    stop: () => stopping.abort(),
    text: () => ({ out, err }),
    /** Resolves with the match as soon as it was printed. */
    async until(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const match = pattern.exec(out);
        if (match !== null) return match;
        await new Promise<void>((resolve) => printed.push(resolve));
      }
    },
  };
}

describe('the command', () => {
  it('prints credentials, logs each request in one line with its verdict, and stops cleanly', async () => {
    const command = start('emulator', '--port', '0', '--all');
    const [, baseUrl] = await command.until(/MARKET_BASE_URL=(\S+)/);
    const keys = [
      ...command
        .text()
        .out.matchAll(
          /# (.+)\nexport MARKET_BASE_URL=.+\nexport MARKET_KEY_ID=(\S+)\nexport MARKET_SECRET=(\S+)/g,
        ),
    ];
    expect(keys.map(([, name]) => name)).toEqual([
      'everything: search, embed, buy, broker, refer, report, webhook',
      'search: search',
      'merchant of record: search, buy, report, webhook',
      'hosted checkout: search, embed, report, webhook',
      'brokerage: broker, report, webhook',
      'affiliate: refer, report',
    ]);
    const [, , keyId, secret] = keys[1]!;
    const path = '/api/partner/v1/pricing';
    const query = 'domain=brew.example';
    const headers = signed({ keyId: keyId!, secret: secret! }, { method: 'GET', path, query });
    const target = `${path}?${query}`;
    const send = () => sendRaw(baseUrl!, { method: 'GET', target, headers });
    expect((await send()).status).toBe(200);
    expect((await send()).status).toBe(401);
    const { out } = command.text();
    expect(out).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} GET \/api\/partner\/v1\/pricing\?domain=brew\.example 200 accepted$/m,
    );
    expect(out).toMatch(/ 401 replay_detected: X-Market-Nonce .+ was used before.*$/m);
    expect(out).not.toContain(headers['X-Market-Signature']);
    command.stop();
    expect(await command.code).toBe(0);
    expect(command.text().out.endsWith('Stopped.\n')).toBe(true);
    await expect(send()).rejects.toThrow();
  });

  it('takes the switches of the emulator', async () => {
    const profile = join(mkdtempSync(join(tmpdir(), 'market-')), 'market.profile.json');
    const form = { version: 1, lists: { items: 'items' }, errors: { code: 'error.code' } };
    writeFileSync(profile, JSON.stringify(form));
    const command = start(
      ...['emulator', '--port', '0', '--host', '127.0.0.1', '--path-prefix', '/gateway'],
      ...['--profile', profile, '--clock-ahead', '1 hour', '--seed', '7'],
    );
    const [, baseUrl] = await command.until(/MARKET_BASE_URL=(\S+)/);
    const [, keyId = '', secret = ''] = await command.until(
      /MARKET_KEY_ID=(\S+)\nexport MARKET_SECRET=(\S+)/,
    );
    expect(baseUrl!.endsWith('/gateway')).toBe(true);
    const path = '/gateway/api/partner/v1/orders';
    const timestamp = seconds(Date.now()) + 3600;
    const headers = signed({ keyId, secret }, { method: 'GET', path, timestamp });
    const reply = await sendRaw(baseUrl!, { method: 'GET', target: path, headers });
    expect(reply.json).toEqual({ items: [], next_cursor: null });
    expect(
      (await sendRaw(baseUrl!, { method: 'GET', target: path, headers: {} })).json,
    ).toMatchObject({
      error: { code: 'missing_credentials' },
    });
    command.stop();
    expect(await command.code).toBe(0);
  });

  it.each([
    [['serve'], 'There is no serve. There are emulator, orders,'],
    [['emulatr'], 'There is no emulatr. Did you mean emulator?'],
    [[], 'Usage: market-partner-sdk [options] [command]'],
    [['help', 'emulatr'], 'There is no emulatr. Did you mean emulator?'],
    [['help', 'nothing'], 'There is no nothing. There are emulator, orders,'],
    [['help', 'faults', 'deliverys'], 'There is no deliverys. Did you mean deliveries?'],
    [['help', 'trigger', 'now'], 'There is no now: trigger has no commands of its own.'],
    [['faults', 'help', 'nothing'], 'There is no nothing. There are '],
    [['emulatr', '--help'], 'There is no emulatr. Did you mean emulator?'],
    [['emulator', 'now'], "too many arguments for 'emulator'"],
    [['emulator', '--port', 'http'], 'It must be a whole number from 0 to 65535.'],
    [['emulator', '--seed', '-1'], "'--seed <number>' argument '-1'"],
    [['emulator', '--clock-ahead', 'soon'], "'--clock-ahead <time>'"],
    [['emulator', '--prot=4011'], '(Did you mean --port?)'],
    [['emulator', '--colour'], '--colour'],
  ])('refuses arguments that it does not understand: %j', async (args, message) => {
    const command = start(...args);
    expect(await command.code).toBe(2);
    expect(command.text().err).toContain(message);
    expect(command.text().err).toContain('market-partner-sdk');
  });

  it('says why it could not start', async () => {
    const wrong = start('emulator', '--port', '0', '--deliver-to', 'xml');
    expect(await wrong.code).toBe(2);
    expect(wrong.text().err).toContain('Allowed choices are loopback, anywhere.');
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const command = start('emulator', '--port', String(port));
    expect(await command.code).toBe(1);
    expect(command.text().err).toBe(
      `The emulator could not start: port ${port} is in use by another program. Choose another one: --port ${port + 1}\n`,
    );
    taken.closeAllConnections();
    taken.close();
    await once(taken, 'close');
  });

  it('says where another emulator has its port', async () => {
    const first = start('emulator', '--port', '0');
    const [, port = ''] = await first.until(/MARKET_BASE_URL=http:\S+:(\d+)/);
    const second = start('emulator', '--port', port);
    expect(await second.code).toBe(1);
    expect(second.text().err).toContain(`port ${port} is in use by another emulator`);
    first.stop();
    await first.code;
  });

  it('checks a fault before anything listens', async () => {
    const command = start('emulator', '--port', '0', '--fault', 'POST /orders=foo');
    expect(await command.code).toBe(2);
    expect(command.text()).toEqual({
      out: '',
      err: expect.stringMatching(
        /^error: option '--fault .*' is invalid\. "fault" must be one of .*\n"market-partner-sdk emulator --help" shows the options\.\n$/,
      ),
    });
  });

  it('says why there is no control, where others can reach it', async () => {
    const open = start('emulator', '--port', '0', '--host', '0.0.0.0');
    await open.until(/No control over HTTP.*--control-token/);
    open.stop();
    await open.code;
  });

  it.each([
    'emulator',
    'trigger',
    'faults',
    'orders',
    'domains',
    'sessions',
    'cases',
    'links',
    'clock',
    'reset',
    'listen',
    'doctor',
    'reconcile',
    'durable',
  ])('explains %s on one screen, with an example', async (name) => {
    const command = start(name, '--help');
    expect(await command.code).toBe(0);
    const lines = command.text().out.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(30);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(110);
    expect(lines.at(-1)).toMatch(new RegExp(`^Example: market-partner-sdk ${name}`));
  });

  it.each([
    ['--help', 'market-partner-sdk [options] [command]'],
    ['help', 'market-partner-sdk [options] [command]'],
    ['help emulator', 'market-partner-sdk emulator [options]'],
    ['faults on --help', '--url <url>'],
    ['help faults on', 'market-partner-sdk faults on [options] <calls> <fault>'],
    ['faults help on', 'market-partner-sdk faults on [options] <calls> <fault>'],
    ['faults help', '  on <calls> <fault>'],
    ['emulator --help', 'market-partner-sdk emulator [options]'],
    ['trigger --help', 'market-partner-sdk trigger [options] <type>'],
    ['faults --help', '  on <calls> <fault>'],
    ['clock --help', 'market-partner-sdk clock'],
    ['orders --help', '  settle  '],
  ])('explains itself: %s', async (args, text) => {
    const command = start(...args.split(' '));
    expect(await command.code).toBe(0);
    expect(command.text().out).toContain(text);
  });

  it.each(['-v', '--version'])('prints the version of the package: %s', async (flag) => {
    const command = start(flag);
    expect(await command.code).toBe(0);
    expect(command.text().out).toBe(`${packageVersion}\n`);
  });
});
