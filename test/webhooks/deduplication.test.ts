import { describe, expect, it } from 'vitest';
import {
  createWebhookHandler,
  RecentEvents,
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

  it('takes no two events without an id for one', async () => {
    const { deliver, runs } = setUp();
    const both = [deliver(' '), deliver(' ')];
    await turn();
    expect(runs).toHaveLength(2);
    for (const run of runs) run.finish();
    expect(await Promise.all(both)).toEqual([200, 200]);
  });

  it('distinguishes events by their id', async () => {
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

  it('keeps 10,000 by default, and forgets a hundred when there is one more', () => {
    const recent = new RecentEvents();
    for (let at = 0; at < 10_000; at += 1) recent.add(`evt_${at}`);
    expect(recent.has('evt_0')).toBe(true);
    recent.add('evt_10000');
    const known = Array.from({ length: 10_001 }, (_none, at) => recent.has(`evt_${at}`));
    expect(known).toEqual(known.map((_known, at) => at < 1 || at > 100));
  });

  it.each([0, -1, 1.5, Number.NaN, '5'])('refuses a size of %s', (maxEvents) => {
    expect(() => new RecentEvents({ maxEvents: maxEvents as number })).toThrow(/"maxEvents"/);
  });
});
