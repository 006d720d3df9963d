import { describe, expect, it, vi } from 'vitest';
import {
  createWebhookHandler,
  RecentEvents,
  type ClaimResult,
  type DeduplicationStore,
  type WebhookErrorContext,
  type WebhookHandlerOptions,
} from 'market-partner-sdk/webhooks';
import { eventJson, SECRET, signedHeaders } from './deliveries.js';

/** A handler whose function is finished by the test, and a way to deliver an event to it. */
function setUp(options: Partial<WebhookHandlerOptions> = {}) {
  const runs: { finish: () => void; fail: (error: Error) => void }[] = [];
  const errors: [unknown, WebhookErrorContext][] = [];
  const handler = createWebhookHandler({
    secret: SECRET,
    on: {
      'order.settled': () =>
        new Promise<void>((resolve, reject) => void runs.push({ finish: resolve, fail: reject })),
    },
    onError: (...report) => void errors.push(report),
    deduplicate: true,
    ...options,
  });
  const deliver = async (id = 'evt_1') => {
    const body = eventJson({ id });
    return (await handler.handle({ headers: signedHeaders(body), body })).status;
  };
  return { deliver, runs, errors };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('deduplicate', () => {
  it('runs the handler of an event once, and acknowledges every copy', async () => {
    const { deliver, runs } = setUp();
    const first = deliver();
    await turn();
    runs[0]!.finish();
    expect(await first).toBe(200);
    expect([await deliver(), await deliver()]).toEqual([200, 200]);
    expect(runs).toHaveLength(1);
  });

  it('is off unless it is asked for', async () => {
    for (const deduplicate of [undefined, false]) {
      const { deliver, runs } = setUp({ deduplicate });
      const copies = [deliver(), deliver()];
      await turn();
      expect(runs).toHaveLength(2);
      for (const run of runs) run.finish();
      await Promise.all(copies);
    }
  });

  it('tells events apart by their id', async () => {
    const { deliver, runs } = setUp();
    const both = [deliver('evt_1'), deliver('evt_2')];
    await turn();
    expect(runs).toHaveLength(2);
    for (const run of runs) run.finish();
    expect(await Promise.all(both)).toEqual([200, 200]);
  });

  it('lets copies that arrive at once wait for the one that runs', async () => {
    const { deliver, runs } = setUp();
    let answered = 0;
    const copies = Array.from({ length: 20 }, () => deliver().finally(() => (answered += 1)));
    await turn();
    expect(runs).toHaveLength(1);
    expect(answered).toBe(0);
    runs[0]!.finish();
    expect(await Promise.all(copies)).toEqual(Array<number>(20).fill(200));
  });

  it('does not mark an event done when its handler failed: all copies get 500, the next one runs', async () => {
    const { deliver, runs, errors } = setUp();
    const copies = [deliver(), deliver()];
    await turn();
    runs[0]!.fail(new Error('database is down'));
    expect(await Promise.all(copies)).toEqual([500, 500]);
    expect(errors).toHaveLength(1);

    const again = deliver();
    await turn();
    expect(runs).toHaveLength(2);
    runs[1]!.finish();
    expect(await again).toBe(200);
  });

  it('marks an event done only after its handler resolved', async () => {
    const done: string[] = [];
    const { deliver, runs } = setUp({
      deduplicate: { has: () => false, add: (id) => void done.push(id) },
    });
    const first = deliver();
    await turn();
    expect(done).toEqual([]);
    runs[0]!.finish();
    await first;
    expect(done).toEqual(['evt_1']);
  });

  it('takes a Set, or a store that answers later', async () => {
    const ids = new Set(['evt_1']);
    const later: DeduplicationStore = {
      has: (id) => Promise.resolve(ids.has(id)),
      add: (id) => Promise.resolve(ids.add(id)),
    };
    for (const deduplicate of [ids, later]) {
      const { deliver, runs } = setUp({ deduplicate });
      expect(await deliver()).toBe(200);
      expect(runs).toHaveLength(0);
    }
  });

  it('answers 500 and runs nothing when the store cannot say whether an event is done', async () => {
    const { deliver, runs, errors } = setUp({
      deduplicate: { has: () => Promise.reject(new Error('cache is down')), add: () => undefined },
    });
    expect(await Promise.all([deliver(), deliver()])).toEqual([500, 500]);
    expect(runs).toHaveLength(0);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject([{ message: 'cache is down' }, { status: 500 }]);
  });

  it('acknowledges an event that is done though the store could not remember it', async () => {
    const { deliver, runs, errors } = setUp({
      deduplicate: {
        has: () => false,
        add: () => {
          throw new Error('cache is full');
        },
      },
    });
    const first = deliver();
    await turn();
    runs[0]!.finish();
    expect(await first).toBe(200);
    expect(errors).toMatchObject([[{ message: 'cache is full' }, { status: 200 }]]);
  });
});

describe('a store with claim', () => {
  const claiming = (result: ClaimResult) => {
    const store = {
      claim: vi.fn<(id: string, ttlMs: number) => Promise<ClaimResult>>(() =>
        Promise.resolve(result),
      ),
      has: vi.fn<() => boolean>(),
      add: vi.fn<(id: string) => void>(),
      release: vi.fn<(id: string) => void>(),
    };
    return store;
  };

  it('runs the handler of an event that it claims, for as long as the delivery may take', async () => {
    const store = claiming('claimed');
    const { deliver, runs } = setUp({ deduplicate: store, timeoutMs: 2_000 });
    const delivered = deliver();
    await turn();
    runs[0]!.finish();
    expect(await delivered).toBe(200);
    const [id, ttlMs] = store.claim.mock.calls[0]!;
    expect(id).toBe('evt_1');
    expect(ttlMs).toBeGreaterThan(1_000);
    expect(ttlMs).toBeLessThanOrEqual(2_000);
    expect(store.add.mock.calls).toEqual([['evt_1']]);
    expect(store.has).not.toHaveBeenCalled();
    expect(store.release).not.toHaveBeenCalled();
  });

  it.each<[ClaimResult, number]>([
    ['done', 200],
    ['busy', 503],
  ])('answers an event that is %s with %i and reports nothing', async (result, status) => {
    const { deliver, runs, errors } = setUp({ deduplicate: claiming(result) });
    expect(await deliver()).toBe(status);
    expect(runs).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('gives the claim back when the handler failed', async () => {
    const store = claiming('claimed');
    const { deliver, runs } = setUp({ deduplicate: store });
    const delivered = deliver();
    await turn();
    runs[0]!.fail(new Error('database is down'));
    expect(await delivered).toBe(500);
    expect(store.release.mock.calls).toEqual([['evt_1']]);
    expect(store.add).not.toHaveBeenCalled();
  });

  it('keeps the claim when the handler failed too late: it may be of another delivery', async () => {
    vi.useFakeTimers();
    const store = claiming('claimed');
    const { deliver, runs } = setUp({ deduplicate: store, timeoutMs: 100 });
    const delivered = deliver();
    await vi.advanceTimersByTimeAsync(100);
    expect(await delivered).toBe(503);
    runs[0]!.fail(new Error('too late'));
    await vi.advanceTimersByTimeAsync(0);
    vi.useRealTimers();
    expect(store.release).not.toHaveBeenCalled();
  });
});

describe('RecentEvents', () => {
  it('keeps the latest ids and forgets the least recently delivered one', () => {
    const recent = new RecentEvents({ maxEvents: 2 });
    recent.add('a');
    recent.add('b');
    expect(recent.has('a')).toBe(true);
    recent.add('c');
    expect([recent.has('a'), recent.has('b'), recent.has('c')]).toEqual([true, false, true]);
  });

  it('counts an id once, however often it is added', () => {
    const recent = new RecentEvents({ maxEvents: 2 });
    for (const id of ['a', 'b', 'b', 'b']) recent.add(id);
    expect([recent.has('a'), recent.has('b')]).toEqual([true, true]);
  });

  it('keeps 10,000 by default', () => {
    const recent = new RecentEvents();
    for (let at = 0; at <= 10_000; at += 1) recent.add(`evt_${at}`);
    expect([recent.has('evt_0'), recent.has('evt_1')]).toEqual([false, true]);
  });

  it.each([0, -1, 1.5, Number.NaN, '5'])('refuses a size of %s', (maxEvents) => {
    expect(() => new RecentEvents({ maxEvents: maxEvents as number })).toThrow(/"maxEvents"/);
  });
});
