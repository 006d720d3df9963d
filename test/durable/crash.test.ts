import { crashControls, crashRings, crashTest, defectsOf } from './engine-kit/index.js';
import { describe, expect, it } from 'vitest';
import { judgeEvents } from './engine-kit/crash/judge-events.js';
import { judgeRefunds, judgeSales } from './engine-kit/crash/crash-orders.js';
import { hasSqlite } from './support/find-sqlite.js';

const engineModule = 'test/durable/support/sqlite-module.mjs';
/** The controls find their fault by 10; the soak has hundreds. */
const kills = process.env.CI ? 10 : 5;
const isFound = hasSqlite();

describe.skipIf(!isFound)('on SQLite, nothing is lost, doubled, out of order or wrong in', () => {
  it.concurrent.each(Object.entries(crashRings(kills)))(
    '%s',
    async (_name, ring) => {
      const report = await crashTest({ ...ring, engineModule, seed: 1 });
      expect(report.kills).toBe(ring.kills);
      expect(defectsOf(report)).toEqual({});
    },
    240_000,
  );
});

describe.skipIf(!isFound)('the crash test on SQLite finds that', () => {
  it.concurrent.each(Object.entries(crashControls('blocksOnLock')))(
    '%s',
    async (_name, control) => {
      const report = await crashTest({ ...control, engineModule, seed: 2 });
      expect(report).toHaveProperty(
        control.shows,
        expect.toSatisfy((count: number) => count > 0),
      );
    },
    120_000,
  );
});

describe.skipIf(!isFound)('a crash test', () => {
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
  it.each<[string, string, object]>([
    ['what is right', '1 start a, 1 end a, 1 done a, 1 start b, 1 end b', {}],
    ['a loss', '1 start a, 1 end a', { lost: 1 }],
    [
      'a repeat after done',
      '1 start a, 1 end a, 1 done a, 2 start a, 2 end a, 2 start b, 2 end b',
      { againAfterDone: 1, repeated: 1 },
    ],
    ['disorder', '1 start b, 1 end b, 1 start a, 1 end a', { outOfOrder: 1 }],
    [
      'an overlap',
      '1 start a, 2 start a, 1 end a, 2 end a, 1 start b, 1 end b',
      { overlaps: 1, repeated: 1 },
    ],
    [
      'a process that stood still, which is no overlap',
      '1 start a, 2 start a, 1 late, 1 end a, 2 end a, 2 start b, 2 end b',
      { repeated: 1 },
    ],
    [
      'a process that was stopped on its way into the listener',
      '1 start a, 1 end a, 1 done a, 2 start a, 2 late, 1 start b, 1 end b',
      {},
    ],
    [
      'one that looked at no lease after it was stopped',
      '1 start a, 1 end a, 1 done a, 2 late, 2 start a, 1 start b, 1 end b',
      { againAfterDone: 1, overlaps: 1 },
    ],
    [
      'a crash, which is no overlap',
      '1 start a, 1 exit, 2 start a, 2 end a, 2 start b, 2 end b',
      {},
    ],
  ])('see %s in a ledger of events', (_what, ledger, expected) => {
    const none = { lost: 0, againAfterDone: 0, outOfOrder: 0, overlaps: 0, repeated: 0 };
    const lines = ledger.split(', ').map((line) => line.replace(/start .*/, '$& ord'));
    expect(judgeEvents(lines, history)).toEqual({ events: 2, ...none, ...expected });
  });

  it('see what is wrong in a ledger of orders', () => {
    const keys = ['twice', 'lost', 'refused-but-placed', 'placed-but-not', 'both'];
    const references = ['twice', 'twice', 'refused-but-placed', 'both'];
    const lines = [
      ...['1 placed twice', '1 refused refused-but-placed', '1 placed placed-but-not'],
      ...['1 placed both', '2 refused both'],
    ];
    const orders = references.map((reference) => ({ reference, isRefunded: false }));
    expect(judgeSales(lines, keys, orders)).toEqual({
      intents: 5,
      twice: 1,
      lost: 1,
      wrong: 3,
      changed: 1,
      attention: 0,
    });
  });

  it('see what is wrong in a ledger of refunds', () => {
    const keys = ['right', 'lost', 'told-and-stands', 'denied-and-done', 'a-person'];
    const refunded = ['right', 'denied-and-done'];
    const orders = keys.map((reference) => ({
      reference,
      isRefunded: refunded.includes(reference),
    }));
    const lines = [
      ...['1 refunded right', '1 placed lost', '1 refunded told-and-stands'],
      ...['1 not_refunded denied-and-done', '1 attention a-person not_visible'],
    ];
    expect(judgeRefunds(lines, keys, orders)).toEqual({ refundLost: 1, refundWrong: 2 });
  });
});
