import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { EmulatorSnapshot } from 'market-partner-sdk/testing';
import { runCommandLine } from '../../src/command-line/main.js';

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'state-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

/** Runs the emulator until its output has this text; unless given, it is stopped at once. */
async function emulate(args: readonly string[], until = '') {
  const stopping = new AbortController();
  let out = '';
  let err = '';
  const ended = runCommandLine(['emulator', '--port', '0', ...args], {
    out: (text) => {
      out += text;
      if (out.includes(until)) stopping.abort();
    },
    err: (text) => (err += text),
    stop: stopping.signal,
  });
  const started = async () => {
    while (!out.includes('MARKET_BASE_URL=')) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    return /MARKET_BASE_URL=(\S+)/.exec(out)![1]!;
  };
  return { ended, started, stop: () => stopping.abort(), text: () => ({ out, err }) };
}

const stateIn = async (file: string) =>
  JSON.parse(await readFile(file, 'utf8')) as EmulatorSnapshot;

describe('the state file of the command emulator', () => {
  it('that cannot be written is reported before anything is in the emulator', async () => {
    const file = join(await folder(), 'missing', 'state.json');
    const command = await emulate(['--state', file]);
    expect(await command.ended).toBe(1);
    const { out, err } = command.text();
    expect(out).toBe('');
    expect(err).toMatch(/^"--state" cannot be written: ENOENT.*\n$/);
  });

  it('that holds something else is named', async () => {
    const file = join(await folder(), 'state.json');
    await writeFile(file, '{"version":2}');
    const command = await emulate(['--state', file]);
    expect(await command.ended).toBe(1);
    expect(command.text().err).toMatch(/^"--state" \S+state\.json: "snapshot" must be a snapshot/);
  });

  it.each(['', ' \r\n', '\uFEFF'])('that is empty (%j) is a first start', async (content) => {
    const file = join(await folder(), 'state.json');
    await writeFile(file, content);
    expect(await (await emulate(['--state', file])).ended).toBe(0);
    expect(await stateIn(file)).toHaveProperty('version', 1);
  });

  it('of an editor that marks the byte order is read', async () => {
    const file = join(await folder(), 'state.json');
    await (
      await emulate(['--state', file])
    ).ended;
    const state = await stateIn(file);
    await writeFile(file, `\uFEFF${JSON.stringify(state, null, 2).replaceAll('\n', '\r\n')}\r\n`);
    expect(await (await emulate(['--state', file])).ended).toBe(0);
    expect((await stateIn(file)).credentials).toEqual(state.credentials);
  });

  // A device of the test's own: one of the machine's could be lost.
  it.skipIf(process.getuid?.() !== 0)('that is a device stays one', async () => {
    const device = join(await folder(), 'null');
    execFileSync('mknod', [device, 'c', '1', '3']);
    expect(await (await emulate(['--state', device])).ended).toBe(0);
    expect((await lstat(device)).isCharacterDevice()).toBe(true);
  });

  it('that is a link stays one, and what it leads to is written', async () => {
    const path = await folder();
    const [file, link] = [join(path, 'real.json'), join(path, 'state.json')];
    await writeFile(file, '');
    await symlink(file, link);
    expect(await (await emulate(['--state', link])).ended).toBe(0);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await stateIn(file)).toHaveProperty('version', 1);
    expect((await readdir(path)).sort()).toEqual(['real.json', 'state.json']);
  });

  it('that is a link to a file that does not exist yet stays one', async () => {
    const path = await folder();
    await mkdir(join(path, 'data'));
    const link = join(path, 'state.json');
    await symlink('data/state.json', link);
    expect(await (await emulate(['--state', link])).ended).toBe(0);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await stateIn(join(path, 'data', 'state.json'))).toHaveProperty('version', 1);
  });

  it('whose folder takes no other file is written in place', async () => {
    const path = await folder();
    const file = join(path, 'locked', 'state.json');
    await mkdir(dirname(file));
    await writeFile(file, '');
    await cp(fileURLToPath(new URL('../../dist', import.meta.url)), path, { recursive: true });
    // Root may write everywhere.
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    if (nobody.uid !== undefined) {
      await chown(file, nobody.uid, nobody.gid);
      await chmod(path, 0o755);
    }
    await chmod(dirname(file), 0o555);
    onTestFinished(() => chmod(dirname(file), 0o755));
    const args = [join(path, 'bin.cjs'), 'emulator', '--port', '0', '--state', file];
    const child = spawn(process.execPath, args, { ...nobody, stdio: ['ignore', 'pipe', 'pipe'] });
    let err = '';
    child.stderr.on('data', (text: Buffer) => (err += text.toString()));
    child.stdout.once('data', () => void child.kill());
    expect([await once(child, 'exit'), err]).toEqual([[0, null], '']);
    expect(await stateIn(file)).toHaveProperty('version', 1);
    expect(await readdir(dirname(file))).toEqual(['state.json']);
  });

  it('keeps the deliveries that are due later', async () => {
    const path = await folder();
    const file = join(path, 'state.json');
    const args = ['--state', file, '--webhook', 'http://127.0.0.1:9/hook=whsec_1'];
    const command = await emulate(args, ' failed: ');
    const url = await command.started();
    const quiet = {
      out: () => undefined,
      err: () => undefined,
      stop: new AbortController().signal,
    };
    await runCommandLine(['trigger', 'order.settled', '--url', url], quiet);
    expect(await command.ended).toBe(0);
    expect((await stateIn(file)).deliveries).toMatchObject([{ type: 'order.settled', attempt: 2 }]);
    expect(await readdir(path)).toEqual(['state.json']);
  });

  it('is written for each of many requests at once, and then at the end', async () => {
    const path = await folder();
    const file = join(path, 'state.json');
    const args = ['--state', file, '--webhook', 'http://127.0.0.1:9/hook=whsec_1'];
    const command = await emulate(args, ' failed: ');
    const { origin } = new URL(await command.started());
    const post = (action: string, body: object) =>
      fetch(`${origin}/_emulator/v1/${action}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const saved = await Promise.all(Array.from({ length: 20 }, () => post('saveState', {})));
    expect(saved.map(({ status }) => status)).toEqual(saved.map(() => 200));
    await post('emitEvent', { type: 'order.settled' });
    expect(await command.ended).toBe(0);
    expect((await stateIn(file)).market.events).toHaveLength(1);
    expect(await readdir(path)).toEqual(['state.json']);
  });

  it('is of one emulator at a time, which is named', async () => {
    const path = await folder();
    const [file, link] = [join(path, 'state.json'), join(path, 'link.json')];
    await symlink(file, link);
    const first = await emulate(['--state', file], 'never');
    await first.started();
    const second = await emulate(['--state', link]);
    expect(await second.ended).toBe(1);
    expect(second.text()).toEqual({
      out: '',
      err: expect.stringMatching(
        new RegExp(
          `could not start: "--state" \\S+link\\.json is in use by another emulator \\(process ${process.pid}\\)`,
        ),
      ) as string,
    });
    first.stop();
    expect(await first.ended).toBe(0);
    expect((await readdir(path)).sort()).toEqual(['link.json', 'state.json']);
    expect(await (await emulate(['--state', link])).ended).toBe(0);
  });

  it.each([
    ['was killed', { pid: 2 ** 22 + 1, host: hostname() }],
    ['had the id of this process, in a container', { pid: process.pid, host: hostname() }],
    ['ran in a container that is gone', { pid: 1, host: 'another-host' }],
    ['wrote nothing', undefined],
  ])('is free again if the last emulator %s', async (_what, lock) => {
    const path = await folder();
    const file = join(path, 'state.json');
    await writeFile(`${file}.lock`, lock === undefined ? '' : JSON.stringify(lock));
    expect(await (await emulate(['--state', file])).ended).toBe(0);
    expect(await readdir(path)).toEqual(['state.json']);
  });

  it('is not free while another process has it', async () => {
    const file = join(await folder(), 'state.json');
    await writeFile(`${file}.lock`, JSON.stringify({ pid: process.ppid, host: hostname() }));
    expect(await (await emulate(['--state', file])).ended).toBe(1);
  });

  it('keeps a clock that is ahead, and --clock-ahead does not add to it', async () => {
    const file = join(await folder(), 'state.json');
    const args = ['--state', file, '--clock-ahead'];
    for (const [ahead, offsetMs] of [
      ['11 minutes', 660_000],
      ['11 minutes', 660_000],
      ['1 hour', 3_600_000],
      ['0 seconds', 3_600_000],
    ] as const) {
      expect(await (await emulate([...args, ahead])).ended).toBe(0);
      // The clock runs on between two looks at it.
      expect((await stateIn(file)).clockOffsetMs).toBeGreaterThan(offsetMs - 1_000);
      expect((await stateIn(file)).clockOffsetMs).toBeLessThan(offsetMs + 1_000);
    }
  });
});
