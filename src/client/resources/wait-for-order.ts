/** waitForOrder: polls an order until it has a status, can no longer reach it, or time is up. */

import * as z from 'zod/mini';
import { hasReached, isFinal, isHeldForReview } from '../assumptions.js';
import { endpoints } from '../endpoints.js';
import type { Engine } from '../engine/engine.js';
import { withCallContext } from '../engine/prepare.js';
import {
  AbortedError,
  ConnectionError,
  InternalServerError,
  OrderNotReachedError,
  RateLimitError,
  TimeoutError,
  UnexpectedResponseError,
} from '../errors/index.js';
import { MarketError } from '../errors/market-error.js';
import { describeCause } from '../../core/errors/cause.js';
import type { OrderDetail, OrderStatus } from '../model/index.js';
import { isOrder } from '../sale/match-orders.js';
import {
  readRequestOptions,
  sharedFields,
  type RequestOptions,
} from '../options/request-options.js';
import { describe, ruled } from '../../core/schema/must.js';
import {
  callback,
  lazily,
  milliseconds,
  optional,
  strict,
  text,
  withDefault,
  type Fields,
  type Output,
} from '../../core/schema/options.js';

/**
 * What to wait for, for how long, and what to call meanwhile.
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
 *   onHeld: ({ public_id }) => console.log(public_id, 'is held: a person at the service must act'),
 * };
 * const order = await market.orders.waitFor('ord_1001', options);
 * console.log(order.status);
 * ```
 */
export interface WaitForOptions extends Omit<RequestOptions, 'idempotencyKey'> {
  /**
   * A status, one of several, or a test of the order. A named status also counts as reached when
   * the order is past it: an order that is SETTLED has been TRANSFER_COMPLETED. The test returns a
   * boolean; an async function cannot be one, since its promise is truthy.
   */
  until: OrderStatus | readonly OrderStatus[] | ((order: OrderDetail) => boolean);
  /** Milliseconds for the whole wait. Default 600,000: ten minutes. */
  deadlineMs?: number | undefined;
  /** Milliseconds before the second read; the pause then grows by half each time. Default 2,000. */
  intervalMs?: number | undefined;
  /** The longest pause, in milliseconds. Default 60,000. */
  maxIntervalMs?: number | undefined;
  /** Called after each read. */
  onPoll?: ((order: OrderDetail) => void | Promise<void>) | undefined;
  /** Called once when the order is held for review: a person at the service must act. */
  onHeld?: ((order: OrderDetail) => void | Promise<void>) | undefined;
}

type ReadOrder = (options: RequestOptions) => PromiseLike<OrderDetail>;

/** The parts of the engine that a wait uses. */
type WaitContext = Pick<Engine, 'deadline' | 'random' | 'logger' | 'pathOf'>;

/** What a wait has seen, for its errors. */
interface WaitState {
  readonly publicId: string;
  readonly path: string;
  reads: number;
  last: OrderDetail | undefined;
  lastError: unknown;
  heldReported: boolean;
}

const waitForOptions = lazily(() =>
  strict({
    ...sharedFields(),
    until: goal(),
    deadlineMs: withDefault(milliseconds(), 600_000),
    intervalMs: withDefault(milliseconds(), 2_000),
    maxIntervalMs: withDefault(milliseconds(), 60_000),
    onPoll: optional(callback<(order: OrderDetail) => void | Promise<void>>()),
    onHeld: optional(callback<(order: OrderDetail) => void | Promise<void>>()),
  } satisfies Fields<WaitForOptions>),
);
type WaitSettings = Output<typeof waitForOptions>;

function goal() {
  const rule = ruled('must be a status, a list of them, or a function of the order');
  const statuses = z.array(text()).check(z.minLength(1, { abort: true }));
  return z.union([text(), statuses, callback<(order: OrderDetail) => boolean>()], rule);
}

export async function waitForOrder(
  engine: WaitContext,
  publicId: string,
  read: ReadOrder,
  given: WaitForOptions,
): Promise<OrderDetail> {
  const path = engine.pathOf(endpoints.orders.get, publicId);
  const options = readOptions(given, path);
  const { deadlineMs, intervalMs, maxIntervalMs, signal } = options;
  const isReached = toPredicate(options.until);
  const state: WaitState = {
    publicId,
    path,
    reads: 0,
    last: undefined,
    lastError: undefined,
    heldReported: false,
  };
  const deadline = engine.deadline();
  let pauseMs = Math.min(intervalMs, maxIntervalMs);
  for (; ; pauseMs = Math.min(pauseMs * 1.5, maxIntervalMs)) {
    const remainingMs = deadlineMs - deadline.elapsedMs();
    if (remainingMs <= 0) throw waitTimeoutError(state, deadlineMs);
    const order = await readOnce(engine, read, options, remainingMs, state);
    if (order !== undefined) {
      try {
        await options.onPoll?.(order);
        if (isReached(order)) return order;
      } catch (error) {
        // The caller's function takes the status for a text.
        throw isStatus(order.status) ? error : noOrderError(order, state, error);
      }
      // A function of the order may wait for another field; what follows needs the status.
      if (!isStatus(order.status)) throw noOrderError(order, state);
      if (isFinal(order.status)) throw orderNotReachedError(state, order, options.until);
      await reportHold(engine, order, options, state);
    }
    // Half of the pause is fixed and half is jitter, so that many waiting scripts spread out.
    const delayMs = pauseMs * (0.5 + engine.random() / 2);
    const leftMs = Math.max(1, deadlineMs - deadline.elapsedMs());
    try {
      await deadline.sleep(Math.min(delayMs, leftMs), signal);
    } catch (error) {
      throw signal?.aborted === true ? waitAbortedError(state, signal.reason) : error;
    }
  }
}

/** One read. A transient failure is logged and does not end the wait: the order is where it was. */
async function readOnce(
  engine: WaitContext,
  read: ReadOrder,
  { signal, timeoutMs, maxRetries, headers, context }: RequestOptions,
  deadlineMs: number,
  state: WaitState,
): Promise<OrderDetail | undefined> {
  state.reads += 1;
  try {
    const order = await read({ signal, timeoutMs, maxRetries, headers, context, deadlineMs });
    // Of a record that states no id nothing is known: it may be of any order.
    if (!isOrder(order, state.publicId)) throw noOrderError(order, state);
    state.last = order;
    state.lastError = undefined;
    return order;
  } catch (error) {
    if (!isTransient(error)) throw error;
    state.lastError = error;
    engine.logger.warn('orders.waitFor is still waiting, because a read failed', {
      ...context,
      error: describeCause(error),
    });
    return undefined;
  }
}

async function reportHold(
  engine: WaitContext,
  order: OrderDetail,
  { onHeld, context }: Pick<WaitForOptions, 'onHeld' | 'context'>,
  state: WaitState,
): Promise<void> {
  if (state.heldReported || !isHeldForReview(order.status)) return;
  state.heldReported = true;
  engine.logger.warn('orders.waitFor is still waiting, because a person at the service must act', {
    ...context,
    public_id: order.public_id,
    status: order.status,
  });
  await onHeld?.(order);
}

function readOptions(given: unknown, path: string): WaitSettings {
  try {
    return readRequestOptions(waitForOptions, given, '{ until: "TRANSFER_COMPLETED" }');
  } catch (error) {
    throw withCallContext({ method: 'GET', path }, error);
  }
}

function toPredicate(until: WaitSettings['until']): (order: OrderDetail) => boolean {
  if (typeof until === 'function') return (order) => testResult(until(order));
  const wanted = [until].flat();
  return ({ status }) => isStatus(status) && wanted.some((each) => hasReached(status, each));
}

/** A promise, a row or a misspelled `undefined` would end the wait at once, or never. */
function testResult(reached: unknown): boolean {
  if (reached === true || reached === false) return reached;
  throw new MarketError(
    `"until" must return true or false, and it returned ${describe(reached)}. The order was only read.`,
  );
}

function isStatus(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isTransient(error: unknown): boolean {
  return [ConnectionError, InternalServerError, RateLimitError].some(
    (transient) => error instanceof transient,
  );
}

function noOrderError(
  body: unknown,
  { path, reads, publicId }: WaitState,
  cause?: unknown,
): UnexpectedResponseError {
  const what = isOrder(body, publicId)
    ? 'no order with a status'
    : 'no order with this "public_id"';
  return new UnexpectedResponseError(
    `GET ${path} returned ${what}, so orders.waitFor cannot continue.`,
    { method: 'GET', path, attempts: reads, outcome: 'unknown', body },
    { cause },
  );
}

function orderNotReachedError(
  { path, reads }: WaitState,
  order: OrderDetail,
  until: WaitSettings['until'],
): OrderNotReachedError {
  return new OrderNotReachedError(
    `order ${order.public_id} ended as ${order.status}, so it will not be ${describeGoal(until)}`,
    { method: 'GET', path, attempts: reads, order },
  );
}

function waitTimeoutError(state: WaitState, deadlineMs: number): TimeoutError {
  const { path, reads, last, lastError } = state;
  return new TimeoutError(
    `orders.waitFor ran out of its ${deadlineMs} ms (deadlineMs) after ${reads} reads; ${describeLast(last)}. The order itself is not affected. Wait again when you like.`,
    { which: 'deadline', method: 'GET', path, attempts: reads, outcome: 'unknown', body: last },
    { cause: lastError },
  );
}

function waitAbortedError({ path, reads, last }: WaitState, reason: unknown): AbortedError {
  return new AbortedError(
    `orders.waitFor was aborted by the caller's signal after ${reads} reads; ${describeLast(last)}.`,
    { method: 'GET', path, attempts: reads, outcome: 'unknown' },
    { cause: reason },
  );
}

function describeLast(last: OrderDetail | undefined): string {
  if (last === undefined) return 'it was never read';
  if (!isStatus(last.status)) return 'its last response stated no status';
  return isHeldForReview(last.status)
    ? `it is ${last.status}: a person at the service must act before it moves on`
    : `its last status was ${last.status}`;
}

/** Bounded: an error message with a list of a megabyte cannot be read. */
function describeGoal(until: WaitSettings['until']): string {
  if (typeof until === 'function') return 'what was waited for';
  return (typeof until === 'string' ? until : until.join(' or ')).slice(0, 200);
}
