import { createServer } from 'node:http';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { MarketClient, type Profile } from 'market-partner-sdk';
import { createEventInbox, memoryEngine } from 'market-partner-sdk/durable';
import { fault, MarketEmulator } from 'market-partner-sdk/testing';
import { verifyWebhook } from 'market-partner-sdk/webhooks';
import { runCommandLine } from '../../src/command-line/main.js';
import { listenOnFreePort } from '../support/free-port.mjs';
import { webhookReceivers } from '../testing/webhook-receiver.js';

const receiver = webhookReceivers();

/** Runs the command until it ends or has been stopped. */
async function command(
  args: string[],
  env: Record<string, string>,
  { onOut = () => undefined, onErr = () => undefined, signal }: Watch = {},
) {
  let out = '';
  let err = '';
  const code = await runCommandLine(args, {
    out: (text) => onOut((out += text)),
    err: (text) => onErr((err += text)),
    stop: signal ?? new AbortController().signal,
    env,
  });
  return { code, out, err };
}

interface Watch {
  readonly onOut?: (all: string) => void;
  readonly onErr?: (all: string) => void;
  readonly signal?: AbortSignal;
}

async function setUp(profile?: Profile) {
  const emulator = await MarketEmulator.start({ profile });
  const folder = await mkdtemp(join(tmpdir(), 'listen-'));
  onTestFinished(async () => {
    await emulator.stop();
    await rm(folder, { recursive: true });
  });
  const { keyId, secret } = emulator.createCredential();
  const env: Record<string, string> = {
    MARKET_BASE_URL: emulator.baseUrl,
    MARKET_KEY_ID: keyId,
    MARKET_SECRET: secret,
  };
  const cursorFile = join(folder, 'cursor.json');
  let afterStart: () => void = () => undefined;
  const onStart = (run: () => void) => (afterStart = run);
  /** Runs the command until it has printed so many deliveries. */
  const listen = (count: number, ...args: string[]) => {
    const stopping = new AbortController();
    let isStarted = false;
    return command(['listen', '--cursor-file', cursorFile, ...args], env, {
      onOut(out) {
        if (!isStarted && out.startsWith('Events go to')) afterStart();
        isStarted = true;
        if (out.split(' -> ').length > count) stopping.abort();
      },
      signal: stopping.signal,
    });
  };
  return { emulator, env, listen, cursorFile, onStart };
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

  it("posts the service's own form, by which a receiver with its profile reads it", async () => {
    const profile: Profile = { version: 1, naming: { case: 'camel' }, dates: { form: 'seconds' } };
    const { emulator, env, listen, onStart, cursorFile } = await setUp(profile);
    env.MARKET_PROFILE = `${cursorFile}.profile`;
    await writeFile(env.MARKET_PROFILE, JSON.stringify(profile));
    // The client reads the variable of the process.
    vi.stubEnv('MARKET_PROFILE', env.MARKET_PROFILE);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { url, received } = await receiver();
    onStart(() => emit(emulator, 'order.settled'));
    await listen(1, '--forward-to', url);
    const [event] = received.map(({ body }) => JSON.parse(body) as { data: { order: object } });
    expect(Object.keys(event ?? {}).sort()).toEqual(['createdAt', 'data', 'id', 'type']);
    expect(Object.keys(event?.data.order ?? {})).toContain('salePriceCents');
    expect(Object.keys(event?.data.order ?? {})).not.toContain('sale_price_cents');
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

  it('resumes before the first event, where there was none when it started', async () => {
    const { emulator, env, listen, cursorFile } = await setUp();
    const { url, received } = await receiver();
    const stopping = new AbortController();
    const args = ['listen', '--cursor-file', cursorFile, '--forward-to', url];
    await command(args, env, { onOut: () => stopping.abort(), signal: stopping.signal });
    emit(emulator, 'order.recorded');
    await listen(1, '--forward-to', url);
    expect(received).toHaveLength(1);
  });

  it.each([
    ['before the first event', [], 0],
    ['after an event was posted', ['--from-beginning'], 1],
  ])('ends %s if it cannot store its place', async (_, args, posted) => {
    const { emulator, env, cursorFile } = await setUp();
    const { url, received } = await receiver();
    emit(emulator, 'order.recorded');
    const file = `${cursorFile}/missing`;
    const all = ['listen', '--cursor-file', file, '--forward-to', url, ...args];
    const { code, err } = await command(all, env);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^"--cursor-file" cannot be written: ENOENT.*\n$/),
    ]);
    expect(received).toHaveLength(posted);
  });

  it('starts with the first event if asked to', async () => {
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

  it('says that the receiver is down, keeps the event, and delivers it once it is up', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { emulator, env, cursorFile } = await setUp();
    const probe = createServer();
    const port = await listenOnFreePort(probe);
    await new Promise((resolve) => probe.close(resolve));
    const [id] = emit(emulator, 'order.settled');
    const stopping = new AbortController();
    const received: string[] = [];
    const server = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => received.push(chunk.toString()));
      request.on('end', () => response.end());
    });
    onTestFinished(() => void server.close());
    let isUp = false;
    const args = ['--forward-to', `http://localhost:${port}/`, '--cursor-file', cursorFile];
    const ended = command(['listen', ...args, '--from-beginning'], env, {
      onOut(out) {
        if (out.includes('-> 200')) stopping.abort();
        if (isUp || !out.includes('Events wait until it does.')) return;
        isUp = true;
        server.listen(port, 'localhost');
      },
      signal: stopping.signal,
    });
    while (!stopping.signal.aborted) {
      await new Promise((resolve) => setImmediate(resolve));
      vi.advanceTimersByTime(500);
    }
    const { out } = await ended;
    expect(out).toMatch(/^The receiver does not respond \(.*ECONNREFUSED.*\)\. Events wait/m);
    expect(out.match(/does not respond/g)).toHaveLength(1);
    expect(received.map((body) => (JSON.parse(body) as { id: string }).id)).toEqual([id]);
  });

  it('says which event a receiver that went away did not answer, and posts it again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { emulator, env, cursorFile } = await setUp();
    const received: string[] = [];
    const server = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => received.push(chunk.toString()));
      request.on('end', () => (received.length === 1 ? request.destroy() : response.end()));
    });
    onTestFinished(() => void server.close());
    const port = await listenOnFreePort(server);
    const [id] = emit(emulator, 'order.settled');
    const stopping = new AbortController();
    const args = ['--forward-to', `http://127.0.0.1:${port}/`, '--cursor-file', cursorFile];
    const ended = command(['listen', ...args, '--from-beginning'], env, {
      onOut(out) {
        if (out.includes('-> 200')) stopping.abort();
      },
      signal: stopping.signal,
    });
    while (!stopping.signal.aborted) {
      await new Promise((resolve) => setImmediate(resolve));
      vi.advanceTimersByTime(500);
    }
    const { out } = await ended;
    expect(out).toMatch(
      new RegExp(`^${id!} order\\.settled -> .*\nThe receiver does not respond \\(.*\\)`, 'm'),
    );
    expect(received.map((body) => (JSON.parse(body) as { id: string }).id)).toEqual([id, id]);
  });

  it('starts again with the first event of another history, and says so', async () => {
    const { emulator, env, listen, cursorFile } = await setUp();
    const { url, received } = await receiver();
    await writeFile(cursorFile, '{"after_id":"evt_of_an_earlier_run"}');
    const [id] = emit(emulator, 'order.settled');
    const { err } = await listen(1, '--forward-to', url);
    expect(err).toBe(
      `The history does not know evt_of_an_earlier_run, the last event of ${cursorFile}: it was replaced (an emulator that was restarted) or has dropped it. Starting again with its first event.\n`,
    );
    expect(received).toHaveLength(1);
    expect(JSON.parse(await readFile(cursorFile, 'utf8'))).toEqual({ after_id: id });
    expect(env.MARKET_BASE_URL).toBe(emulator.baseUrl);
  });

  it('does not print a secret that it was given', async () => {
    const { emulator, listen } = await setUp();
    const { url } = await receiver();
    emit(emulator, 'order.recorded');
    const args = ['--forward-to', url, '--from-beginning'];
    const { out } = await listen(1, ...args, '--secret', 'whsec_of_production');
    expect(out).toContain('signed with the given secret.');
    expect(out).not.toContain('whsec_of_production');
    expect((await listen(1, ...args)).out).toContain('signed with whsec_of_this_machine.');
  });

  it('reads no more of a response than it needs', async () => {
    const { emulator, listen } = await setUp();
    let sent = 0;
    const { url } = await receiver((response) => {
      const chunk = Buffer.alloc(65_536);
      const send = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      };
      response.on('drain', send);
      send();
    });
    emit(emulator, 'order.recorded');
    const { out } = await listen(1, '--forward-to', url, '--from-beginning');
    expect(out).toMatch(/order\.recorded -> 200 /);
    expect(sent).toBeLessThan(16 * 1_048_576);
  });

  it('replays one event and ends', async () => {
    const { emulator, listen } = await setUp();
    const { url, received } = await receiver();
    const [, second] = emit(emulator, 'order.recorded', 'order.settled');
    const { code } = await listen(9, '--forward-to', url, '--replay', second!);
    expect([code, received.length]).toEqual([0, 1]);
    const missing = await listen(9, '--forward-to', url, '--replay', 'evt_none');
    expect(missing).toMatchObject({ code: 1, err: 'The history has no event evt_none.\n' });
  });

  it.each([[[]], [['--forward-to', 'localhost']], [['--forward-to', 'http://a', '--secret', '']]])(
    'refuses %j',
    async (args) => {
      const { listen } = await setUp();
      const { code, err } = await listen(1, ...args);
      expect([code, err]).toEqual([2, expect.stringContaining('market-partner-sdk listen')]);
    },
  );

  it('says with exit code 1 that the receiver did not take a replayed event', async () => {
    const { emulator, listen } = await setUp();
    const { url } = await receiver((response) => response.writeHead(500).end());
    const [id] = emit(emulator, 'order.settled');
    const { code, out } = await listen(9, '--forward-to', url, '--replay', id!);
    expect([code, out]).toEqual([1, expect.stringContaining(`${id!} order.settled -> 500`)]);
  });

  it.each(['{"after_id":7}', '{"after', ''])(
    'begins with the next event where its file holds %j',
    async (content) => {
      const { emulator, listen, onStart, cursorFile } = await setUp();
      const { url, received } = await receiver();
      emit(emulator, 'order.recorded');
      await writeFile(cursorFile, content);
      onStart(() => emit(emulator, 'order.settled'));
      await listen(1, '--forward-to', url);
      expect(received.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
        'order.settled',
      ]);
    },
  );

  it('names the variables that it needs', async () => {
    const { err, code } = await command(['listen', '--forward-to', 'http://127.0.0.1:9/'], {});
    expect([code, err]).toEqual([1, expect.stringContaining('MARKET_BASE_URL')]);
  });

  it('stops between two events of one page', async () => {
    const { emulator, listen } = await setUp();
    const { url, received } = await receiver();
    emit(emulator, 'order.recorded', 'order.settled', 'order.refunded');
    expect((await listen(1, '--forward-to', url, '--from-beginning')).code).toBe(0);
    expect(received).toHaveLength(1);
  });

  it('skips an event without an id, says so once, and stores no position after it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { emulator, env, cursorFile } = await setUp();
    const { url, received } = await receiver();
    const [first, last] = emit(emulator, 'order.recorded', 'order.settled');
    const stopping = new AbortController();
    let reads = 0;
    const gateway = createServer((request, response) => {
      reads += 1;
      const headers = request.headers as Record<string, string>;
      void emulator.fetch(`${emulator.baseUrl}${request.url}`, { headers }).then(async (found) => {
        const text = (await found.text()).replaceAll(`"${last}"`, '" "');
        response.writeHead(found.status, { 'content-type': 'application/json' }).end(text);
        if (reads === 4) stopping.abort();
      });
    });
    const clock = setInterval(() => void vi.advanceTimersByTime(2_000), 20);
    onTestFinished(() => clearInterval(clock));
    const port = await listenOnFreePort(gateway);
    onTestFinished(() => void gateway.close());
    const args = ['--forward-to', url, '--cursor-file', cursorFile, '--from-beginning'];
    const { out } = await command(
      ['listen', ...args],
      { ...env, MARKET_BASE_URL: `http://127.0.0.1:${port}` },
      { signal: stopping.signal },
    );
    expect(out.match(/has no id/g)).toHaveLength(1);
    expect(received).toHaveLength(1);
    expect(JSON.parse(await readFile(cursorFile, 'utf8'))).toEqual({ after_id: first });
  });

  it('says what failed, and asks again after two seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { emulator, env, cursorFile } = await setUp();
    const { url, received } = await receiver();
    emit(emulator, 'order.settled');
    emulator.faults.next(fault.status(400, { code: 'odd', message: 'Not today.' }));
    const stopping = new AbortController();
    const args = ['--forward-to', url, '--cursor-file', cursorFile, '--from-beginning'];
    const ended = command(['listen', ...args], env, {
      onOut: (out) => out.includes(' -> 200') && stopping.abort(),
      // The command has written the line and waits: its timer is there after this turn.
      onErr: () => setImmediate(() => void vi.advanceTimersByTime(2_000)),
      signal: stopping.signal,
    });
    expect(await ended).toMatchObject({ code: 0, err: expect.stringContaining('Not today.') });
    expect(received).toHaveLength(1);
  });

  it.each(['asks', 'waits'])('stops at once while it %s', async (what) => {
    const { emulator, env, cursorFile } = await setUp();
    const stopping = new AbortController();
    if (what === 'asks') emulator.faults.on('GET /events', fault.latency(Infinity));
    const args = ['--forward-to', 'http://127.0.0.1:9/', '--cursor-file', cursorFile];
    const ended = command(['listen', ...args, '--from-beginning'], env, {
      signal: stopping.signal,
    });
    while (emulator.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    stopping.abort();
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });
});

it('listen without variables names the option that reads them from a file', async () => {
  const { code, err } = await command(['listen', '--forward-to', 'http://127.0.0.1:1/'], {});
  expect([code, err]).toEqual([1, expect.stringContaining('"--env-file .env" reads them')]);
});

describe('listen next to the deliveries of the service, on one inbox', () => {
  const secret = 'whsec_local';

  it.each([
    ['listen first', true],
    ['the service first', false],
  ])('are all accepted: %s', async (_what, isListenFirst) => {
    const { emulator, env, listen } = await setUp();
    const market = new MarketClient({
      baseUrl: env.MARKET_BASE_URL,
      keyId: env.MARKET_KEY_ID,
      secret: env.MARKET_SECRET,
    });
    const inbox = createEventInbox({
      market,
      engine: memoryEngine(),
      secret,
      startFrom: 'beginning',
      onEvent: () => undefined,
      logger: false,
    });
    await inbox.start();
    const server = createServer((request, response) => void inbox.node(request, response));
    const url = `http://127.0.0.1:${await listenOnFreePort(server)}/`;
    onTestFinished(async () => {
      await inbox.stop();
      await market.close();
      server.close();
    });
    const forward = async () => {
      emulator.admin.emitEvent('order.settled');
      const { out } = await listen(1, '--forward-to', url, '--secret', secret, '--from-beginning');
      expect(out).toMatch(/-> 200/);
    };
    const deliver = async () => {
      emulator.admin.registerWebhook(url, secret);
      emulator.admin.emitEvent('order.settled');
      await emulator.idle();
      expect(emulator.deliveries.map(({ status }) => status)).toEqual([200]);
    };
    for (const step of isListenFirst ? [forward, deliver] : [deliver, forward]) await step();
  });
});
