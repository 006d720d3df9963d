/** The outbox on PostgreSQL, at a service that lies about its orders: it never reports an untrue verdict. */

import type { DurableEngine } from 'market-partner-sdk/durable';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listLies, orderLies, truth, type Answer } from '../../faults/money/lies.js';
import {
  creating,
  drainMeanwhile,
  endOf,
  forgotten,
  lying,
  placeAgainst,
  type EngineAgainst,
} from '../../faults/money/lying-service.js';
import type { EngineUnderTest } from '../engine-kit/index.js';
import { describeOnPgBoss } from '../support/on-pg-boss.js';
import { pgBossUnderTest, type PgClient } from '../support/pg-boss-under-test.js';

/** Every fourth lie; in a soak all of them. The verdict is the same code on every engine. */
const isSoak = Number(process.env.SCHEDULES ?? 0) >= 100_000;
const sampleOf = (lies: object) => Object.keys(lies).filter((_, at) => isSoak || at % 4 === 0);

describeOnPgBoss('a service that lies, and the outbox on PostgreSQL', () => {
  let underTest: EngineUnderTest<PgClient>;
  let engine: EngineAgainst;
  beforeAll(async () => {
    underTest = await pgBossUnderTest(5);
    const open = () => underTest.engine as unknown as DurableEngine;
    engine = { open, startMs: Date.now(), jitter: 0, drain: drainMeanwhile };
  });
  afterAll(() => underTest.close());

  it('finds the order that an honest list shows, and refuses where there is none', async () => {
    const none = { ...truth, body: { data: [], next_cursor: null } };
    const toldBy = async (list: () => Answer) =>
      (await placeAgainst({ post: () => forgotten, list }, engine)).told;
    expect(await toldBy(() => truth)).toEqual(['placed ord_1']);
    expect(await toldBy(() => none)).toEqual(['refused not_listed']);
  });

  it.each(sampleOf(listLies))('a list that lies by "%s" proves nothing', async (name) => {
    const { told } = await placeAgainst(lying(name), engine);
    expect(told).toEqual([endOf[listLies[name]!.state]]);
  });

  it.each(sampleOf(orderLies))('a response that lies by "%s" proves nothing', async (name) => {
    const { told } = await placeAgainst(creating(name), engine);
    expect(told).toEqual([endOf[orderLies[name]!.state]]);
  });
});
