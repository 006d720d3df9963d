/** `orders.waitFor`: polls an order until it is there, cannot get there any more, or time is up. */

import { hasReached, isFinal, isHeldForReview, isRecord } from '../assumptions.js';
import { checkMilliseconds, refuseMisspelt, type Problem } from '../call-options.js';
import { endpoints } from '../endpoints.js';
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

/**
 * What to wait for, for how long, and whom to tell meanwhile.
 *
 * @example
 * ```ts
 * import { MarketClient, type WaitForOptions } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const options: WaitForOptions = {
 *   until: ['TRANSFER_COMPLETED', 'REFUNDED'],
 *   deadlineMs: 3_600_000, // an hour
 *   intervalMs: 10_000,
 *   onHeld: ({ public_id }) => console.log(public_id, 'is held: somebody at the service must act'),
 * };
 * const order = await market.orders.waitFor('ord_1001', options);
 * console.log(order.status);
 * ```
 */
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
  onPoll?: ((order: OrderDetail) => void | Promise<void>) | undefined;
  /** Told once when the order is held for review: nothing moves until a person at the service acts. */
  onHeld?: ((order: OrderDetail) => void | Promise<void>) | undefined;
}

/** Reads the order once. */
export type ReadOrder = (options: RequestOptions) => PromiseLike<OrderDetail>;

/** What a wait needs of the engine. */
type Timekeeper = Pick<Engine, 'stopwatch' | 'random' | 'logger' | 'pathOf'>;

export async function waitForOrder(
  engine: Timekeeper,
  publicId: string,
  read: ReadOrder,
  options: WaitForOptions,
): Promise<OrderDetail> {
  const { deadlineMs, intervalMs, maxIntervalMs, isThere } = checkOptions(options);
  const { until, signal, timeoutMs, maxRetries, headers, onPoll, onHeld } = options;
  const watch = engine.stopwatch();
  const path = () => engine.pathOf(endpoints.orders.get, { public_id: publicId });
  let last: OrderDetail | undefined;
  let lastError: unknown;
  let told = false;
  let reads = 0;
  let pauseMs = Math.min(intervalMs, maxIntervalMs);
  for (; ; pauseMs = Math.min(pauseMs * 1.5, maxIntervalMs)) {
    const remainingMs = deadlineMs - watch.passedMs();
    if (remainingMs <= 0) {
      throw outOfTime({ path: path(), deadlineMs, reads, last, cause: lastError });
    }
    reads += 1;
    let order: OrderDetail | undefined;
    try {
      order = await read({ signal, timeoutMs, maxRetries, headers, deadlineMs: remainingMs });
      lastError = undefined;
    } catch (error) {
      // One read that failed is no reason to stop waiting; the order is where it was.
      if (!isPassing(error)) throw error;
      lastError = error;
      engine.logger.warn('orders.waitFor: a read failed, waiting on', {
        error: describeCause(error),
      });
    }
    if (order !== undefined) {
      last = order;
      await onPoll?.(order);
      if (isThere(order)) return order;
      if (isFinal(order.status)) throw notReached(path(), reads, order, until);
      if (isHeldForReview(order.status) && !told) {
        told = true;
        engine.logger.warn('orders.waitFor: held for review, a person at the service must act', {
          public_id: order.public_id,
          status: order.status,
        });
        await onHeld?.(order);
      }
    }
    // Half of the pause is fixed and half is jitter: many waiting scripts spread out.
    const delayMs = pauseMs * (0.5 + engine.random() / 2);
    const leftMs = Math.max(1, deadlineMs - watch.passedMs());
    await pause(watch, Math.min(delayMs, leftMs), signal, read);
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

interface Checked {
  readonly deadlineMs: number;
  readonly intervalMs: number;
  readonly maxIntervalMs: number;
  readonly isThere: (order: OrderDetail) => boolean;
}

function checkOptions(options: Partial<WaitForOptions> = {}): Checked {
  if (!isRecord(options)) {
    throw problem('options', 'must be an object, such as { until: "TRANSFER_COMPLETED" }');
  }
  const { until, deadlineMs = 600_000, intervalMs = 2_000, maxIntervalMs = 60_000 } = options;
  refuseMisspelt(options, optionNames, problem);
  for (const [name, value] of Object.entries({ deadlineMs, intervalMs, maxIntervalMs })) {
    checkMilliseconds(name, value, problem);
  }
  for (const name of ['onPoll', 'onHeld'] as const) {
    if (options[name] !== undefined && typeof options[name] !== 'function') {
      throw problem(name, 'must be a function');
    }
  }
  return { deadlineMs, intervalMs, maxIntervalMs, isThere: goalOf(until) };
}

const problem: Problem = (path, message) => {
  const { method, path: template } = endpoints.orders.get;
  return new InvalidRequestError([{ path, message }], { method, path: template });
};

const optionNames = {
  until: true,
  deadlineMs: true,
  intervalMs: true,
  maxIntervalMs: true,
  onPoll: true,
  onHeld: true,
  signal: true,
  timeoutMs: true,
  maxRetries: true,
  headers: true,
} as const satisfies Record<keyof WaitForOptions, true>;

function goalOf(until: WaitForOptions['until'] | undefined): (order: OrderDetail) => boolean {
  if (typeof until === 'function') return until;
  const wanted: unknown = typeof until === 'string' ? [until] : until;
  if (!Array.isArray(wanted) || wanted.length === 0 || !wanted.every(isStatus)) {
    throw problem('until', 'must be a status, a list of them, or a function of the order');
  }
  return ({ status }) => wanted.some((each) => hasReached(status, each));
}

function isStatus(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isPassing(error: unknown): boolean {
  return [ConnectionError, InternalServerError, RateLimitError].some(
    (passing) => error instanceof passing,
  );
}

function notReached(
  path: string,
  reads: number,
  order: OrderDetail,
  until: WaitForOptions['until'],
): OrderNotReachedError {
  return new OrderNotReachedError(
    `order ${order.public_id} ended as ${order.status}, so it will not be ${nameOf(until)}`,
    { method: 'GET', path, attempts: reads, order },
  );
}

function outOfTime(facts: {
  path: string;
  deadlineMs: number;
  reads: number;
  last: OrderDetail | undefined;
  cause: unknown;
}): TimeoutError {
  const { path, deadlineMs, reads, last, cause } = facts;
  const seen =
    last === undefined
      ? 'it was never read'
      : isHeldForReview(last.status)
        ? `it is ${last.status}: a person at the service must act before it moves on`
        : `it was last ${last.status}`;
  return new TimeoutError(
    `orders.waitFor ran out of its ${deadlineMs} ms (deadlineMs) after ${reads} reads; ${seen}. The order itself is not affected: wait again when you like.`,
    { which: 'deadline', method: 'GET', path, attempts: reads, outcome: 'unknown', body: last },
    { cause },
  );
}

function nameOf(until: WaitForOptions['until']): string {
  if (typeof until === 'function') return 'what was waited for';
  return typeof until === 'string' ? until : until.join(' or ');
}
