import { describe, expect, it } from 'vitest';
import { engineChecks, plantedFaults, plantFault, type EngineCheck } from './engine-kit/index.js';
import { findBetterSqlite } from './support/find-sqlite.js';
import { memoryUnderTest, sqliteUnderTest } from './support/engines-under-test.js';

const settings = { leaseMs: 800, backlog: 2_000 };

function define(checks: readonly EngineCheck[]): void {
  for (const { name, run, timeoutMs } of checks) it.concurrent(name, run, timeoutMs);
}

describe('memory', () => define(engineChecks(memoryUnderTest, settings)));

const openBetterSqlite = findBetterSqlite();

describe.skipIf(openBetterSqlite === undefined)('SQLite by better-sqlite3', () => {
  const open = openBetterSqlite ?? (() => expect.fail('better-sqlite3 is not installed'));
  define(engineChecks(sqliteUnderTest(open), settings));
});

describe('an engine with a planted fault fails the check for', () => {
  const found = {
    checkpointFirst: 'the checkpoint is not written where the jobs were not',
    doneBeforeHandler: 'the job of a dead worker is taken over, and its attempt was counted',
    hashOrder: 'jobs of an ordering key run one after the other, in the order of enqueue',
    forgetsClaims: 'the job of a dead worker is taken over, and its attempt was counted',
    forgetsDone: 'an id that is known in any state is not added again',
  };

  it.concurrent.each(plantedFaults)('%s', async (fault) => {
    const create = () => {
      const engineUnderTest = memoryUnderTest();
      const engine = plantFault(engineUnderTest.engine, fault);
      return { ...engineUnderTest, engine, another: () => engine };
    };
    const checks = engineChecks(create, settings);
    const check = checks.find(({ name }) => name === found[fault]);
    await expect(check?.run()).rejects.toThrow();
  });

  it.concurrent('a sound engine, wrapped in the same way, does not', async () => {
    const create = () => {
      const engineUnderTest = memoryUnderTest();
      const open: typeof engineUnderTest.engine.open = async (spec) => ({
        ...(await engineUnderTest.engine.open(spec)),
      });
      const engine = { ...engineUnderTest.engine, open };
      return { ...engineUnderTest, engine, another: () => engine };
    };
    const names: readonly string[] = Object.values(found);
    const checks = engineChecks(create, settings).filter(({ name }) => names.includes(name));
    expect(checks).toHaveLength(4);
    await Promise.all(checks.map(({ run }) => run()));
  });
});
