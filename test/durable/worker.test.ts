import { expect, it, onTestFinished, vi } from 'vitest';
import type { Claim, JobStore } from '../../src/durable/queue/job-store.js';
import { resolveTime } from '../../src/durable/queue/time.js';
import { createQueue } from '../../src/durable/queue/worker.js';
import { ManualTime } from './support/manual-time.js';

/** Two jobs of one key, in a store whose claims see what stood when they began. */
class SnapshotStore {
  readonly #waiting = [claimOf('first'), claimOf('second')];
  #isHeld = false;
  #finished: Promise<void> | undefined;

  async claim(): Promise<Claim[]> {
    if (this.#isHeld) {
      // It answers after the result is stored, and does not see that.
      await this.#finished;
      await new Promise((resolve) => setImmediate(resolve));
      return [];
    }
    const next = this.#waiting.shift();
    this.#isHeld = next !== undefined;
    return next === undefined ? [] : [next];
  }

  finish(): Promise<boolean> {
    const stored = new Promise<void>((resolve) => setImmediate(resolve));
    this.#finished = stored.then(() => {
      this.#isHeld = false;
    });
    return this.#finished.then(() => true);
  }

  nextDueAt(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

function claimOf(id: string): Claim {
  const enqueuedAt = new Date('2026-03-01T12:00:00Z');
  const createdAt = enqueuedAt.toISOString();
  return {
    id,
    orderingKey: 'key',
    body: '{}',
    createdAt,
    attempt: 1,
    claims: 1,
    enqueuedAt,
    token: id,
  };
}

it('is not idle while a claim was made beside a result that was being stored', async () => {
  const store = new SnapshotStore() as unknown as JobStore<never>;
  const settings = { time: resolveTime({}), leaseMs: 60_000, pollMs: () => 60_000 };
  const ids: string[] = [];
  await createQueue(store, settings, new Set()).work(
    ({ id }) => {
      ids.push(id);
      return Promise.resolve({ done: undefined });
    },
    { concurrency: 4, signal: new AbortController().signal, untilIdle: true },
  );
  expect(ids).toEqual(['first', 'second']);
});

/** One job, which a store keeps giving out as long as nobody ends it. */
function storeOf(renew: () => Promise<ReadonlySet<string>>) {
  const waiting = [claimOf('only')];
  return {
    claim: () => Promise.resolve(waiting.splice(0)),
    finish: () => Promise.resolve(true),
    commit: () => Promise.resolve(),
    renew,
    nextDueAt: () => Promise.resolve(undefined),
  } as unknown as JobStore<never>;
}

/** Works on one job that waits for its signal; says what it and the worker were told, and when. */
async function loseLease(renew: () => Promise<ReadonlySet<string>>) {
  const time = new ManualTime();
  const startedAt = time.nowMs;
  const settings = { time: time.options, leaseMs: 30_000, pollMs: () => 60_000 };
  const errors: string[] = [];
  const stop = new AbortController();
  let lostAfterMs: number | undefined;
  let commitError: unknown;
  const working = createQueue(storeOf(renew), settings, new Set()).work(
    async ({ signal, commit }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      lostAfterMs = time.nowMs - startedAt;
      commitError = await commit(() => undefined).catch((error: unknown) => error);
      return { done: undefined };
    },
    { concurrency: 1, signal: stop.signal, onError: (error) => errors.push(String(error)) },
  );
  await time.advance(90_000);
  stop.abort();
  await time.advance(0);
  await working;
  return { lostAfterMs, commitError, errors };
}

it('a job whose lease another worker has is told at the next renewal, and commits nothing', async () => {
  const { lostAfterMs, commitError, errors } = await loseLease(() => Promise.resolve(new Set()));
  expect(lostAfterMs).toBe(10_000);
  expect(commitError).toMatchObject({ name: 'LeaseLostError' });
  expect(errors).toEqual([expect.stringContaining('LeaseLostError')]);
});

it('a store that cannot renew is asked until the lease is over', async () => {
  const { lostAfterMs, errors } = await loseLease(() => Promise.reject(new Error('store down')));
  expect(lostAfterMs).toBe(30_000);
  expect(errors.filter((error) => error === 'Error: store down')).toHaveLength(3);
});

it('a store that does not answer a renewal keeps no job beyond its lease', async () => {
  const { lostAfterMs, commitError } = await loseLease(() => new Promise(() => undefined));
  expect(lostAfterMs).toBe(30_000);
  expect(commitError).toMatchObject({ name: 'LeaseLostError' });
});

/** Commits a job in a store where each renewal comes after that commit, and says what was reported. */
async function commitBeforeRenewal(commit: (time: ManualTime) => Promise<void>) {
  const time = new ManualTime();
  const startedAt = time.nowMs;
  const store = storeOf(() => Promise.resolve(new Set()));
  store.commit = () => commit(time);
  const settings = { time: time.options, leaseMs: 30_000, pollMs: () => 60_000 };
  const stop = new AbortController();
  const errors: string[] = [];
  let lostAfterMs: number | undefined;
  const working = createQueue(store, settings, new Set()).work(
    async ({ signal, commit }) => {
      signal.addEventListener('abort', () => (lostAfterMs = time.nowMs - startedAt));
      await commit(() => undefined);
      return { done: undefined };
    },
    { concurrency: 1, signal: stop.signal, onError: (error) => errors.push(String(error)) },
  );
  await time.advance(90_000);
  stop.abort();
  await time.advance(0);
  await working;
  return { lostAfterMs, errors };
}

it('a commit that is answered after a later renewal loses no lease', async () => {
  const ended = await commitBeforeRenewal((time) =>
    time.options.sleep(15_000, new AbortController().signal),
  );
  expect(ended).toEqual({ lostAfterMs: undefined, errors: [] });
});

it('a commit that is not answered keeps no job beyond its lease', async () => {
  const ended = await commitBeforeRenewal(() => new Promise(() => undefined));
  expect(ended).toEqual({
    lostAfterMs: 30_000,
    errors: [expect.stringContaining('LeaseLostError')],
  });
});

it('a lease is counted from before the claim, which may have taken long', async () => {
  const time = new ManualTime();
  const startedAt = time.nowMs;
  const store = storeOf(() => new Promise(() => undefined));
  const claim = store.claim.bind(store);
  store.claim = async (limit) => {
    await time.options.sleep(20_000, new AbortController().signal);
    return claim(limit);
  };
  const settings = { time: time.options, leaseMs: 30_000, pollMs: () => 600_000 };
  const stop = new AbortController();
  let lostAfterMs: number | undefined;
  const working = createQueue(store, settings, new Set()).work(
    async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      lostAfterMs ??= time.nowMs - startedAt;
      return { done: undefined };
    },
    { concurrency: 1, signal: stop.signal },
  );
  await time.advance(60_000);
  stop.abort();
  await time.advance(30_000);
  await working;
  expect(lostAfterMs).toBe(30_000);
});

it.each([
  ['', 0],
  [', and the clock was set back meanwhile', -7_200_000],
])(
  'does not start what it claimed if the lease ended before the claim came back%s',
  async (_also, setBackMs) => {
    const time = new ManualTime();
    const stop = new AbortController();
    let claims = 0;
    let clockIsOffBy = 0;
    let monotonicMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => monotonicMs);
    onTestFinished(() => void vi.restoreAllMocks());
    const store = {
      claim: async () => {
        claims += 1;
        if (claims > 1) stop.abort();
        // A process that was frozen in its claim: another has taken the job over since.
        else {
          await time.advance(60_000);
          monotonicMs += 60_000;
          clockIsOffBy = setBackMs;
        }
        return claims > 2 ? [] : [claimOf(`claim-${claims}`)];
      },
      finish: () => Promise.resolve(true),
      nextDueAt: () => Promise.resolve(undefined),
    } as unknown as JobStore<never>;
    const { clock, sleep } = time.options;
    const settings = {
      time: { clock: () => clock() + clockIsOffBy, sleep },
      leaseMs: 60_000,
      pollMs: () => 1,
    };
    const [ids, errors]: [string[], unknown[]] = [[], []];
    const run = ({ id }: { id: string }) => {
      ids.push(id);
      return Promise.resolve({ done: undefined });
    };
    const onError = (error: unknown) => errors.push(String(error));
    const options = { concurrency: 1, signal: stop.signal, onError };
    await createQueue(store, settings, new Set()).work(run, options);
    expect(ids).toEqual(['claim-2']);
    expect(errors).toEqual([expect.stringContaining('claim-1')]);
  },
);
