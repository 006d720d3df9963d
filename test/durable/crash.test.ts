import { crashTest } from './engine-kit/index.js';
import { describe, expect, it } from 'vitest';
import { judgeEvents } from './engine-kit/crash/judge-events.js';
import { judgeOrders } from './engine-kit/crash/crash-orders.js';
import { findBetterSqlite, findNodeWithSqlite } from './support/find-sqlite.js';

const engineModule = 'test/durable/support/sqlite-module.mjs';
/** A run of 20 takes a minute, so it is left to CI. */
const kills = process.env.CI ? 20 : 5;
const hasSqlite = findBetterSqlite() !== undefined || findNodeWithSqlite() === process.execPath;

describe.skipIf(!hasSqlite)('a process that is killed -9 on SQLite', () => {
  const sound = { lost: 0, wrongEffects: 0, kills, crashes: 0 };

  it.concurrent(
    'the inbox loses no event, repeats none that is done, and keeps their order',
    async () => {
      const report = await crashTest({ target: 'inbox', engineModule, kills, seed: 1 });
      expect(report).toMatchObject({ ...sound, againAfterDone: 0, outOfOrder: 0, overlaps: 0 });
    },
    180_000,
  );

  it.concurrent(
    'the outbox places no order twice, loses none, and is never wrong, though keys are forgotten',
    async () => {
      const options = { engineModule, kills, seed: 2, forgetsKeys: true } as const;
      const report = await crashTest({ target: 'outbox', ...options });
      expect(report).toMatchObject({ ...sound, twice: 0, wrong: 0, changed: 0 });
    },
    240_000,
  );

  it('counts a process that ends by itself', async () => {
    const module = 'test/durable/support/crashing-module.mjs';
    const options = { target: 'inbox', engineModule: module, kills: 1, items: 3 } as const;
    expect(await crashTest(options)).toMatchObject({ lost: 0, kills: 1, crashes: 1 });
  }, 60_000);

  it('runs with more intents than an environment variable holds', async () => {
    const options = { engineModule, kills: 1, items: 3_000, patienceMs: 0 } as const;
    const report = await crashTest({ target: 'outbox', ...options });
    expect(report).toMatchObject({ intents: 3_000, kills: 1, twice: 0, wrong: 0 });
  }, 60_000);
});

describe('the judges', () => {
  const history = new Map([['ord', ['a', 'b']]]);
  it.each<[string, string[], object]>([
    ['what is right', ['1 start a ord', '1 end a', '1 done a', '1 start b ord', '1 end b'], {}],
    ['a loss', ['1 start a ord', '1 end a'], { lost: 1 }],
    [
      'a repeat after done',
      [
        '1 start a ord',
        '1 end a',
        '1 done a',
        '2 start a ord',
        '2 end a',
        '2 start b ord',
        '2 end b',
      ],
      { againAfterDone: 1, repeated: 1 },
    ],
    ['disorder', ['1 start b ord', '1 end b', '1 start a ord', '1 end a'], { outOfOrder: 1 }],
    [
      'an overlap',
      ['1 start a ord', '2 start a ord', '1 end a', '2 end a', '1 start b ord', '1 end b'],
      { overlaps: 1, repeated: 1 },
    ],
    [
      'a crash, which is no overlap',
      ['1 start a ord', '1 exit', '2 start a ord', '2 end a', '2 start b ord', '2 end b'],
      {},
    ],
  ])('see %s in a ledger of events', (_what, lines, expected) => {
    const none = { lost: 0, againAfterDone: 0, outOfOrder: 0, overlaps: 0, repeated: 0 };
    expect(judgeEvents(lines, history)).toEqual({ events: 2, ...none, ...expected });
  });

  it('see what is wrong in a ledger of orders', () => {
    const keys = ['twice', 'lost', 'refused-but-placed', 'placed-but-not', 'both'];
    const references = ['twice', 'twice', 'refused-but-placed', 'both'];
    const lines = [
      ...['1 placed twice', '1 refused refused-but-placed', '1 placed placed-but-not'],
      ...['1 placed both', '2 refused both'],
    ];
    expect(judgeOrders(lines, keys, references)).toEqual({
      ...{ intents: 5, twice: 1, lost: 1, wrong: 3, changed: 1, attention: 0 },
    });
  });
});
