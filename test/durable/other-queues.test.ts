import { expect, it } from 'vitest';
import { safeLogger } from '../../src/logger.js';
import { OtherQueues } from '../../src/durable/queue/other-queues.js';
import { QueueNames, type QueueKind } from '../../src/durable/queue/queue-names.js';
import { recordingLogger } from '../support/recording-logger.js';
import { ManualTime } from './support/manual-time.js';

const counts = { waiting: 1, running: 0, dead: 0, done: 0, oldestWaitingMs: 9, overdueMs: null };

/** What the program "shop" in an environment sees of an engine with these queues. */
function othersOf(environment: 'sandbox' | 'any', queues: readonly string[]) {
  const { options: time } = new ManualTime();
  const log = recordingLogger();
  const open: string[] = [];
  let failure: Error | undefined;
  const others = new OtherQueues<never, never>({
    engine: {
      listQueues: () =>
        failure === undefined ? Promise.resolve([...queues]) : Promise.reject(failure),
      open: ({ name }: { name: string }) => {
        open.push(name);
        const close = () => Promise.resolve(void open.splice(open.indexOf(name), 1));
        return Promise.resolve({ counts: () => Promise.resolve(counts), close });
      },
    } as never,
    names: new QueueNames({ market: { environment }, name: 'shop', environment, time } as never),
    kinds: ['orders', 'verdicts'],
    limits: {} as never,
    logger: safeLogger(log.logger),
  });
  const fail = (error: Error) => (failure = error);
  return { others, log, open, fail };
}

const all = ['sandbox', 'live', 'any'].map((each) => `market-shop-${each}-orders`);

it.each<['sandbox' | 'any', QueueKind, readonly string[]]>([
  ['sandbox', 'orders', ['market-shop-any-orders']],
  ['any', 'orders', ['market-shop-sandbox-orders', 'market-shop-live-orders']],
  ['sandbox', 'verdicts', []],
])('the renamed queues of %s %s', async (environment, kind, expected) => {
  const foreign = ['invoices', 'market-other-any-orders', 'market-shop-any-events'];
  const { others } = othersOf(environment, [...all, ...foreign]);
  expect(await others.renamed(kind)).toEqual(expected);
});

it('a queue is closed after its use, and after a use that failed', async () => {
  const { others, open } = othersOf('sandbox', all);
  expect(await others.use(all[2]!, (queue) => queue.counts())).toBe(counts);
  expect(open).toEqual([]);
  await expect(others.use(all[2]!, () => Promise.reject(new Error('gone')))).rejects.toThrow(
    'gone',
  );
  expect(open).toEqual([]);
});

it('the work of a renamed queue is told once, and an engine that cannot be looked at is told', async () => {
  const { others, log, fail } = othersOf('sandbox', all);
  await others.report();
  await others.report();
  expect(log.lines).toMatchObject([
    {
      level: 'warn',
      message: expect.stringContaining('start one with environment: "any"') as string,
      fields: { queue: 'market-shop-any-orders', waiting: 1 },
    },
  ]);
  fail(new Error('store down'));
  await others.report();
  expect(log.lines.slice(1)).toEqual([
    {
      level: 'warn',
      message: 'The queues of the engine could not be looked at.',
      fields: { error: 'Error: store down' },
    },
  ]);
});
