import { beforeEach, expect, it } from 'vitest';
import { ClaimsAhead } from '../../src/durable/pg-boss/claims-ahead.js';
import type { Claim } from '../../src/durable/queue/job-store.js';

const leaseMs = 30_000;
let ahead: ClaimsAhead;

beforeEach(() => {
  ahead = new ClaimsAhead(leaseMs);
});

function claims(count: number, claimed = 1): Claim[] {
  return Array.from(
    { length: count },
    (_, index) => ({ id: `e${index}`, claims: claimed }) as Claim,
  );
}

let nowMs = 0;

/** How long ago it was this moment. */
const ageOf = (atMs: number) => () => nowMs - atMs;

function batchSize(now: number): number {
  nowMs = now;
  return ahead.batchSize(8);
}

/** Claims for a worker with room for 8, where as much waits as is asked for. */
function claim(now: number, claimed = 1): number {
  const asked = batchSize(now);
  ahead.keep(claims(asked, claimed), 8, asked, ageOf(now));
  return asked;
}

it('claims only what there is room for until it has seen a backlog, and how fast it goes', () => {
  expect(claim(1_000)).toBe(8);
  // 8 in 100 ms are 20 in 250 ms.
  expect(claim(1_100)).toBe(8 + 20);
  // And never more than 56.
  expect(claim(1_110)).toBe(8 + 56);
});

it('does not claim ahead for a worker whose jobs take seconds', () => {
  claim(1_000);
  expect(batchSize(4_000)).toBe(8);
});

it('does not claim ahead once nothing more waits', () => {
  claim(1_000);
  ahead.keep(claims(5), 8, batchSize(1_050), ageOf(1_050));
  expect(batchSize(1_100)).toBe(8);
});

it('does not claim ahead beside a job that was claimed before: it may have killed a process', () => {
  claim(1_000);
  claim(1_050, 2);
  expect(batchSize(1_060)).toBe(8);
});

it('gives what it kept with the age of its lease, until a quarter of that is gone', () => {
  let ageMs = 0;
  ahead.keep(claims(20), 8, 20, () => ageMs);
  ageMs = 1_000;
  expect(ahead.take(4).map(({ leaseAge }) => leaseAge?.())).toEqual([1_000, 1_000, 1_000, 1_000]);
  ageMs = 1 + leaseMs / 4;
  expect(ahead.take(4)).toEqual([]);
  expect(ahead.takeAll()).toHaveLength(8);
  ageMs = 0;
  expect(ahead.take(4)).toEqual([]);
});
