import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { startOfTime } from './emulator-fixture.js';
import { caller } from './independent-signer.js';

interface StreamEntry {
  readonly id: string;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

async function start() {
  const emulator = await MarketEmulator.start({ clock: () => startOfTime, control: true });
  onTestFinished(() => emulator.stop());
  return { emulator, call: caller(emulator, emulator.createCredential()) };
}

/** Opens the stream; `take` resolves with so many entries, `change` left out. */
async function open(emulator: MarketEmulator, headers: Record<string, string> = {}, query = '') {
  const url = `${emulator.baseUrl}/_emulator/v1/stream${query}`;
  const request = httpRequest(url, { headers, agent: false });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  const entries: StreamEntry[] = [];
  const all: StreamEntry[] = [];
  let wake: () => void = () => undefined;
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, id, event, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(block) ?? [];
      if (id === undefined) continue;
      const entry = { id, event: event!, data: JSON.parse(data!) as Record<string, unknown> };
      all.push(entry);
      if (entry.event !== 'change') entries.push(entry);
    }
    wake();
  });
  response.on('error', () => undefined);
  return {
    response,
    all,
    async take(count: number): Promise<StreamEntry[]> {
      while (entries.length < count) await new Promise<void>((resolve) => (wake = resolve));
      return entries.splice(0, count);
    },
    close: () => request.destroy(),
  };
}

describe('the stream', () => {
  it('sends requests, events and deliveries as they happen', async () => {
    const { emulator, call } = await start();
    const stream = await open(emulator);
    expect(stream.response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    await call('POST /orders', { body: { domain: 'brew.example' }, key: 'k' });
    const [event, request] = await stream.take(2);
    expect(event).toMatchObject({ event: 'event', data: { type: 'order.recorded' } });
    expect(request).toMatchObject({
      event: 'request',
      data: { endpoint: 'POST /orders', status: 201, idempotencyKey: 'k' },
    });
    await call('PUT /api/partner/webhooks', { body: { url: 'http://127.0.0.1:9/', secret: 's' } });
    emulator.admin.emitEvent('order.settled');
    await emulator.idle();
    const rest = await stream.take(3);
    expect(rest.map((entry) => entry.event)).toEqual(['request', 'event', 'delivery']);
    expect(rest[0]!.data.body).not.toContain('"s"');
  });

  it('says that the state has changed, once for all changes of a turn', async () => {
    const { emulator } = await start();
    const stream = await open(emulator);
    emulator.clock.advance(1);
    emulator.clock.advance(1);
    emulator.admin.emitEvent('order.settled');
    await stream.take(1);
    await new Promise((resolve) => setImmediate(resolve));
    emulator.admin.emitEvent('order.settled');
    await stream.take(1);
    expect(stream.all.filter((entry) => entry.event === 'change')).toHaveLength(1);
  });

  it('replays what came after Last-Event-ID', async () => {
    const { emulator, call } = await start();
    const first = await open(emulator);
    await call('GET /orders');
    const [seen] = await first.take(1);
    first.close();
    await call('GET /payouts');
    await call('GET /links');
    const second = await open(emulator, { 'last-event-id': seen!.id });
    const missed = await second.take(2);
    expect(missed.map(({ data }) => data.endpoint)).toEqual(['GET /payouts', 'GET /links']);
    await call('GET /settlements');
    const [live] = await second.take(1);
    expect(live!.data.endpoint).toBe('GET /settlements');
  });

  it('begins at the id of a state, so that nothing is missed or doubled', async () => {
    const { emulator, call } = await start();
    await call('GET /orders');
    const state = await fetch(`${emulator.baseUrl}/_emulator/v1/state`);
    const id = state.headers.get('x-stream-id')!;
    await call('GET /payouts');
    const stream = await open(emulator, {}, `?lastEventId=${id}`);
    const [next] = await stream.take(1);
    expect(next!.data.endpoint).toBe('GET /payouts');
  });

  it.each(['another.1', 'nonsense', ''])(
    'says that there is a gap after the id "%s"',
    async (id) => {
      const { emulator, call } = await start();
      await call('GET /orders');
      const stream = await open(emulator, { 'last-event-id': id });
      const [gap] = await stream.take(1);
      expect(gap).toMatchObject({ event: 'gap' });
      await call('GET /payouts');
      const [next] = await stream.take(1);
      expect(next!.event).toBe('request');
    },
  );

  it('says that there is a gap when the log has dropped entries', async () => {
    const { emulator } = await start();
    const state = await fetch(`${emulator.baseUrl}/_emulator/v1/state`);
    const id = state.headers.get('x-stream-id')!;
    for (let count = 0; count < 1_001; count += 1) emulator.admin.emitEvent('order.settled');
    const stream = await open(emulator, { 'last-event-id': id });
    const [gap] = await stream.take(1);
    expect(gap!.event).toBe('gap');
  });

  it('says that there is a gap when another state takes the place of the present one', async () => {
    const { emulator, call } = await start();
    const stream = await open(emulator);
    const snapshot = emulator.snapshot();
    emulator.reset();
    emulator.restore(snapshot);
    await call('GET /payouts');
    expect((await stream.take(3)).map(({ event }) => event)).toEqual(['gap', 'gap', 'request']);
  });

  it('ends when the emulator stops', async () => {
    const { emulator } = await start();
    const stream = await open(emulator);
    const ended = once(stream.response, 'close');
    await emulator.stop();
    await ended;
  });

  it('takes 32 readers', async () => {
    const { emulator } = await start();
    for (let count = 0; count < 32; count += 1) await open(emulator);
    const { response } = await open(emulator);
    await once(response, 'end');
  });

  it('begins at the id of a state before which nothing happened', async () => {
    const { emulator, call } = await start();
    const state = await fetch(`${emulator.baseUrl}/_emulator/v1/state`);
    const stream = await open(emulator, { 'last-event-id': state.headers.get('x-stream-id')! });
    await call('GET /payouts');
    const [first] = await stream.take(1);
    expect(first).toMatchObject({ event: 'request' });
  });

  it('has room again when a reader has left', async () => {
    const { emulator } = await start();
    const leaving = await open(emulator);
    for (let count = 1; count < 32; count += 1) await open(emulator);
    leaving.close();
    let greeting = '';
    while (!greeting.startsWith('retry')) {
      const { body } = await fetch(`${emulator.baseUrl}/_emulator/v1/stream`);
      const { value = new Uint8Array() } = await body!.getReader().read();
      greeting = Buffer.from(value).toString();
    }
  });

  it('is never silent for long, also when another reader has left', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { emulator } = await start();
    const [staying, leaving] = [await open(emulator), await open(emulator)];
    leaving.close();
    for (let count = 0; count < 5; count += 1) await fetch(`${emulator.baseUrl}/_emulator/health`);
    const beat = new Promise<string>((resolve) => staying.response.once('data', resolve));
    vi.advanceTimersByTime(15_000);
    expect(await beat).toBe(': still here\n\n');
  });

  it('ends for a reader that reads nothing, so that memory is bounded', async () => {
    const { emulator } = await start();
    const stream = await open(emulator);
    stream.response.pause();
    const closed = new Promise((resolve) => stream.response.once('close', resolve));
    for (let megabytes = 0; megabytes < 32; megabytes += 1) {
      emulator.admin.emitEvent('partner.greeted', { data: { text: 'x'.repeat(1_048_576) } });
      await new Promise((resolve) => setImmediate(resolve));
    }
    stream.response.resume();
    await closed;
    expect(stream.response.complete).toBe(false);
  });
});
