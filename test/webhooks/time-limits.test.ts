import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { receiver } from './receiver.js';

afterEach(() => void vi.useRealTimers());

const never = () => new Promise<never>(() => undefined);

describe('the time limit of a delivery is its own', () => {
  // With node's own timers: those of vitest know no store.
  it("a time-out is reported in the delivery's own AsyncLocalStorage store, and its signal aborts there", async () => {
    const tenants = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const { deliver } = receiver({
      onEvent: (event, { signal }) => {
        signal.addEventListener('abort', () => seen.push([event.id, 'signal', tenants.getStore()]));
        return event.id === 'evt_fast' ? undefined : never();
      },
      onError: (_error, { event }) => seen.push([event?.id, 'onError', tenants.getStore()]),
      timeoutMs: 20,
    });
    expect(await tenants.run('A', () => deliver({ id: 'evt_fast' }))).toBe(200);
    const slow = ['B', 'C'].map((tenant) =>
      tenants.run(tenant, () => deliver({ id: `evt_${tenant}` })),
    );
    expect(await Promise.all(slow)).toEqual([503, 503]);
    expect(seen).toEqual([
      ['evt_B', 'onError', 'B'],
      ['evt_B', 'signal', 'B'],
      ['evt_C', 'onError', 'C'],
      ['evt_C', 'signal', 'C'],
    ]);
  });

  it('a handler first used under timers of a test that are gone has a limit afterwards', async () => {
    vi.useFakeTimers();
    const { deliver } = receiver({
      onEvent: ({ id }) => (id === 'evt_1' ? undefined : never()),
      timeoutMs: 20,
    });
    expect(await deliver({ id: 'evt_1' })).toBe(200);
    vi.useRealTimers();
    expect(await deliver({ id: 'evt_2' })).toBe(503);
  });
});
