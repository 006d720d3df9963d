import { getEventListeners } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { DurableQueue } from '../../src/durable/queue/engine.js';
import type { Claim, JobStore } from '../../src/durable/queue/job-store.js';
import { resolveTime } from '../../src/core/time/sleep.js';
import { createQueue } from '../../src/durable/queue/worker.js';
import { ManualTime } from './support/manual-time.js';
import { claimOf, giving, startWorker, untilAborted } from './support/worker-under-test.js';

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

/** Works on one job that waits for its signal; says what it and the worker were told, and when. */
async function loseLease(renew: () => Promise<Set<string>>) {
  let lostAfterMs: number | undefined;
  let commitError: unknown;
  const store = { claim: giving('only'), commit: () => Promise.resolve(), renew };
  const { time, elapsedMs, errors, end } = startWorker(store, async ({ signal, commit }) => {
    await untilAborted(signal);
    lostAfterMs = elapsedMs();
    commitError = await commit(() => undefined).catch((error: unknown) => error);
    return { done: undefined };
  });
  await time.advance(90_000);
  await end();
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
async function commitBeforeRenewal(answer: (time: ManualTime) => Promise<void>) {
  let lostAfterMs: number | undefined;
  const renew = () => Promise.resolve(new Set<string>());
  const { time, elapsedMs, errors, end } = startWorker(
    { claim: giving('only'), commit: () => answer(time), renew },
    async ({ signal, commit }) => {
      signal.addEventListener('abort', () => (lostAfterMs = elapsedMs()));
      await commit(() => undefined);
      return { done: undefined };
    },
  );
  await time.advance(90_000);
  await end();
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
  let lostAfterMs: number | undefined;
  const give = giving('only');
  const claim = () =>
    Promise.resolve()
      .then(() => time.options.sleep(20_000, new AbortController().signal))
      .then(give);
  const renew = () => new Promise<never>(() => undefined);
  const { time, stop, elapsedMs, working } = startWorker({ claim, renew }, async ({ signal }) => {
    const result = await untilAborted(signal);
    lostAfterMs ??= elapsedMs();
    return result;
  });
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

describe('a worker', () => {
  it('leaves no timer and no listener when it ends', async () => {
    const { time, stop, abandon, end } = startWorker({ claim: giving('only') });
    await time.advance(1_000);
    await end();
    expect(time.sleeping).toBe(0);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    expect(getEventListeners(abandon.signal, 'abort')).toEqual([]);
  });

  it('renews a lease for as long as its job runs, and starts no more jobs than it may', async () => {
    const renew = vi.fn((tokens: readonly string[]) => Promise.resolve(new Set(tokens)));
    const claim = vi.fn(giving('only'));
    const { time, abandon, working } = startWorker({ claim, renew }, ({ signal }) =>
      untilAborted(signal),
    );
    await time.advance(35_000);
    expect(renew.mock.calls).toEqual([[['only']], [['only']], [['only']]]);
    expect(claim.mock.calls).toEqual([[1]]);
    abandon.abort();
    await time.advance(60_000);
    await working;
    expect(renew).toHaveBeenCalledTimes(3);
  });

  it('keeps a lease from its last renewal on when the store stops responding', async () => {
    let renewals = 0;
    const renew = (tokens: readonly string[]) => {
      renewals += 1;
      return renewals === 1
        ? Promise.resolve(new Set(tokens))
        : new Promise<never>(() => undefined);
    };
    let lostAfterMs: number | undefined;
    const { time, elapsedMs, end } = startWorker({ claim: giving('only'), renew }, ({ signal }) => {
      signal.addEventListener('abort', () => (lostAfterMs = elapsedMs()));
      return untilAborted(signal);
    });
    await time.advance(90_000);
    expect(lostAfterMs).toBe(40_000);
    await end();
  });

  it('loses a lease at the next renewal after a commit that failed', async () => {
    const store = {
      claim: giving('only'),
      commit: () => Promise.reject(new Error('rolled back')),
      renew: () => Promise.resolve(new Set<string>()),
    };
    let lostAfterMs: number | undefined;
    const { time, elapsedMs, end } = startWorker(store, async ({ signal, commit }) => {
      signal.addEventListener('abort', () => (lostAfterMs = elapsedMs()));
      await commit(() => undefined).catch(() => undefined);
      return untilAborted(signal);
    });
    await time.advance(90_000);
    expect(lostAfterMs).toBe(10_000);
    await end();
  });

  it('tells a claim that fails, and claims again a second later', async () => {
    const { time, claimedAt, errors, end } = startWorker({ claim: failing(2) });
    await time.advance(62_000);
    expect(claimedAt).toEqual([0, 1_000, 2_000, 62_000]);
    expect(errors).toEqual(['Error: store down', 'Error: store down']);
    await end();
  });

  it('does not end a drain by a claim that fails', async () => {
    const [fail, give] = [failing(1), giving('only')];
    const results = [fail, give];
    const ids: string[] = [];
    const { time, working } = startWorker(
      { claim: () => results.shift()?.() ?? Promise.resolve([]) },
      ({ id }) => {
        ids.push(id);
        return Promise.resolve({ done: undefined });
      },
      { untilIdle: true },
    );
    await time.advance(1_000);
    await working;
    expect(ids).toEqual(['only']);
  });

  it('claims when the next job is due, at the latest after its poll', async () => {
    const startedAt = new ManualTime().nowMs;
    const due = [startedAt + 5_000, undefined, startedAt + 500_000];
    const nextDueAt = () => Promise.resolve(due.shift());
    const { time, claimedAt, end } = startWorker({ nextDueAt });
    await time.advance(125_000);
    expect(claimedAt).toEqual([0, 5_000, 65_000, 125_000]);
    await end();
  });

  it('claims a second later when it cannot learn what is due', async () => {
    const nextDueAt = vi.fn(() => Promise.reject<undefined>(new Error('store down')));
    const { time, claimedAt, end } = startWorker({ nextDueAt });
    await time.advance(2_000);
    expect(claimedAt).toEqual([0, 1_000, 2_000]);
    await end();
  });

  it.each([
    ['a retry', (queue: Queue) => queue.retry('other')],
    ['a completion', (queue: Queue) => queue.complete('other', '')],
    ['an enqueue', (queue: Queue) => queue.enqueue([])],
    ['an enqueue in a transaction', (queue: Queue) => queue.enqueueSync?.([], undefined as never)],
  ])(
    'claims at once after %s that changed something, and else at its poll',
    async (_name, change) => {
      let isChange = false;
      const changed = () => Promise.resolve(isChange);
      const added = () => ({ added: isChange ? ['other'] : [] });
      const enqueue = () => Promise.resolve(added());
      const store = { retry: changed, complete: changed, enqueue, enqueueSync: added };
      const { time, queue, claimedAt, end } = startWorker(store);
      await time.advance(1_000);
      await change(queue);
      await time.advance(1_000);
      expect(claimedAt).toEqual([0]);
      isChange = true;
      await change(queue);
      await time.advance(0);
      expect(claimedAt).toEqual([0, 2_000]);
      await end();
    },
  );

  it('releases what it claimed while it was abandoned: not started, without a use of an attempt', async () => {
    const finish = vi.fn(() => Promise.resolve(true));
    const run = vi.fn(() => Promise.resolve({ done: undefined }));
    let respond: (claims: Claim[]) => void = () => undefined;
    const claim = () => new Promise<Claim[]>((resolve) => (respond = resolve));
    const { abandon, working } = startWorker({ claim, finish }, run);
    abandon.abort();
    respond([claimOf('only')]);
    await working;
    const released = { retryInMs: 0, countsAttempt: false };
    expect(finish.mock.calls).toEqual([[expect.objectContaining({ id: 'only' }), released]]);
    expect(run).not.toHaveBeenCalled();
  });

  it('ends without a commit that hangs, whose job the store releases only after it', async () => {
    const finish = vi.fn(() => new Promise<boolean>(() => undefined));
    const commit = vi.fn(() => new Promise<void>(() => undefined));
    const store = { claim: giving('only'), finish, commit };
    const { time, abandon, working } = startWorker(store, async ({ commit }) => {
      await commit(() => undefined);
      return { done: undefined };
    });
    await time.advance(0);
    expect(commit).toHaveBeenCalledTimes(1);
    let hasEnded = false;
    void working.then(() => (hasEnded = true));
    abandon.abort();
    await time.advance(1_000);
    expect(hasEnded).toBe(true);
    expect(finish).toHaveBeenCalledTimes(1);
  });
});

type Queue = DurableQueue;

/** A claim that fails so many times, and finds nothing then. */
function failing(times: number) {
  let left = times;
  return () => {
    left -= 1;
    return left >= 0 ? Promise.reject(new Error('store down')) : Promise.resolve([]);
  };
}
