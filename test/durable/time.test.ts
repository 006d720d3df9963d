/** The durable part's timers, and what waits for them or for a signal. */

import { getEventListeners } from 'node:events';
import { MarketClient } from 'market-partner-sdk';
import {
  createOrderOutbox,
  memoryEngine,
  type OrderOutboxOptions,
} from 'market-partner-sdk/durable';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { raceWithAbort } from '../../src/core/time/signals.js';
import { startTimeout } from '../../src/core/time/timeout.js';
import { repeat } from '../../src/durable/queue/periodic-task.js';
import { resolveTime } from '../../src/core/time/sleep.js';
import { eventually } from './engine-kit/engine-harness.js';
import { ManualTime } from './support/manual-time.js';

const never = () => new Promise<never>(() => undefined);

describe('a sleep that returns at once', () => {
  it.each<[string, Partial<OrderOutboxOptions>]>([
    ['of the outbox', { sleep: () => Promise.resolve() }],
    [
      'of the outbox, whose clock stands still',
      { sleep: () => Promise.resolve(), clock: () => 1.7e12 },
    ],
  ])('%s fires no time limit, and lets nothing spin', async (_what, options) => {
    const emulator = await MarketEmulator.start();
    emulator.admin.list({ domain: 'brew.example', price_cents: 250_000 });
    const { keyId, secret } = emulator.createCredential();
    const { baseUrl, fetch } = emulator;
    const sleep = () => Promise.resolve();
    const reported: string[] = [];
    const outbox = createOrderOutbox({
      market: new MarketClient({ baseUrl, keyId, secret, fetch, sleep }),
      engine: memoryEngine(options),
      logger: false,
      onPlaced: (_order, { key }) => void reported.push(`${key} placed`),
      onRefused: ({ message }, { key }) => void reported.push(`${key} refused ${message}`),
      onAttention: ({ message }, { key }) => void reported.push(`${key} attention ${message}`),
      ...options,
    });
    await outbox.start();
    const order = { domain: 'brew.example', expected_price: 250_000, currency: 'USD' };
    await outbox.add({ key: 'pay-1', order });
    expect((await outbox.waitFor('pay-1')).state).toBe('placed');
    await eventually('it is told', () => reported.length > 0);
    expect(reported).toEqual(['pay-1 placed']);
    await outbox.stop();
    await emulator.stop();
    expect(emulator.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });
});

describe('the sleep of the machine', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const { sleep } = resolveTime({});

  /** Sleeps, and says whether that has ended. */
  function startSleep(ms: number) {
    const { signal, abort } = abortable();
    const state = { hasEnded: false };
    const slept = sleep(ms, signal).then(() => (state.hasEnded = true));
    return { signal, abort, state, slept };
  }

  it('ends after its time, and leaves no timer and no listener', async () => {
    const { state, signal } = startSleep(1_000);
    await vi.advanceTimersByTimeAsync(999);
    expect(state.hasEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(state.hasEnded).toBe(true);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('ends when its signal fires, and leaves no timer and no listener', async () => {
    const { abort, slept, signal } = startSleep(1_000);
    abort();
    await slept;
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('does not begin after its signal has fired', async () => {
    await sleep(1_000, AbortSignal.abort());
    expect(vi.getTimerCount()).toBe(0);
  });

  it('lasts as long as a timer can when it is told to last longer', async () => {
    const longest = 2 ** 31 - 1;
    const { state } = startSleep(longest + 1);
    await vi.advanceTimersByTimeAsync(longest - 1);
    expect(state.hasEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(state.hasEnded).toBe(true);
  });
});

describe('what must not be waited for', () => {
  it('is left when the signal fires, also if it fired before', async () => {
    const { signal, abort } = abortable();
    const raced = raceWithAbort(never(), signal);
    abort();
    await expect(raced).rejects.toThrow('aborted');
    await expect(raceWithAbort(never(), signal)).rejects.toThrow('aborted');
  });

  it('leaves no listener when it ends by itself', async () => {
    const { signal } = abortable();
    expect(await raceWithAbort(Promise.resolve(1), signal)).toBe(1);
    await Promise.resolve();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('a timeout', () => {
  it('fires after its time', async () => {
    const time = new ManualTime();
    const { signal } = startTimeout(time.options, 1_000);
    await time.advance(999);
    expect(signal.aborted).toBe(false);
    await time.advance(1);
    expect(signal.aborted).toBe(true);
  });

  it('does not fire when it is cleared', async () => {
    const time = new ManualTime();
    const { signal, clear } = startTimeout(time.options, 1_000);
    await clear();
    expect(signal.aborted).toBe(false);
    expect(time.sleeping).toBe(0);
  });
});

describe('a periodic task', () => {
  /** Repeats it every 10 seconds; the jitter is the middle of its range unless it is given. */
  function startTask(run: () => Promise<unknown>, random = () => 0.5) {
    const time = new ManualTime();
    const { stop, abandon } = { stop: abortable(), abandon: abortable() };
    const lines: string[] = [];
    const line = (level: string) => (message: string, fields: object) =>
      lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
    const logger = {
      debug: line('debug'),
      info: line('info'),
      warn: line('warn'),
      error: line('error'),
    };
    const context = { time: time.options, random, logger };
    const repeated = repeat({ everyMs: 10_000, run }, context, stop.signal, abandon.signal);
    return { time, stop, abandon, lines, repeated };
  }

  it.each([
    [0, 8_000],
    [0.5, 10_000],
    [1, 12_000],
  ])('runs with a jitter of %s after %i ms', async (random, ms) => {
    const run = vi.fn(() => Promise.resolve());
    const { time } = startTask(run, () => random);
    await time.advance(ms - 1);
    expect(run).not.toHaveBeenCalled();
    await time.advance(1);
    expect(run).toHaveBeenCalledTimes(1);
    await time.advance(ms);
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('is a warning when it fails, an error from the third time in a row, and runs on', async () => {
    const results = ['fails', 'fails', 'fails', 'works', 'fails'];
    const { time, lines } = startTask(() =>
      results.shift() === 'works' ? Promise.resolve() : Promise.reject(new Error('store down')),
    );
    await time.advance(50_000);
    const failed = (level: string, failures: number) =>
      `${level} A periodic task failed and will be retried. {"failures":${failures},"error":"Error: store down"}`;
    expect(lines).toEqual([
      failed('warn', 1),
      failed('warn', 2),
      failed('error', 3),
      failed('warn', 1),
    ]);
  });

  it('does not run again after the stop, and does not begin after it', async () => {
    const run = vi.fn(() => Promise.resolve());
    const { time, stop, repeated } = startTask(run);
    await time.advance(10_000);
    stop.abort();
    await repeated;
    expect(time.sleeping).toBe(0);
    expect(run).toHaveBeenCalledTimes(1);
    const late = vi.fn(() => Promise.resolve());
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const context = { time: time.options, random: () => 0.5, logger };
    await repeat({ everyMs: 1, run: late }, context, stop.signal, stop.signal);
    expect(late).not.toHaveBeenCalled();
  });

  it('is waited for at the stop, until it is abandoned without a line', async () => {
    const { time, stop, abandon, repeated, lines } = startTask(never);
    await time.advance(10_000);
    stop.abort();
    const state = { hasEnded: false };
    const ended = repeated.then(() => (state.hasEnded = true));
    await time.advance(60_000);
    expect(state.hasEnded).toBe(false);
    abandon.abort();
    await ended;
    expect(lines).toEqual([]);
  });
});

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
