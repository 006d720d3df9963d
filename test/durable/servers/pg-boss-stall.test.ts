import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { EngineHarness, eventually, gate, job, jobs } from '../engine-kit/engine-harness.js';
import { describeOnPgBoss } from '../support/on-pg-boss.js';
import { pgBossUnderTest, type PgClient, type PgPool } from '../support/pg-boss-under-test.js';

const settings = { leaseMs: 2_000, takeoverMs: 5_000, backlog: 0, claimMs: 0 };

async function newHarness(): Promise<EngineHarness> {
  const engineUnderTest = await pgBossUnderTest();
  const harness = new EngineHarness(engineUnderTest as never, settings);
  onTestFinished(() => harness.end());
  return harness;
}

/** An engine whose next transaction can be made to stand still after it has begun. */
async function newPausableHarness() {
  const [begun, released] = [gate(), gate()];
  let isPaused = false;
  const wrap = (pool: PgPool) => ({
    connect: async () => {
      const client = await pool.connect();
      const query: PgClient['query'] = async (text, values) => {
        const result = await client.query(text, values);
        if (text === 'begin' && isPaused) {
          isPaused = false;
          begun.open();
          await released.opened;
        }
        return result;
      };
      return Object.create(client, { query: { value: query } }) as PgClient;
    },
  });
  const harness = new EngineHarness((await pgBossUnderTest(50, wrap)) as never, settings);
  onTestFinished(() => harness.end());
  const pauseNext = () => {
    isPaused = true;
  };
  return { harness, pauseNext, paused: begun.opened, resume: released.open };
}

describeOnPgBoss('pg-boss at its worst', () => {
  it('a commit that holds its row beyond the lease stops no other job, on no process', async () => {
    const harness = await newHarness();
    const [queue, other] = [await harness.open(), await harness.openAnother()];
    await queue.enqueue([job('slow', 'slow')]);
    const [begun, released] = [gate(), gate()];
    let commits = 0;
    harness.start(queue, async ({ id, commit }) => {
      if (id !== 'slow') return { done: undefined };
      await commit(async () => {
        commits += 1;
        begun.open();
        await released.opened;
      });
      return { done: undefined };
    });
    await begun.opened;
    // The lease has ended, and both processes look for what they may take over.
    await sleep(2 * settings.leaseMs);
    harness.start(other, () => Promise.resolve({ done: undefined }));
    await queue.enqueue(jobs(10, 'quick', (index) => `k${index}`));
    const isDone = async () =>
      (await other.list('done', { limit: 20 })).items.filter(({ id }) => id.startsWith('quick'))
        .length === 10;
    await eventually('the others are done', isDone, 15_000);
    expect((await other.find(['slow'])).get('slow')?.state).toBe('running');
    released.open();
    await eventually('it is done', async () => (await other.counts()).running === 0);
    expect(commits).toBe(1);
  }, 60_000);

  it('jobs of a key that two processes store at once keep their order', async () => {
    const { harness, pauseNext, paused, resume } = await newPausableHarness();
    const [queue, other] = [await harness.open(), await harness.openAnother()];
    pauseNext();
    const late = queue.enqueue(jobs(3, 'e', () => 'sale'));
    await paused;
    // Begun later, it commits first.
    await other.enqueue(jobs(2, 'e', () => 'sale'));
    resume();
    expect(await late).toEqual({ added: ['e2'] });
    expect(await harness.drainIds(other)).toEqual(['e0', 'e1', 'e2']);
  });

  it('two workers of a process leave no claim of a backlog behind', async () => {
    const harness = await newHarness();
    const queue = await harness.open();
    await queue.enqueue(jobs(600, 'e', (index) => `k${index}`));
    const slowly = async () => {
      await sleep(2);
      return { done: undefined };
    };
    await Promise.all([harness.drain(queue, slowly), harness.drain(queue, slowly)]);
    expect(await queue.counts()).toMatchObject({ waiting: 0, running: 0 });
  });

  it('a worker claims no job that it has no room for, and a stop leaves the others to a drain', async () => {
    const harness = await newHarness();
    const queue = await harness.open();
    await queue.enqueue(jobs(40, 'e', (index) => `k${index}`));
    const [held, released] = [gate(), gate()];
    let started = 0;
    const stop = harness.start(queue, async () => {
      started += 1;
      // The first four end at once, so that the next claim is one of a busy worker with a backlog.
      if (started <= 4) return { done: undefined };
      if (started === 8) held.open();
      await released.opened;
      return { done: undefined };
    });
    await held.opened;
    // The first four are running until their results are stored.
    const isStored = async () => (await queue.list('done', { limit: 50 })).items.length === 4;
    await eventually('the first four are done', isStored);
    expect(await queue.counts()).toMatchObject({ running: 4, waiting: 32 });
    stop.abort();
    await harness.drain(queue);
    expect(await queue.counts()).toMatchObject({ running: 4, waiting: 0 });
    released.open();
    await eventually('it is done', async () => (await queue.counts()).running === 0);
    const { items } = await queue.list('done', { limit: 50 });
    expect(items.map(({ claims }) => claims)).toEqual(Array(40).fill(1));
  });

  it('a commit whose write hides the error of a statement is not taken for one', async () => {
    const harness = await newHarness();
    const queue = await harness.open();
    await queue.enqueue([job('e1')]);
    const failures: unknown[] = [];
    await harness.drain(queue, async ({ commit }) => {
      const hiding = (tx: unknown) => (tx as PgClient).query('select 1 / 0').catch(() => undefined);
      await commit(hiding).catch((error: unknown) => failures.push(error));
      return { retryInMs: 60_000, error: 'not committed' };
    });
    expect(failures).toEqual([expect.objectContaining({ name: 'DurableStateError' })]);
    expect((await queue.find(['e1'])).get('e1')).toMatchObject({
      state: 'waiting',
      error: 'not committed',
    });
  });

  it('a process hears of a job that another one stores', async () => {
    const harness = await newHarness();
    const [queue, other] = [await harness.open(), await harness.openAnother()];
    const times: number[] = [];
    const startedAt = new Map<string, number>();
    harness.start(other, ({ id }) => {
      startedAt.set(id, performance.now());
      return Promise.resolve({ done: undefined });
    });
    // The worker has looked, and listens.
    await sleep(1_000);
    for (let index = 0; index < 20; index += 1) {
      const id = `job${index}`;
      await queue.enqueue([job(id, id)]);
      const at = performance.now();
      await eventually('it runs', () => startedAt.has(id));
      times.push(startedAt.get(id)! - at);
    }
    times.sort((a, b) => a - b);
    // By polls, every 3 seconds, the median would be more than a second.
    expect(times[10]).toBeLessThan(300);
  }, 60_000);
});
