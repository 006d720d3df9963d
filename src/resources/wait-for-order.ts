/** `orders.waitFor`: polls an order until it is there, cannot get there any more, or time is up. */

import { hasReached, isFinal, isHeldForReview } from '../assumptions.js';
import type { Engine } from '../engine/engine.js';
import {
  ConnectionError,
  InternalServerError,
  InvalidRequestError,
  OrderNotReachedError,
  RateLimitError,
  TimeoutError,
} from '../errors/index.js';
import { describeCause } from '../errors/market-error.js';
import type { OrderDetail, OrderStatus } from '../model/index.js';
import type { RequestOptions } from '../options.js';

/** What to wait for, for how long, and whom to tell meanwhile. */
export interface WaitForOptions extends Omit<RequestOptions, 'idempotencyKey'> {
  /**
   * A status, one of several, or a test of the order. A named status also counts as reached when
   * the order is past it: an order that is SETTLED has been TRANSFER_COMPLETED.
   */
  until: OrderStatus | readonly OrderStatus[] | ((order: OrderDetail) => boolean);
  /** Milliseconds for the whole wait. Default 600,000: ten minutes. */
  deadlineMs?: number | undefined;
  /** Milliseconds before the second read; the pause then grows by half each time. Default 2,000. */
  intervalMs?: number | undefined;
  /** The longest pause, in milliseconds. Default 60,000. */
  maxIntervalMs?: number | undefined;
  /** Told after each read. */
  onPoll?: ((order: OrderDetail) => void) | undefined;
  /** Told once when the order is held for review: nothing moves until a person at the service acts. */
  onHeld?: ((order: OrderDetail) => void) | undefined;
}

type ReadOrder = (options: RequestOptions) => PromiseLike<OrderDetail>;

export async function waitForOrder(
  engine: Pick<Engine, 'stopwatch' | 'random' | 'logger'>,
  read: ReadOrder,
  options: WaitForOptions,
): Promise<OrderDetail> {
  const { until, deadlineMs = 600_000, intervalMs = 2_000, maxIntervalMs = 60_000 } = options;
  const { signal, timeoutMs, maxRetries, headers, onPoll, onHeld } = options;
  const isThere = goalOf(until);
  requirePositive({ deadlineMs, intervalMs, maxIntervalMs });

  const watch = engine.stopwatch();
  let last: OrderDetail | undefined;
  let told = false;
  let polls = 0;
  for (let pauseMs = intervalMs; ; pauseMs = Math.min(pauseMs * 1.5, maxIntervalMs)) {
    const remainingMs = deadlineMs - watch.passedMs();
    if (remainingMs <= 0) throw outOfTime(deadlineMs, polls, last);
    polls += 1;
    try {
      last = await read({ signal, timeoutMs, maxRetries, headers, deadlineMs: remainingMs });
    } catch (error) {
      // One read that failed is no reason to stop waiting; the order is where it was.
      if (!isPassing(error)) throw error;
      engine.logger.warn('orders.waitFor: a read failed, waiting on', {
        error: describeCause(error),
      });
      if (watch.passedMs() >= deadlineMs) throw outOfTime(deadlineMs, polls, last, error);
    }
    if (last !== undefined) {
      onPoll?.(last);
      if (isThere(last)) return last;
      if (isFinal(last.status)) throw notReached(last, until);
      if (isHeldForReview(last.status) && !told) {
        told = true;
        engine.logger.warn('orders.waitFor: held for review, a person at the service must act', {
          public_id: last.public_id,
          status: last.status,
        });
        onHeld?.(last);
      }
    }
    // Half of the pause is fixed and half is jitter: many waiting scripts spread out.
    const delayMs = pauseMs * (0.5 + engine.random() / 2);
    await pause(watch, Math.min(delayMs, Math.max(1, deadlineMs - watch.passedMs())), signal, read);
  }
}

/** A read with a signal that has fired sends nothing and rejects with the abort's own error. */
async function pause(
  watch: ReturnType<Engine['stopwatch']>,
  ms: number,
  signal: AbortSignal | undefined,
  read: ReadOrder,
): Promise<void> {
  try {
    await watch.wait(ms, signal);
  } catch (error) {
    if (signal?.aborted === true) await read({ signal });
    throw error;
  }
}

function goalOf(until: WaitForOptions['until']): (order: OrderDetail) => boolean {
  if (typeof until === 'function') return until;
  const wanted = typeof until === 'string' ? [until] : until;
  if (!Array.isArray(wanted) || wanted.length === 0) {
    throw new InvalidRequestError([
      { path: 'until', message: 'must be a status, a list of them, or a function of the order' },
    ]);
  }
  return ({ status }) => wanted.some((each: string) => hasReached(status, each));
}

function requirePositive(times: Record<string, number>): void {
  for (const [path, value] of Object.entries(times)) {
    if (typeof value !== 'number' || !(value > 0) || value > 2 ** 31 - 1) {
      throw new InvalidRequestError([
        { path, message: 'must be a number of milliseconds above 0, at most 2147483647' },
      ]);
    }
  }
}

function isPassing(error: unknown): boolean {
  return [ConnectionError, InternalServerError, RateLimitError].some(
    (passing) => error instanceof passing,
  );
}

function notReached(order: OrderDetail, until: WaitForOptions['until']): OrderNotReachedError {
  return new OrderNotReachedError(
    `order ${order.public_id} ended as ${order.status}, so it will not be ${nameOf(until)}: nothing more will happen to it`,
    { order },
  );
}

function outOfTime(
  deadlineMs: number,
  polls: number,
  last: OrderDetail | undefined,
  cause?: unknown,
): TimeoutError {
  const seen =
    last === undefined
      ? 'it was never read'
      : isHeldForReview(last.status)
        ? `it is ${last.status}: a person at the service must act before it moves on`
        : `it was last ${last.status}`;
  return new TimeoutError(
    `orders.waitFor ran out of its ${deadlineMs} ms (deadlineMs) after ${polls} reads; ${seen}. The order itself is not affected: wait again when you like.`,
    { which: 'deadline', method: 'GET', attempts: polls, body: last },
    { cause },
  );
}

function nameOf(until: WaitForOptions['until']): string {
  if (typeof until === 'function') return 'what was waited for';
  return typeof until === 'string' ? until : until.join(' or ');
}
