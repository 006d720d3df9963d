import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fault, MarketEmulator } from 'market-partner-sdk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { doctor, run, service } from './run-doctor.js';

describe('the command doctor', () => {
  it('finds nothing wrong, with one read for each scope that has one', async () => {
    const { emulator, env } = await service();
    const report = await doctor(env);
    expect(report).toMatchObject({
      ok: true,
      failed: [],
      environment: 'sandbox',
      baseUrl: emulator.baseUrl,
      node: process.versions.node,
      tls: null,
      proxyVariables: [],
      latencyMs: { first: expect.any(Number) as number, median: expect.any(Number) as number },
    });
    expect(Math.abs(report.clockOffsetMs ?? Infinity)).toBeLessThan(60_000);
    expect(
      emulator.requests.map(
        ({ method, path }) => `${method} ${path.replace('/api/partner/v1', '')}`,
      ),
    ).toEqual([
      'GET /availability',
      'GET /settlements',
      'GET /brokerage/eligibility',
      'GET /links',
      'GET /payouts',
      'GET /events',
    ]);
    expect(report.check('scope embed')).toMatchObject({
      result: 'not_checked',
      detail: 'cannot be probed without effect',
    });
  });

  it('reads the variables of a file, which those of the environment come before', async () => {
    const { emulator, env } = await service();
    const folder = await mkdtemp(join(tmpdir(), 'doctor-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, '.env');
    const text = Object.entries({ ...env, MARKET_SECRET: 'of-nobody' }).map((pair) =>
      pair.join('='),
    );
    await writeFile(file, `# a comment\r\n${text.join('\r\n')}\r\n`);
    const { MARKET_SECRET } = env;
    expect((await run({ MARKET_SECRET }, '--env-file', file)).code).toBe(0);
    expect(emulator.requests.length).toBeGreaterThan(0);
    expect((await run({}, '--env-file', file)).out).toContain('invalid_signature');
    const missing = await run(env, '--env-file', join(folder, 'none'));
    expect([missing.code, missing.err]).toEqual([
      2,
      expect.stringContaining('"--env-file" cannot be read: ENOENT'),
    ]);
  });

  it('prints a line for each check, and a last one', async () => {
    const { emulator, env } = await service({}, ['search']);
    const { code, out } = await run({ ...env, https_proxy: 'http://user:pass@proxy.example' });
    expect(code).toBe(0);
    expect(out).toMatch(/^ok {7}node {11}v\d+\.\S+, market-partner-sdk \S+$/m);
    expect(out).toMatch(/^warning {2}proxy {10}https_proxy set, and not used/m);
    expect(out).toContain(
      `ok       configuration  ${emulator.baseUrl}, key id ${env.MARKET_KEY_ID.slice(0, 15)}...,`,
    );
    expect(out).toMatch(/^ok {7}scope search {3}granted$/m);
    expect(out).toMatch(/^missing {2}scope buy {6}403 forbidden: .*\n +-> .*"buy"/m);
    expect(out).toMatch(/^skipped {2}scope embed {4}cannot be probed without effect$/m);
    expect(out).toMatch(/^ok {7}latency {8}\d+ ms with connect, then \d+ ms \(median\)$/m);
    expect(out).toMatch(
      /\n\nAll is well for search only\. Missing: buy, broker, refer, report, webhook\. Not checked: embed\./,
    );
    expect(out).not.toContain('All is well.');
    expect(out).not.toContain('pass');
    // No colour: a log file and a screen reader get the same text.
    expect(out).not.toContain('\u001b');
  });

  it('takes a scope that the program needs and the credential lacks for a failure', async () => {
    const { env } = await service({}, ['search']);
    expect((await doctor(env, '--scopes', 'search')).ok).toBe(true);
    const report = await doctor(env, '--scopes', 'search, buy,refer');
    expect(report.failed).toEqual(['scope buy', 'scope refer']);
    expect(report.check('scope buy').advice).toContain('"buy"');
    expect(report.check('scope refer').advice).toContain('affiliate account');
    expect(report.check('scope report').result).toBe('missing');
  });

  it('takes a credential without any scope for a failure', async () => {
    const { env } = await service({}, []);
    expect((await doctor(env)).failed).toEqual(['scopes']);
  });

  it('names the secret where the signature is refused, and asks no further', async () => {
    const { emulator, env } = await service();
    const report = await doctor({ ...env, MARKET_SECRET: 'msk_sandbox_of_somebody_else' });
    expect(report.failed).toEqual(['credential']);
    expect(report.check('credential')).toMatchObject({
      detail: expect.stringContaining('401 invalid_signature') as string,
      advice: expect.stringMatching(/^MARKET_SECRET is probably not the secret/) as string,
    });
    expect(report.check('scope buy').result).toBe('not_checked');
    expect(emulator.requests).toHaveLength(1);
  });

  it('names the path of the address where a gateway may remove it', async () => {
    const { env } = await service({ pathPrefix: '/gateway' });
    const report = await doctor({ ...env, MARKET_SECRET: 'msk_sandbox_of_somebody_else' });
    expect(report.check('credential').advice).toContain('the path /gateway of MARKET_BASE_URL');
  });

  it('shows neither variable where the two are swapped', async () => {
    const { env } = await service();
    const swapped = { ...env, MARKET_KEY_ID: env.MARKET_SECRET, MARKET_SECRET: env.MARKET_KEY_ID };
    expect((await doctor(swapped)).failed).toEqual(['credential']);
    expect((await run(swapped)).out).not.toContain(env.MARKET_SECRET);
  });

  it('reports a key that the service does not know', async () => {
    const { env } = await service();
    const report = await doctor({ ...env, MARKET_KEY_ID: 'mk_sandbox_unknown_key_0001' });
    expect(report.failed).toEqual(['credential']);
    expect(report.check('credential').advice).toContain('MARKET_KEY_ID');
  });

  it.each([
    [600_000, 'behind'],
    [-600_000, 'ahead of'],
  ])('measures a clock that is %i ms off, and goes on', async (offsetMs, word) => {
    const { emulator, env } = await service();
    emulator.faults.on(() => true, fault.wrongClock(offsetMs));
    const report = await doctor(env);
    expect(report.failed).toEqual(['clock']);
    expect(report.check('clock').detail).toMatch(
      new RegExp(
        `^(599|600)\\.\\d s ${word} the service's; market.now\\(\\) corrects -?(599|600|601) s$`,
      ),
    );
    expect(report.check('clock').advice).toContain('NTP');
    expect(Math.abs((report.clockOffsetMs ?? 0) - offsetMs)).toBeLessThan(2_000);
    expect(report.check('scope search').result).toBe('ok');
    expect(report.check('scope webhook').result).toBe('ok');
  });

  it('warns of a clock that the service still accepts', async () => {
    const { emulator, env } = await service();
    emulator.faults.on(() => true, fault.wrongClock(120_000));
    const report = await doctor(env);
    expect([report.ok, report.check('clock').result]).toEqual([true, 'warning']);
  });

  it('does not wait for a rate limit: it says how long', async () => {
    const { emulator, env } = await service();
    emulator.faults.on(() => true, fault.rateLimited(30));
    const report = await doctor(env);
    expect(report.failed).toEqual(['connection']);
    expect(report.check('connection')).toMatchObject({
      detail: expect.stringContaining('429 rate_limited') as string,
      advice: 'Wait 30 s and run this again.',
    });
    expect(emulator.requests).toHaveLength(1);
  });

  it('repeats no read that the service failed, and goes on with the next', async () => {
    const { emulator, env } = await service();
    emulator.faults.on('GET /settlements', fault.internalError());
    const report = await doctor(env);
    expect(report.failed).toEqual(['scope buy']);
    expect(emulator.requests).toHaveLength(6);
  });

  it('sends nothing with a live key without --live', async () => {
    const emulator = await MarketEmulator.start();
    onTestFinished(() => emulator.stop());
    const { keyId, secret } = emulator.createCredential({ environment: 'live' });
    const env = { MARKET_BASE_URL: emulator.baseUrl, MARKET_KEY_ID: keyId, MARKET_SECRET: secret };
    const refused = await doctor(env);
    expect(refused.failed).toEqual(['configuration']);
    expect(refused.check('configuration')).toMatchObject({
      detail: expect.stringContaining('live') as string,
      advice: expect.stringContaining('--live') as string,
    });
    expect(emulator.requests).toHaveLength(0);
    expect(await doctor(env, '--live')).toMatchObject({ ok: true, environment: 'live' });
  });

  it.each([
    [
      {},
      'Next: set MARKET_BASE_URL, MARKET_KEY_ID, MARKET_SECRET, or name their file with --env-file; run',
    ],
    [
      { MARKET_BASE_URL: 'https://user:pw@market.example' },
      'Next: correct MARKET_BASE_URL; set MARKET_KEY_ID, MARKET_SECRET, or name their file with --env-file; run',
    ],
    [{ MARKET_BASE_URL: 'https://user:p/w@market.example' }, 'MARKET_BASE_URL'],
    [{ MARKET_BASE_URL: 'msk_user:pw' }, 'MARKET_BASE_URL'],
    [
      { MARKET_BASE_URL: 'https://market.example', MARKET_KEY_ID: 'mk_sandbox_1f0c9a77' },
      'Next: set MARKET_SECRET, or name their file with --env-file; run',
    ],
  ])('names the variable that is missing or wrong: %j', async (env, variable) => {
    const report = await doctor(env);
    expect(report.failed).toEqual(['configuration']);
    expect(JSON.stringify(report)).toContain(variable);
    expect(JSON.stringify(report)).not.toMatch(/user:|p\/?w@/);
  });

  it.each([[['--scopes', 'sell']], [['--verbose']], [['now']]])('refuses %j', async (args) => {
    const { code, err } = await run({}, ...args);
    expect([code, err]).toEqual([2, expect.stringContaining('market-partner-sdk doctor --help')]);
  });
});
