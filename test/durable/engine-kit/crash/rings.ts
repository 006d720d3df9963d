/** The crash tests of an engine, and for each trouble one with a planted fault, which must fail. */

import type { CrashFault } from './crash-faults.js';
import type { CrashReport, CrashTestOptions } from './crash-test.js';

type Ring = Omit<CrashTestOptions, 'engineModule' | 'store'>;

/** @param kills - the size of the longest of them */
export function crashRings(kills: number): Readonly<Record<string, Ring>> {
  const [few, some] = [Math.ceil(kills / 30), Math.ceil(kills / 6)];
  const troubles = { kills, freezes: few, wrongClocks: true };
  const locks = Math.ceil(few / 2);
  return {
    'the inbox, under kills, freezes, locks and wrong clocks': {
      target: 'inbox',
      ...troubles,
      locks,
    },
    // Its sales may all wait for their next attempt while a lock is held, which would look like a stall.
    'the outbox, under kills, freezes, outages and wrong clocks': {
      target: 'outbox',
      ...troubles,
      outages: few,
    },
    'the inbox, whose history shows events too late': {
      target: 'inbox',
      kills: some,
      outages: few,
      hidesEvents: true,
    },
    'the outbox, whose service forgets every key': {
      target: 'outbox',
      kills: some,
      forgetsKeys: true,
    },
    // As a restored one does, or a standby without the last commits.
    'the outbox, whose queue forgets every claim': {
      target: 'outbox',
      kills: few,
      forgetsKeys: true,
      addsElsewhere: true,
      plantedFault: 'forgetsClaims',
    },
    'the inbox, whose store is emptied': { target: 'inbox', kills: few, empties: few },
    'the outbox, whose store is emptied': { target: 'outbox', kills: few, empties: few },
  };
}

interface Control extends Ring {
  readonly plantedFault: CrashFault;
  /** The count that shows the fault. */
  readonly shows: 'lost' | 'wrong' | 'stalls' | 'wrongEffects' | 'refundedTwice';
}

const impatient = { patienceMs: 5_000 } as const;

/** @param lockFault - the one that the engine's module plants */
export function crashControls(
  lockFault: 'blocksOnLock' | 'waitsForLocks',
): Readonly<Record<string, Control>> {
  return {
    'a queue without claims is believed': {
      target: 'outbox',
      kills: 0,
      forgetsKeys: true,
      plantedFault: 'trustsQueue',
      // Each sale ends, some of them wrongly: on a busy machine that takes longer than the others' faults show.
      patienceMs: 60_000,
      shows: 'wrong',
    },
    'a refund is sent without a note': {
      target: 'outbox',
      // One of eight refunds meets a fault that shows it: with 20 of them, one run in ten would have none.
      items: 240,
      kills: 10,
      plantedFault: 'forgetsRefunds',
      shows: 'refundedTwice',
    },
    'an effect is written without commit, in a process that freezes': {
      target: 'inbox',
      kills: 0,
      freezes: 4,
      plantedFault: 'writesOutside',
      ...impatient,
      shows: 'wrongEffects',
    },
    'a lock stops what it does not concern': {
      target: 'inbox',
      kills: 0,
      locks: 2,
      plantedFault: lockFault,
      ...impatient,
      shows: 'stalls',
    },
    'the time of a wrong clock is believed': {
      target: 'inbox',
      kills: 0,
      wrongClocks: true,
      plantedFault: 'trustsClocks',
      items: 30,
      ...impatient,
      shows: 'lost',
    },
    'an emptied inbox believes that it has its events': {
      target: 'inbox',
      kills: 0,
      empties: 1,
      plantedFault: 'remembersElsewhere',
      ...impatient,
      shows: 'lost',
    },
    'a late delivery is answered, and not stored': {
      target: 'inbox',
      kills: 0,
      hidesEvents: true,
      plantedFault: 'forgetsLate',
      ...impatient,
      shows: 'lost',
    },
  };
}

/** The counts of a report that must be 0, by name, without those that are. */
export function defectsOf(report: CrashReport): Readonly<Record<string, number>> {
  const { lost, wrongEffects, crashes, stalls } = report;
  const always = { lost, wrongEffects, crashes, stalls };
  const others =
    'events' in report
      ? pick(report, ['againAfterDone', 'outOfOrder', 'overlaps'])
      : pick(report, ['twice', 'wrong', 'changed', 'refundedTwice', 'refundLost', 'refundWrong']);
  return Object.fromEntries(
    Object.entries({ ...always, ...others }).filter(([, count]) => count !== 0),
  );
}

function pick<T, Name extends keyof T>(from: T, names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, Name>;
}
