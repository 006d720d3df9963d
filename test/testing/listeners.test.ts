import { getEventListeners } from 'node:events';
import { Agent, request as httpRequest, type ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MarketEmulator, fault } from 'market-partner-sdk/testing';
import { startOfTime } from './emulator-fixture.js';
import { webhookReceivers } from './webhook-receiver.js';

const total = 200;
const url = 'http://market.example/api/partner/v1/orders';
const receiver = webhookReceivers();

let emulator: MarketEmulator;
/** The signals that live as long as the emulator. */
let signals: AbortSignal[];

const listeners = (): number => {
  const counts = signals.map((signal) => getEventListeners(signal, 'abort').length);
  return counts.reduce((sum, count) => sum + count, 0);
};

/** Lets the emulator take up what was begun. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
};

const times = <T>(count: number, begin: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => begin(index));

beforeEach(async () => {
  signals = [];
  vi.stubGlobal(
    'AbortController',
    class extends AbortController {
      constructor() {
        super();
        signals.push(this.signal);
      }
    },
  );
  emulator = await MarketEmulator.start({ clock: () => startOfTime });
  vi.unstubAllGlobals();
  expect(signals, 'an emulator has a signal that ends what still runs').not.toEqual([]);
  expect(listeners()).toBe(0);
});

afterEach(async () => {
  vi.useRealTimers();
  await emulator.stop();
});

it('200 delayed responses share one listener, which ends with them', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  emulator.faults.on(() => true, fault.latency(60_000));
  const replies = times(total, () => emulator.fetch(url));
  await turns();
  expect(vi.getTimerCount()).toBe(total);
  expect(listeners()).toBe(1);
  vi.advanceTimersByTime(60_000);
  for (const { status } of await Promise.all(replies)) expect(status).toBe(401);
  expect(listeners()).toBe(0);
});

it('200 delayed responses whose callers give up leave neither a listener nor a timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  emulator.faults.on(() => true, fault.latency(60_000));
  const callers = times(total, () => new AbortController());
  const replies = callers.map(({ signal }) => emulator.fetch(url, { signal }));
  await turns();
  for (const caller of callers) caller.abort();
  for (const { status } of await Promise.allSettled(replies)) expect(status).toBe('rejected');
  expect([listeners(), vi.getTimerCount()]).toEqual([0, 0]);
});

it.each<[how: string, end: (reply: Response, caller: AbortController) => unknown]>([
  ['read', (reply) => reply.text()],
  ['canceled', (reply) => reply.body?.cancel()],
  ['aborted before anything was read', (_reply, caller) => caller.abort()],
  ['never read', () => undefined],
])('200 slow bodies that are %s leave no listener', async (_how, end) => {
  emulator.faults.on(() => true, fault.slowBody({ chunkBytes: 64, everyMs: 1 }));
  const callers = times(total, () => new AbortController());
  const replies = await Promise.all(callers.map(({ signal }) => emulator.fetch(url, { signal })));
  await Promise.all(replies.map((reply, index) => end(reply, callers[index]!)));
  await turns();
  expect(listeners()).toBe(0);
});

it('200 delayed responses over sockets leave no listener', async () => {
  emulator.faults.on(() => true, fault.latency(1));
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const get = () =>
    new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(emulator.baseUrl, { agent }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      });
      request.once('error', reject).end();
    });
  const statuses = await Promise.all(times(total, get));
  agent.destroy();
  expect(statuses.filter((status) => status === undefined)).toEqual([]);
  expect(listeners()).toBe(0);
}, 30_000);

it('200 deliveries to slow receivers share one listener, which ends with them', async () => {
  const partners = 40;
  const waiting: ServerResponse[] = [];
  let most = 0;
  const hook = await receiver((response) => {
    waiting.push(response);
    if (waiting.length < partners) return;
    most = Math.max(most, listeners());
    for (const each of waiting.splice(0)) each.end();
  });
  for (const partnerId of times(partners, (index) => `prt_${index}`)) {
    emulator.admin.registerWebhook(hook.url, 'whsec_1', { partnerId });
    times(total / partners, () => emulator.admin.emitEvent('order.recorded', { partnerId }));
  }
  await emulator.idle();
  expect(hook.received).toHaveLength(total);
  expect([most, listeners()]).toEqual([1, 0]);
}, 30_000);

it('a stop ends what is delayed, over a socket, as a function and to a receiver', async () => {
  emulator.faults.on(() => true, fault.latency(3_600_000));
  const hook = await receiver(() => undefined);
  emulator.admin.registerWebhook(hook.url, 'whsec_1');
  emulator.admin.emitEvent('order.recorded');
  const request = httpRequest(emulator.baseUrl, { agent: false });
  const overSocket = new Promise((resolve) => request.once('error', resolve));
  request.end();
  const asFunction = emulator.fetch(url).catch((error: unknown) => error);
  await vi.waitFor(() => expect([hook.received.length, emulator.requests.length]).toEqual([1, 2]));
  await emulator.stop();
  await expect(emulator.fetch(url)).rejects.toThrow('fetch failed');
  expect(await overSocket).toMatchObject({ code: 'ECONNRESET' });
  expect(await asFunction).toBeInstanceOf(TypeError);
  expect(emulator.deliveries).toMatchObject([{ outcome: 'failed', status: undefined }]);
  expect(listeners()).toBe(0);
});
