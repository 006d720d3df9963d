import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { lstat, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runCommandLine } from '../../src/command-line/main.js';
import { caller, sendRaw, signed } from '../testing/independent-signer.js';
import { MarketEmulator, type EmulatorOptions } from 'market-partner-sdk/testing';
import { startOfTime } from '../testing/emulator-fixture.js';
import { webhookReceivers } from '../testing/webhook-receiver.js';

const receiver = webhookReceivers();

/** Runs a command to its end. */
async function run(...args: string[]) {
  let out = '';
  let err = '';
  const opened: string[] = [];
  const code = await runCommandLine(args, {
    out: (text) => (out += text),
    err: (text) => (err += text),
    // The emulator would run on; the other commands end by themselves.
    stop: args[0] === 'emulator' ? AbortSignal.abort() : new AbortController().signal,
    openUrl: async (url) => {
      opened.push(url);
      return Promise.resolve(true);
    },
  });
  return { code, out, err, opened };
}

/** An emulator in this process, and commands that drive it. */
async function driven(options: EmulatorOptions = {}) {
  const emulator = await MarketEmulator.start({
    clock: () => startOfTime,
    control: true,
    seed: 1,
    ...options,
  });
  onTestFinished(() => emulator.stop());
  const call = caller(emulator, emulator.createCredential());
  const drive = (...args: string[]) => run(...args, '--url', emulator.baseUrl);
  return { emulator, call, drive };
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'emulator-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

describe('the command emulator', () => {
  it('prints the variables of a program for a .env file, and everything else to stderr', async () => {
    const { code, out, err } = await run('emulator', '--port', '0', '--env');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^MARKET_BASE_URL=http:\/\/127\.0\.0\.1:\d+\nMARKET_KEY_ID=mk_\S+\nMARKET_SECRET=\S+\nMARKET_WEBHOOK_SECRET=whsec_\S+\nPAYMENT_SECRET=\w{32}\nSHOP_TOKEN=\w{32}\n$/,
    );
    expect(err).toMatch(
      /^The emulator listens\. Stop it with Ctrl-C\.\nControl over HTTP: .*\nConsole: http:\S+\nStopped\.\n$/,
    );
    const file = join(await folder(), 'emulator.env');
    const written = await run('emulator', '--port', '0', '--env', file);
    expect(written).toMatchObject({ code: 0, err: '' });
    expect(written.out).toMatch(/^The emulator listens\./);
    expect(parseEnv(await readFile(file, 'utf8'))).toEqual({
      ...parseEnv(out),
      MARKET_BASE_URL: expect.stringMatching(/^http:/) as string,
    });
    // What is registered is what deliveries are signed with, also after a restart with the same state.
    const state = join(await folder(), 'state.json');
    const own = 'http://127.0.0.1:9/=whsec_mine';
    for (const webhook of [['--webhook', own], []]) {
      const args = ['--port', '0', '--env', '--state', state, ...webhook];
      const { out: registered } = await run('emulator', ...args);
      expect(parseEnv(registered)).toMatchObject({ MARKET_WEBHOOK_SECRET: 'whsec_mine' });
    }
    const { err: asJson } = await run('emulator', '--port', '0', '--env', '--json');
    const lines = asJson.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ type: 'start', console: expect.any(String) as string }),
      { type: 'stop' },
    ]);
    expect(asJson).not.toContain('credentials');
  });

  it('prints one JSON object a line', async () => {
    const { out } = await run('emulator', '--port', '0', '--json');
    const [first, last] = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(first).toMatchObject({ type: 'start', baseUrl: expect.any(String) as string });
    expect(first!.credentials).toHaveLength(6);
    expect(last).toEqual({ type: 'stop' });
  });

  it('prints an address that the client accepts, and has no control for others', async () => {
    const { out } = await run('emulator', '--port', '0', '--host', '0.0.0.0');
    expect(out).toMatch(/^export MARKET_BASE_URL=http:\/\/127\.0\.0\.1:\d+$/m);
    expect(out).not.toContain('Control over HTTP');
    const withToken = await run(
      ...['emulator', '--port', '0', '--host', '0.0.0.0', '--control-token', 'a-long-token'],
    );
    expect(withToken.out).toContain('Control over HTTP');
  });

  it('opens the console', async () => {
    const gate = ['--path-prefix', '/gate'];
    const { opened, out } = await run('emulator', '--port', '0', ...gate, '--open');
    expect(opened).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/_emulator\/$/)]);
    expect(out).toContain(`Console: ${opened[0]!}\n`);
  });

  it.each([
    ['there is no program that opens one', undefined],
    ['there is none on this machine', '#!/bin/sh\nexit 3\n'],
  ])('says that no browser was opened where %s', async (_, opener) => {
    const path = await folder();
    if (opener !== undefined) await writeFile(join(path, 'xdg-open'), opener, { mode: 0o755 });
    const command = fileURLToPath(new URL('../../dist/bin.cjs', import.meta.url));
    const child = spawn(process.execPath, [command, 'emulator', '--port', '0', '--open'], {
      env: { PATH: path },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => void child.kill());
    const [said] = (await once(child.stderr, 'data')) as [Buffer];
    expect(said.toString()).toMatch(
      /^--open: there is no browser on this machine\. The console is http:\S+\/_emulator\/\n$/,
    );
  });

  it('opens no console where there is no control', async () => {
    const { opened, out, err } = await run('emulator', '--port', '0', '--no-control', '--open');
    expect(opened).toEqual([]);
    expect(err).toBe('--open: there is no console, because there is no control over HTTP.\n');
    expect(out).not.toContain('Console:');
  });

  it('reads its state at the start and writes it at the end, for its owner alone', async () => {
    const file = join(await folder(), 'state.json');
    const first = await run('emulator', '--port', '0', '--state', file);
    expect(first.code).toBe(0);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const state = JSON.parse(await readFile(file, 'utf8')) as { clockOffsetMs: number };
    await writeFile(file, JSON.stringify({ ...state, clockOffsetMs: 86_400_000 }));
    const second = await run('emulator', '--port', '0', '--state', file);
    const keys = (text: string) => text.match(/MARKET_KEY_ID=\S+/g);
    expect(keys(second.out)).toEqual(keys(first.out));
    const kept = JSON.parse(await readFile(file, 'utf8')) as { clockOffsetMs: number };
    expect(kept.clockOffsetMs).toBe(86_400_000);
  });

  it('lists the domains of a seed file, arms faults and registers a webhook', async () => {
    const file = join(await folder(), 'seed.json');
    await writeFile(file, '[{"domain":"only.example","price_cents":100}]');
    const state = join(await folder(), 'state.json');
    const { code } = await run(
      ...['emulator', '--port', '0', '--seed-file', file, '--state', state],
      ...[
        '--webhook',
        'http://127.0.0.1:9/hook?a=b=whsec_1',
        '--fault',
        'POST /orders=emptyBody*2',
      ],
    );
    expect(code).toBe(0);
    expect(JSON.parse(await readFile(state, 'utf8'))).toMatchObject({
      market: {
        accounts: [{ webhook: { url: 'http://127.0.0.1:9/hook?a=b', secret: 'whsec_1' } }],
      },
    });
  });

  it.each([
    [['--fault', 'POST /orders'], "'--fault <calls=fault>'"],
    [['--seed-file', 'package.json'], '"--seed-file" package.json must hold an array'],
    [['--seed-file', 'README.md'], '"--seed-file" README.md is not JSON'],
    [['--seed-file', '/'], '"--seed-file" cannot be read'],
    [['--fault', 'POST /nothing=emptyBody'], '"match"'],
    [['--fault', 'POST /orders=nothing'], '"fault" must be one of'],
    [['--webhook', 'localhost'], '"--webhook"'],
    [['--seed-file', '/no/such/file'], '"--seed-file" cannot be read'],
    [['--deliver-to', 'everywhere'], 'Allowed choices are loopback, anywhere.'],
    [['--control-token', 'short'], '"--control-token"'],
    [['--host', ''], '"--host"'],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await run('emulator', '--port', '0', ...args);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it.each([
    ['http://127.0.0.1:9/hook=c2VjcmV0==', 'http://127.0.0.1:9/hook', 'c2VjcmV0=='],
    ['http://127.0.0.1:9/hook=a=b', 'http://127.0.0.1:9/hook', 'a=b'],
    ['http://127.0.0.1:9=?a=b', 'http://127.0.0.1:9', '?a=b'],
    ['http://127.0.0.1:9/?a=b=whsec_c=d', 'http://127.0.0.1:9/?a=b', 'whsec_c=d'],
    ['http://127.0.0.1:9/?a=b=c2Vj==', 'http://127.0.0.1:9/?a=b', 'c2Vj=='],
  ])('signs with the secret of --webhook %s', async (argument, url, secret) => {
    const state = join(await folder(), 'state.json');
    await run('emulator', '--port', '0', '--state', state, '--webhook', argument);
    expect(JSON.parse(await readFile(state, 'utf8'))).toMatchObject({
      market: { accounts: [{ webhook: { url, secret } }] },
    });
  });

  it('reads a seed file of Windows', async () => {
    const file = join(await folder(), 'seed.json');
    await writeFile(file, '\uFEFF[\r\n{"domain":"a.example","price_cents":100}\r\n]\r\n');
    expect((await run('emulator', '--port', '0', '--seed-file', file)).code).toBe(0);
  });

  it('names a wrong field of a seed file by the option', async () => {
    const file = join(await folder(), 'seed.json');
    await writeFile(file, '[{"domain":"a.example","price_cents":"100"}]');
    const { code, err } = await run('emulator', '--port', '0', '--seed-file', file);
    expect([code, err]).toEqual([2, expect.stringContaining('"--seed-file.0.price_cents" must')]);
  });

  it('starts with a state that is empty, and keeps a link to it', async () => {
    const path = await folder();
    const [file, link] = [join(path, 'state.json'), join(path, 'link.json')];
    await writeFile(file, '\n');
    await symlink(file, link);
    expect((await run('emulator', '--port', '0', '--state', link)).code).toBe(0);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    await writeFile(file, `\uFEFF${await readFile(file, 'utf8')}`);
    expect((await run('emulator', '--port', '0', '--state', link)).code).toBe(0);
  });

  it('repeats no secret of an argument that is wrong', async () => {
    for (const args of [['--webhook', 'localhost=whsec_1'], ['--webhok=http://x=whsec_1']]) {
      const { code, err } = await run('emulator', '--port', '0', ...args);
      expect([code, err]).toEqual([2, expect.not.stringContaining('whsec_1')]);
    }
  });

  it('refuses a state that is none, and leaves its file as it is', async () => {
    const file = join(await folder(), 'state.json');
    await writeFile(file, '{"version":2}');
    const { code, err } = await run('emulator', '--port', '0', '--state', file);
    expect([code, err]).toEqual([1, expect.stringContaining('"snapshot" must be a snapshot')]);
    expect(await readFile(file, 'utf8')).toBe('{"version":2}');
  });

  it('has a line for each delivery, and the error code of each response', async () => {
    const { url } = await receiver();
    const stopping = new AbortController();
    let out = '';
    const ended = runCommandLine(['emulator', '--port', '0', '--webhook', `${url}=whsec_1`], {
      out: (text) => {
        out += text;
        if (out.includes('-> order.recorded')) stopping.abort();
      },
      err: () => undefined,
      stop: stopping.signal,
    });
    const [, baseUrl, keyId, secret] = await new Promise<RegExpExecArray>((resolve) => {
      const look = () => {
        const found = /BASE_URL=(\S+)\nexport MARKET_KEY_ID=(\S+)\nexport MARKET_SECRET=(\S+)/.exec(
          out,
        );
        if (found === null) setImmediate(look);
        else resolve(found);
      };
      look();
    });
    const remote = {
      fetch: async (request: Request) =>
        fetch(request.url.replace('http://market.example', baseUrl!), {
          method: request.method,
          headers: request.headers,
          body: await request.text(),
        }),
    };
    const call = caller(
      remote as unknown as MarketEmulator,
      {
        keyId: keyId!,
        secret: secret!,
      } as Parameters<typeof caller>[1],
    );
    const timestamp = Math.floor(Date.now() / 1000);
    const order = (fields: object, key: string) =>
      call('POST /orders', { body: { domain: 'brew.example', ...fields }, key, timestamp });
    expect((await order({ expected_price: 1 }, 'k1')).status).toBe(422);
    expect((await order({}, 'k2')).status).toBe(201);
    expect(await ended).toBe(0);
    expect(out).toMatch(
      / POST \/api\/partner\/v1\/orders 422 price_mismatch: The expected price 1 /,
    );
    expect(out).toMatch(/ -> order\.recorded evt_\w+00000001 http:\S+ 200 delivered\n/);
  });
});

describe('the log of the command emulator', () => {
  it('shows faults, resets, repeated deliveries and why a delivery failed', async () => {
    const state = join(await folder(), 'state.json');
    let tries = 0;
    const { url } = await receiver((response) => {
      tries += 1;
      if (tries === 1) response.socket!.resetAndDestroy();
      else response.end();
    });
    const stopping = new AbortController();
    let out = '';
    const args = ['emulator', '--port', '0', '--state', state, '--webhook', `${url}=whsec_1`];
    const ended = runCommandLine([...args, '--fault', 'next=resetAfterWork'], {
      out: (text) => {
        out += text;
        if (out.includes('(attempt 2)')) stopping.abort();
      },
      err: () => undefined,
      stop: stopping.signal,
    });
    const printed = async (pattern: RegExp) => {
      while (!pattern.test(out)) await new Promise((resolve) => setImmediate(resolve));
      return pattern.exec(out)!;
    };
    const [, baseUrl, keyId, secret] = await printed(
      /BASE_URL=(\S+)\nexport MARKET_KEY_ID=(\S+)\nexport MARKET_SECRET=(\S+)/,
    );
    const path = '/api/partner/v1/orders';
    const body = '{"domain":"brew.example"}';
    const credential = { keyId: keyId!, secret: secret! };
    const headers = signed(credential, { method: 'POST', path, body });
    const target = {
      method: 'POST',
      target: path,
      headers: { ...headers, 'Idempotency-Key': 'k' },
    };
    await expect(sendRaw(baseUrl!, { ...target, body })).rejects.toThrow(/hang up|ECONNRESET/);
    await printed(/ -> order\.recorded evt_\w+00000001 http:\S+ failed: .*(hang up|ECONNRESET)/);
    await run('clock', 'advance', '1 day', '--url', baseUrl!);
    expect(await ended).toBe(0);
    expect(out).toMatch(/ POST \/api\/partner\/v1\/orders reset accepted \[resetAfterWork\]$/m);
    expect(out).toMatch(
      / -> order\.recorded evt_\w+00000001 http:\S+ 200 delivered \(attempt 2\)$/m,
    );
  });
});

describe('the commands for a running emulator', () => {
  it('trigger an event', async () => {
    const { drive, emulator, call } = await driven();
    const { json } = await call('POST /orders', { body: { domain: 'brew.example' }, key: 'k' });
    const settled = await drive('trigger', 'order.settled', '--order', json.public_id);
    expect(settled).toMatchObject({ code: 0, out: 'evt_00000002 order.settled\n', err: '' });
    const greeted = await drive('trigger', 'partner.greeted');
    expect(greeted.err).toBe('partner.greeted is not a documented type of event.\n');
    expect(emulator.events.map(({ type }) => type)).toEqual([
      'order.recorded',
      'order.settled',
      'partner.greeted',
    ]);
    expect(emulator.events[2]!.data).toMatchObject({ order: { public_id: 'ord_sample' } });
  });

  it.each(['order.setled', 'Order.Settled', 'order_settled', 'settled'])(
    'emit nothing for the misspelled type %s',
    async (type) => {
      const { drive, emulator } = await driven();
      const { code, err } = await drive('trigger', type);
      expect([code, err]).toEqual([
        2,
        expect.stringContaining(`${type} is not a type of event. Did you mean order.settled?`),
      ]);
      expect(emulator.events).toEqual([]);
    },
  );

  it.each([
    [['trigger', ''], '"type" must be a non-empty string'],
    [['trigger', ' '], '"type" must be a non-empty string'],
    [['trigger', 'order.settled', '--order', ''], '"order" must be a non-empty string'],
    [['clock', 'advance', 'soon'], '"duration" must be'],
    [['faults', 'on', '', 'emptyBody'], '"match"'],
    [['faults', 'on', 'POST /orders', 'emptyBdy'], '"fault" must be one of'],
    [['domains', 'reprice', '', '5'], '"domain" must be'],
  ])('refuse %j as arguments, and do nothing', async (args, message) => {
    const { drive, emulator } = await driven();
    const { code, out, err } = await drive(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^error: .*\n.*--help" shows the options\.\n$/);
    expect(err).toContain(message);
    expect([emulator.events, emulator.faults.pending]).toEqual([[], 0]);
  });

  it('arm, list and remove faults', async () => {
    const { drive, emulator } = await driven();
    expect(await drive('faults')).toMatchObject({ code: 0, out: 'no fault is armed\n' });
    await drive('faults', 'on', '/orders', 'rateLimited(2)', '--times', '3');
    await drive('faults', 'on', 'POST /orders', 'resetAfterWork');
    const { out } = await drive('faults', 'deliveries', 'late(10 minutes)', '--times', 'all');
    expect(out).toMatch(/^flt_\d+ calls \/orders status 429 left: 3$/m);
    expect(out).toMatch(/^flt_\d+ calls POST \/orders resetAfterWork left: all$/m);
    expect(out).toMatch(/^flt_\d+ deliveries all late left: all$/m);
    await drive('faults', 'clear');
    expect(emulator.faults.list()).toEqual([]);
  });

  it('find domains, and say of one that is not listed whether it was sold', async () => {
    const { call, drive } = await driven();
    expect((await drive('domains', 'find', 'brew.example')).out).toMatch(/^brew\.example \S+/);
    expect((await drive('domains')).out.split('\n').length).toBeGreaterThan(5);
    expect((await drive('domains', 'find', 'no-such-word')).out).toBe(
      'no domain has this text in its name\n',
    );
    await call('POST /orders', { body: { domain: 'brew.example' }, key: 'k' });
    const { code, err } = await drive('domains', 'find', 'brew.example');
    expect([code, err]).toEqual([1, expect.stringContaining('was sold as ord_')]);
  });

  it('arm faults of deliveries, and some by chance', async () => {
    const { emulator, drive } = await driven();
    await drive('faults', 'deliveries', 'late(10 minutes)', '--chance', '0.5');
    await drive('faults', 'deliveries', 'lost');
    expect(emulator.faults.list()).toMatchObject([
      { target: 'deliveries', title: expect.stringContaining('late') as string },
      { target: 'deliveries', title: expect.stringContaining('lost') as string },
    ]);
  });

  it('move the clock', async () => {
    const { drive } = await driven();
    expect((await drive('clock', 'advance', '11 minutes')).out).toBe('2026-11-19T10:11:00.000Z\n');
    expect((await drive('clock', 'advance', '0')).out).toBe('2026-11-19T10:11:00.000Z\n');
    const { out } = await drive('clock', 'advance', '1 minute', '--json');
    expect(JSON.parse(out)).toMatchObject({ iso: '2026-11-19T10:12:00.000Z' });
    const { code, err } = await drive('clock');
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("missing required argument 'duration'"),
    ]);
  });

  it('place a sample order, or one of a given domain', async () => {
    const { emulator, drive } = await driven({ pathPrefix: '/gate' });
    emulator.clock.advance('8 days');
    const { out } = await drive('orders', 'place');
    expect(out).toMatch(/^ord_\S+ \S+ [\d,]+\.\d\d USD EXTERNALLY_PAID \(hold, startTransfer,/);
    expect(emulator.requests.map(({ endpoint }) => endpoint)).toEqual([
      'GET /domains/search',
      'POST /quotes',
      'POST /orders',
    ]);
    const given = await drive('orders', 'place', 'brew.example', '--json');
    expect(JSON.parse(given.out)).toMatchObject({ domain: 'brew.example' });
    const again = await drive('orders', 'place', 'brew.example');
    expect([again.code, again.err]).toEqual([
      1,
      expect.stringMatching(/brew\.example was sold as ord_\w+: "npx market-partner-sdk reset"/),
    ]);
  });

  it('place an order where no credential can and no domain is found', async () => {
    const emulator = await MarketEmulator.start({ control: true, inventory: [] });
    onTestFinished(() => emulator.stop());
    emulator.createCredential({ scopes: ['search'] });
    emulator.createCredential({ environment: 'live' });
    emulator.admin.list({ domain: 'only.example', price_cents: 100 });
    const place = (...args: string[]) => run('orders', 'place', ...args, '--url', emulator.baseUrl);
    const refused = await place();
    expect(refused.err).toContain('this emulator lists other domains, so name one');
    expect((await place('only.example')).out).toContain('EXTERNALLY_PAID');
    expect(emulator.requests.at(-1)?.headers['x-market-key-id']).toMatch(/^mk_sandbox_/);
  });

  it('list, show, move and settle orders', async () => {
    const { drive, call } = await driven();
    expect((await drive('orders')).out).toBe('no orders\n');
    const { json } = await call('POST /orders', { body: { domain: 'brew.example' }, key: 'k' });
    const id = json.public_id;
    expect((await drive('orders', id)).out).toBe(
      `${id} brew.example 2,500.00 USD EXTERNALLY_PAID (hold, startTransfer, refund, cancel)\n`,
    );
    await drive('orders', id, 'startTransfer');
    await drive('orders', id, 'completeTransfer');
    expect((await drive('orders', 'settle')).out).toBe('settled 1 order; you owe 2,125.00 USD\n');
    expect((await drive('orders', id)).out).toContain('SETTLED (refund)');
    expect((await drive('orders', 'settle')).out).toBe('settled 0 orders\n');
  });

  it('settle what the service pays out, too', async () => {
    const { drive, call, emulator } = await driven();
    const { json } = await call('POST /checkout-session', { body: { domain: 'brew.example' } });
    emulator.admin.payCheckout(json.session_id);
    expect((await drive('orders', 'settle')).out).toBe(
      'settled 0 orders; you are paid 375.00 USD\n',
    );
    expect((await drive('orders', 'settle')).out).toBe('settled 0 orders\n');
  });

  it('go to this machine itself, though a proxy is in the way of fetch', async () => {
    const { drive, emulator } = await driven();
    vi.stubGlobal('fetch', () => Promise.reject(new Error('the proxy has no emulator')));
    onTestFinished(() => void vi.unstubAllGlobals());
    for (const name of ['127.0.0.1', 'localhost']) {
      const url = emulator.baseUrl.replace('127.0.0.1', name);
      expect(await run('orders', '--url', url)).toMatchObject({ code: 0, out: 'no orders\n' });
    }
    const elsewhere = await run('orders', '--url', 'http://market.example:4010');
    expect(elsewhere.err).toContain('the proxy has no emulator');
    await emulator.stop();
    const none = await drive('orders');
    expect(none.err).toMatch(/^There is no emulator at \S+: connect ECONNREFUSED/);
  });

  it('say in cmd.exe that single quotes are none', async () => {
    const { drive } = await driven();
    const clock = await drive('clock', 'advance', "'11", "minutes'");
    expect(clock).toMatchObject({ code: 2 });
    expect(clock.err).toContain("An argument begins with ': cmd.exe takes only double quotes");
    const fault = await drive('faults', 'on', "'POST", "/orders'", 'resetAfterWork');
    expect(fault.err).toContain('cmd.exe');
    expect((await drive('clock', 'advance', '11 parsecs')).err).not.toContain('cmd.exe');
  });

  it('list hosted checkouts, and pay one', async () => {
    const { drive, call, emulator } = await driven();
    expect((await drive('sessions')).out).toBe('no hosted checkout\n');
    const { json } = await call('POST /checkout-session', { body: { domain: 'brew.example' } });
    const { session_id: id, checkout_url } = json as unknown as Record<string, string>;
    expect((await drive('sessions')).out).toBe(
      `${id!} brew.example 2,500.00 USD open until 2026-11-26T10:00:00.000Z ${checkout_url!}\n`,
    );
    expect((await drive('sessions', 'pay', id!)).out).toBe(`${id!} is paid\n`);
    expect((await drive('sessions', 'list')).out).toContain(' 2,500.00 USD paid ');
    expect(await drive('sessions', 'pay', id!)).toMatchObject({
      code: 1,
      err: `checkout ${id!} is paid already\n`,
    });
    await call('POST /checkout-session', { body: { domain: 'roast.example' } });
    emulator.clock.advance('8 days');
    expect((await drive('sessions')).out).toMatch(/ roast\.example \S+ USD expired /);
  });

  it('list brokerage cases, and close one', async () => {
    const { drive, call, emulator } = await driven();
    expect((await drive('cases')).out).toBe('no brokerage case\n');
    const open = async (body: object) => {
      const { json } = await call('POST /brokerage', {
        body: { tier: 'managed', buyer_email: 'ada@buyer.example', ...body },
      });
      return (json as unknown as { case_id: string }).case_id;
    };
    const [wanted, dream] = [await open({ domain: 'wanted.example' }), await open({})];
    expect((await drive('cases')).out).toMatch(
      /^case_\w+ wanted\.example managed ada@buyer\.example OPEN http:\S+\ncase_\w+ \(no domain\) managed /,
    );
    const deal = await drive('cases', 'close', wanted, '--price', '420000');
    expect(deal.out).toMatch(
      /^case_\w+ wanted\.example .* COMPLETED deal 4,200\.00 USD http:\S+\n$/,
    );
    const { out } = await drive('cases', 'close', dream, '--no-deal', '--json');
    expect(JSON.parse(out)).toMatchObject({ case_id: dream, outcome: 'no_deal' });
    expect(emulator.events.map(({ type }) => type)).toEqual(['brokerage.case_completed']);
  });

  it('list tracking links, and visit, begin a checkout, sell and reverse', async () => {
    const { drive, call, emulator } = await driven();
    expect((await drive('links')).out).toBe('no tracking link\n');
    const body = { type: 'domain', domain: 'brew.example' };
    const { json } = await call('POST /links', { body });
    const { link_id: id } = json as unknown as { link_id: string };
    expect((await drive('links', 'click', id)).out).toBe(`a visitor followed ${id}\n`);
    expect((await drive('links', 'checkout', id)).out).toBe(
      `a visitor of ${id} began a checkout\n`,
    );
    const sold = await drive('links', 'sell', id, 'brew.example', '250000');
    expect(sold.out).toMatch(/^rs_\w+ brew\.example 2,500\.00 USD, commission 375\.00 USD\n$/);
    expect((await drive('links')).out).toMatch(
      /^lnk_\w+ domain brew\.example clicks: 1 sales: 1 http:\S+\/r\/lnk_\w+\n$/,
    );
    const [sale = ''] = sold.out.split(' ');
    expect((await drive('links', 'reverse', sale)).out).toBe(`${sale} is reversed\n`);
    const { admin } = emulator;
    expect(() => admin.reverseReferralSale(sale)).toThrow(`of ${sale} is reversed already`);
  });

  it('say what answers in the place of an emulator', async () => {
    const { emulator } = await driven({ control: false });
    const { url } = await receiver((response) => response.end('<html>'));
    const page = await run('faults', '--url', url);
    const origin = new URL(url).origin;
    expect(page).toMatchObject({ code: 1, err: `${origin} has no control API (status 200)\n` });
    const service = await run('faults', '--url', emulator.baseUrl);
    expect(service).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^Control over HTTP is off.* --no-control.* --control-token/),
    });
    const moved = await receiver((response) =>
      response.writeHead(302, { location: 'https://other.example' }).end(),
    );
    const redirected = await run('faults', '--url', moved.url);
    expect(redirected).toMatchObject({ code: 1, err: expect.stringContaining('redirect') });
  });

  it('end at Ctrl-C while the emulator hangs', async () => {
    const stopping = new AbortController();
    const { url } = await receiver(() => stopping.abort());
    let err = '';
    const code = await runCommandLine(['orders', '--url', url], {
      out: () => undefined,
      err: (text) => (err += text),
      stop: stopping.signal,
    });
    expect([code, err]).toEqual([1, 'Stopped before the emulator responded.\n']);
  });

  it('carry the control token', async () => {
    const { drive } = await driven({ controlToken: 'a-long-token' });
    const missing = await drive('faults');
    expect([missing.code, missing.err]).toEqual([
      2,
      expect.stringContaining('has a control token. Pass it with --control-token <text>'),
    ]);
    const wrong = await drive('faults', '--control-token', 'another-token');
    expect([wrong.code, wrong.err]).toEqual([
      2,
      expect.stringContaining('another --control-token'),
    ]);
    expect(await drive('faults', '--control-token', 'a-long-token')).toMatchObject({ code: 0 });
  });

  it('say what the emulator refuses, and that there is none', async () => {
    const { drive, emulator } = await driven();
    const refused = await drive('orders', 'ord_none', 'hold');
    expect(refused).toMatchObject({ code: 1, err: 'there is no order ord_none\n' });
    await emulator.stop();
    const { code, err } = await drive('faults');
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^There is no emulator at http.*ECONNREF/),
    ]);
  });

  it.each([
    [['trigger']],
    [['trigger', 'a', 'b']],
    [['faults', 'on', '/orders']],
    [['faults', 'strike']],
    [['faults', 'on', '/orders', 'emptyBody', '--times', '0']],
    [['clock', 'advance']],
    [['clock', 'stop', 'now']],
    [['orders', 'ord_1', 'fly']],
    [['orders', 'ord_1', 'hold', 'now']],
    [['faults', 'list', 'all']],
    [['faults', 'onn', '/orders', 'emptyBody']],
    [['domains', 'reprice', 'brew.example']],
    [['domains', 'reprice', 'brew.example', '2500.00']],
    [['sessions', 'pay']],
    [['cases', 'close', 'case_1', '--price', '4,200.00']],
    [['links', 'sell', 'lnk_1', 'brew.example']],
    [['links', 'fly', 'lnk_1']],
    [['reset', 'now']],
    [['orders', '--colour']],
    [['faults', '--url', 'nowhere']],
  ])('refuse %j with their usage', async (args) => {
    const { code, err } = await run(...args);
    expect(code).toBe(2);
    expect(err).toContain(`market-partner-sdk ${args[0]!}`);
  });

  it.each([
    ['an address without a scheme', ['--url', 'localhost:4010'], {}, "'--url <url>' argument"],
    ['the same of the environment', [], { MARKET_BASE_URL: 'localhost:4010' }, 'MARKET_BASE_URL'],
  ])('say what is wrong with %s', async (_, args, env, message) => {
    let err = '';
    const code = await runCommandLine(['orders', ...args], {
      out: () => undefined,
      err: (text) => (err += text),
      stop: AbortSignal.abort(),
      env,
    });
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it('name the option that was meant', async () => {
    const { err } = await run('emulator', '--prot', '4011');
    expect(err.trimEnd().split('\n')).toEqual([
      "error: unknown option '--prot'",
      '(Did you mean --port?)',
      '"market-partner-sdk emulator --help" shows the options.',
    ]);
    expect((await run('orders', '--colour')).err).toMatch(/^error: unknown option '--colour'\n"/);
  });
});

describe('the output of the command', () => {
  const bin = fileURLToPath(new URL('../../dist/bin.cjs', import.meta.url));
  const shell = async (script: string) => {
    const child = spawn('/bin/sh', ['-c', script, 'sh', process.execPath, bin]);
    let err = '';
    child.stderr.on('data', (text: Buffer) => (err += text.toString()));
    const [code] = (await once(child, 'close')) as [number];
    return [code, err];
  };

  it.skipIf(!existsSync('/dev/full'))('that cannot be written is a failure', async () => {
    expect(await shell('"$1" "$2" --help > /dev/full')).toEqual([
      1,
      expect.stringMatching(/^The output is lost: ENOSPC.*\n$/),
    ]);
  });

  it('may be read in part', async () => {
    expect(await shell('"$1" "$2" --help | true')).toEqual([0, '']);
    expect(await shell('("$1" "$2" --help; echo "code $?" >&2) | true')).toEqual([0, 'code 0\n']);
  });
});
