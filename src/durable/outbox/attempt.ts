/** What attempts to place and to refund share: what keeps them from sending, their time limit and their span. */

import type { Verdict } from '../../client/sale/decide-verdict.js';
import { withAnySignal } from '../../core/time/signals.js';
import { withTimeout } from '../../core/time/timeout.js';
import { traceAttempt } from '../diagnostics.js';
import type { ClaimedJob } from '../queue/job.js';
import type { OrderSpan, TraceContext } from '../tracing.js';
import type { OutboxSettings } from './outbox-options.js';
import { longestAttemptMs } from './outbox-store.js';

/** What an outbox counts, and why it sends nothing for now. */
export interface OutboxActivity {
  /** By its age, not by when it ends: a clock that is set back must not prolong it. */
  pause: { readonly age: () => number; readonly ms: number; readonly reason: string } | undefined;
  readonly counts: Record<'placed' | 'refused' | 'refunded' | 'not_refunded' | 'attention', number>;
}

/** How much of a pause is left: zero once it is over. */
export function pauseLeftMs({ pause }: OutboxActivity): number {
  return pause === undefined ? 0 : Math.max(0, pause.ms - pause.age());
}

/** A result that decides nothing. */
export type OpenVerdict = Verdict & { readonly state: 'open' };

/** What keeps an attempt from sending. */
export async function findObstacle<Tx, AddTx>(
  { queues }: OutboxSettings<Tx, AddTx>,
  activity: OutboxActivity,
): Promise<OpenVerdict | undefined> {
  try {
    await queues.check();
  } catch (error) {
    // A credential of another environment would place live sales as orders of the sandbox.
    return { state: 'open', cause: 'credentials', error, retryAfterMs: undefined };
  }
  const leftMs = pauseLeftMs(activity);
  if (leftMs === 0) return undefined;
  // Paused attempts still reach manual review in time.
  const error = new Error(activity.pause?.reason);
  return { state: 'open', cause: 'unknown', error, retryAfterMs: leftMs };
}

/**
 * How much longer a job is tried before manual review. From its first failure, and not from when it was added: a
 * sale that waited through an outage, or that somebody has retried, was not tried for all that time.
 */
export function patienceLeftMs<Tx, AddTx>(
  { time, escalateAfterMs }: OutboxSettings<Tx, AddTx>,
  { failingSince }: Pick<ClaimedJob<Tx>, 'failingSince'>,
): number {
  const now = time.clock();
  // A time in the future was stored before the clock was set back.
  const failingForMs = failingSince === undefined ? 0 : Math.max(0, now - failingSince.getTime());
  return escalateAfterMs - failingForMs;
}

/** Runs what an attempt sends and reads, in its span and within its time. */
export function reachInTime<Tx, AddTx, T extends { readonly state: string }>(
  { tracing, name, time }: OutboxSettings<Tx, AddTx>,
  job: ClaimedJob<Tx>,
  { key, cause }: { readonly key: string; readonly cause: TraceContext | undefined },
  reach: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const span: OrderSpan = { consumer: name, key, attempt: job.attempt };
  const run = async () => {
    const reached = await withTimeout(time, longestAttemptMs, (timeout) =>
      withAnySignal(job.signal, timeout, reach),
    );
    span.verdict = reached.state;
    return reached;
  };
  const trace =
    tracing?.order && ((traced: () => Promise<unknown>) => tracing.order?.(span, cause, traced));
  return traceAttempt('order', span, run, trace);
}
