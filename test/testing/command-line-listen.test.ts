import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { verifyWebhook } from 'market-partner-sdk/webhooks';
import { runCommandLine } from '../../src/command-line/main.js';
import { webhookReceivers } from './webhook-receiver.js';

const receiver = webhookReceivers();

async function setUp() {
  const emulator = await MarketEmulator.start();
  const folder = await mkdtemp(join(tmpdir(), 'listen-'));
  onTestFinished(async () => {
    await emulator.stop();
    await rm(folder, { recursive: true });
  });
  const { keyId, secret } = emulator.createCredential();
  const env = { MARKET_BASE_URL: emulator.baseUrl, MARKET_KEY_ID: keyId, MARKET_SECRET: secret };
  const cursorFile = join(folder, 'cursor.json');
  /** Runs the command until it has printed so many deliveries. */
  const listen = async (count: number, ...args: string[]) => {
    const stopping = new AbortController();
    let out = '';
    let err = '';
    const code = await runCommandLine(['listen', '--cursor-file', cursorFile, ...args], {
      out(text) {
        out += text;
        if (text.startsWith('Events go to')) afterStart();
        if (out.split(' -> ').length > count) stopping.abort();
      },
      err: (text) => (err += text),
      stop: stopping.signal,
      env,
    });
    return { code, out, err };
  };
  let afterStart: () => void = () => undefined;
  const onStart = (run: () => void) => (afterStart = run);
  return { emulator, listen, cursorFile, onStart };
}

const emit = (emulator: MarketEmulator, ...types: string[]) =>
  types.map((type) => emulator.admin.emitEvent(type).id);

describe('the command listen', () => {
  it('posts new events, signed with the local secret, and no earlier one', async () => {
    const { emulator, listen, onStart } = await setUp();
    const { url, received } = await receiver();
    emit(emulator, 'order.recorded');
    let ids: string[] = [];
    onStart(() => (ids = emit(emulator, 'order.settled', 'order.refunded')));
    const { code, out } = await listen(2, '--forward-to', url, '--secret', 'whsec_1');
    expect(code).toBe(0);
    const events = received.map(({ body, headers }) => verifyWebhook(body, headers, 'whsec_1'));
    expect(events.map(({ id }) => id)).toEqual(ids);
    expect(out).toMatch(new RegExp(`^${ids[0]!} order\\.settled -> 200 \\(\\d+ ms\\)$`, 'm'));
  });

  it('resumes where it left', async () => {
    const { emulator, listen, onStart, cursorFile } = await setUp();
    const { url, received } = await receiver();
    onStart(() => emit(emulator, 'order.recorded'));
    await listen(1, '--forward-to', url);
    onStart(() => undefined);
    const [missed] = emit(emulator, 'order.settled');
    await listen(1, '--forward-to', url);
    expect(received).toHaveLength(2);
    expect(JSON.parse(await readFile(cursorFile, 'utf8'))).toEqual({ after_id: missed });
  });

  it('starts with the first event where it is told to', async () => {
    const { emulator, listen } = await setUp();
    const { url, received } = await receiver();
    emit(emulator, 'order.recorded', 'order.settled');
    await listen(2, '--forward-to', url, '--from-beginning');
    expect(received).toHaveLength(2);
  });

  it('prints what the receiver answered, and goes on', async () => {
    const { emulator, listen } = await setUp();
    const { url } = await receiver((response, count) =>
      response.writeHead(count === 1 ? 500 : 200).end(),
    );
    emit(emulator, 'order.recorded', 'order.settled');
    const { out } = await listen(2, '--forward-to', url, '--from-beginning');
    expect(out).toMatch(/order\.recorded -> 500 /);
    expect(out).toMatch(/order\.settled -> 200 /);
  });

  it('prints why there was no answer', async () => {
    const { emulator, listen } = await setUp();
    emit(emulator, 'order.recorded');
    const { out } = await listen(1, '--forward-to', 'http://127.0.0.1:9/', '--from-beginning');
    expect(out).toMatch(/order\.recorded -> .*(ECONNREFUSED|bad port)/);
  });

  it('replays one event and ends', async () => {
    const { emulator, listen } = await setUp();
    const { url, received } = await receiver();
    const [, second] = emit(emulator, 'order.recorded', 'order.settled');
    const { code } = await listen(9, '--forward-to', url, '--replay', second!);
    expect([code, received.length]).toEqual([0, 1]);
    const missing = await listen(9, '--forward-to', url, '--replay', 'evt_none');
    expect(missing).toMatchObject({ code: 1, err: 'There is no event evt_none in the history.\n' });
  });

  it.each([[[]], [['--forward-to', 'localhost']], [['--forward-to', 'http://a', '--secret', '']]])(
    'refuses %j',
    async (args) => {
      const { listen } = await setUp();
      const { code, err } = await listen(1, ...args);
      expect([code, err]).toEqual([2, expect.stringContaining('market-partner-sdk listen')]);
    },
  );
});
