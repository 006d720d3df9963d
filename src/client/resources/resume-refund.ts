/** resumeRefund: what came of a refund whose response was lost. */

import { endpoints } from '../endpoints.js';
import { MarketError } from '../errors/index.js';
import type { Engine } from '../engine/engine.js';
import { refundInput } from '../input/index.js';
import { isRecord } from '../../core/json.js';
import type { OrderDetail, Refund, RefundInput } from '../model/index.js';
import type { RequestOptions } from '../options/request-options.js';
import { withSource } from '../profile/to-theirs.js';
import type { CallPromise } from '../results/call-promise.js';
import type { ListPage } from '../sale/absence-proof.js';
import {
  isDeniedFor,
  isRefusedWrite,
  judgeRefund,
  readReceipt,
  readReceived,
} from '../sale/judge-refund.js';
import { isOrder } from '../sale/match-orders.js';
import {
  assertFresh,
  checkResumeArguments,
  lookTwice,
  openResult,
  searchList,
  unproven,
  type OpenResult,
  type ResumeEngine,
} from './resume-write.js';

/**
 * A refund that was begun: what was stored before `orders.refund`.
 *
 * @example
 * ```ts
 * import type { RefundToResume } from 'market-partner-sdk';
 *
 * const refund: RefundToResume = {
 *   input: { public_id: 'ord_1001', reason: 'buyer withdrew' },
 *   startedAt: new Date('2026-11-21T08:00:00Z'),
 * };
 * console.log(refund.input.public_id);
 * ```
 */
export interface RefundToResume {
  /** The input of `orders.refund`; it must have a `public_id`. */
  input: RefundInput;
  /** When it was stored or first sent: a Date, Unix milliseconds, or ISO 8601 with a zone. */
  startedAt: Date | number | string;
}

/**
 * What came of a refund.
 * - `refunded`: the order or the event history shows it.
 * - `refused`: it cannot be refunded any longer, or the service refused the repeat.
 * - `requested`: the service received the repeat, and nothing shows its end yet. Call again without `repeat`,
 *   and do not pay the buyer back before it is `refunded`.
 * - `open`: the order or the history could not be read. Call again later.
 * - `attention`: nothing is visible. A second request may refund twice, so your team decides, or
 *   `repeat: 'accept'` does.
 *
 * @example
 * ```ts
 * import type { ResumedRefund } from 'market-partner-sdk';
 *
 * const isOver = ({ state }: ResumedRefund) => state === 'refunded' || state === 'refused';
 * console.log(isOver({ state: 'open', error: undefined, retryAfterMs: undefined }));
 * ```
 */
export type ResumedRefund =
  | { readonly state: 'refunded'; readonly found: 'order' | 'event'; readonly order: OrderDetail }
  | { readonly state: 'refused'; readonly reason: 'too_late'; readonly order: OrderDetail }
  | { readonly state: 'refused'; readonly reason: 'refused'; readonly error: unknown }
  | { readonly state: 'requested'; readonly refund: Refund; readonly order: OrderDetail }
  | OpenResult
  | { readonly state: 'attention'; readonly reason: 'not_visible'; readonly order: OrderDetail };

/** An event, as far as a refund needs it. */
interface HistoryEvent {
  readonly type?: unknown;
  readonly data?: unknown;
}

/** The parts of the client that a resumed refund uses. */
interface RefundContext {
  readonly engine: ResumeEngine & Pick<Engine, 'callPages'>;
  readonly orders: {
    get(publicId: string, options: RequestOptions): CallPromise<OrderDetail>;
    refund(input: RefundInput, options: RequestOptions): PromiseLike<Refund>;
  };
}

const refundToResume = {
  noun: 'refund',
  endpoint: endpoints.orders.refund,
  schema: refundInput,
  findBy: 'public_id',
} as const;

/** Rejects for a wrong argument only; what the calls reject with is part of the result. */
export async function resumeRefund(
  context: RefundContext,
  given: unknown,
  options: unknown,
): Promise<ResumedRefund> {
  const { engine } = context;
  const checked = checkResumeArguments(engine, refundToResume, given, options);
  const { input, foundBy: publicId, repeat, call } = checked;
  const time = engine.deadline();
  try {
    let seen = await readOrder(context, publicId, call);
    const isInHistory = () => isRefundInHistory(context, publicId, call, () => time.nowMs());
    let looks = 0;
    const look = async () => {
      if (looks > 0) seen = await readOrder(context, publicId, call);
      looks += 1;
      return judge(seen, isInHistory);
    };
    const sleep = (ms: number) => time.sleep(ms, call.signal);
    const found = await lookTwice(look, sleep);
    if (found !== undefined) return found;
    if (repeat === 'accept') {
      const repeated = await sendAgain(context, withSource(input, seen), call);
      const shown = await lookTwice(look, sleep).catch(() => undefined);
      if (shown?.state === 'refunded') return shown;
      return endOfRepeat(repeated, seen);
    }
    return { state: 'attention', reason: 'not_visible', order: seen };
  } catch (error) {
    return openResult(error);
  }
}

/** `undefined`: the refund is not visible anywhere. */
async function judge(
  order: OrderDetail,
  isInHistory: () => Promise<boolean>,
): Promise<ResumedRefund | undefined> {
  const judged = judgeRefund(order);
  if (judged === 'refunded') return { state: 'refunded', found: 'order', order };
  if (await isInHistory()) return { state: 'refunded', found: 'event', order };
  return judged === 'too_late' ? { state: 'refused', reason: 'too_late', order } : undefined;
}

/** What the service says to a repeat: the record of a request that it received, or why it refuses. */
async function sendAgain(
  { orders }: RefundContext,
  input: RefundInput,
  call: RequestOptions,
): Promise<{ readonly refund: Refund } | { readonly error: unknown }> {
  try {
    return { refund: await orders.refund(input, call) };
  } catch (error) {
    const receipt = readReceipt(error);
    if (receipt === undefined) return { error };
    const { denied } = receipt;
    return { refund: denied === undefined ? {} : { status: denied } };
  }
}

/** Of a repeat after which two looks did not show the refund. One that was received is never sent again. */
function endOfRepeat(
  repeated: { readonly refund: Refund } | { readonly error: unknown },
  order: OrderDetail,
): ResumedRefund {
  if ('error' in repeated) {
    const { error } = repeated;
    return isRefusedWrite(error)
      ? { state: 'refused', reason: 'refused', error }
      : openResult(error);
  }
  const { refund } = repeated;
  const received = readReceived(refund);
  if (!isDeniedFor(order, received)) return { state: 'requested', refund, order };
  const message = `POST /refunds responded with the status "${received.denied ?? ''}".`;
  const error = new MarketError(message, { method: 'POST', outcome: 'rejected' });
  return { state: 'refused', reason: 'refused', error };
}

async function readOrder(
  { orders }: RefundContext,
  publicId: string,
  call: RequestOptions,
): Promise<OrderDetail> {
  const { data: order, response } = await orders.get(publicId, call).withResponse();
  assertFresh(`GET /orders/${publicId}`, response);
  // What states another id was refused by orders.get; what states none may be any JSON.
  if (isOrder(order, publicId) && typeof order.status === 'string') return order;
  throw unproven(`GET /orders/${publicId} returned no order with this id and a status.`);
}

async function isRefundInHistory(
  { engine }: RefundContext,
  publicId: string,
  call: RequestOptions,
  nowMs: () => number,
): Promise<boolean> {
  const refunds = await searchList<HistoryEvent>({
    noun: 'events',
    nothing: 'GET /events shows no refund',
    readPage: async (cursor, deadlineMs) => {
      const query = cursor === undefined ? {} : { after_id: cursor };
      const options = { ...call, deadlineMs };
      const page = engine.callPages<HistoryEvent>(endpoints.events.list, query, options);
      return withoutLastCursor(await page, cursor);
    },
    keep: (event) => isRefundOf(event, publicId),
    nowMs,
    deadlineMs: call.deadlineMs ?? engine.limits.deadlineMs,
  });
  return refunds.length > 0;
}

/** The history ends with a page that repeats its cursor, or has none (specification, part 4.7). */
function withoutLastCursor(
  page: ListPage<HistoryEvent>,
  sent: string | undefined,
): ListPage<HistoryEvent> {
  const { items, nextCursor, body, response } = page;
  const isLast = nextCursor === undefined || nextCursor === sent;
  const shown = isRecord(body) ? { ...body, next_cursor: undefined } : body;
  return { items, body: shown, response, nextCursor: isLast ? undefined : nextCursor };
}

function isRefundOf({ type, data }: HistoryEvent, publicId: string): boolean {
  if (type !== 'order.refunded' || !isRecord(data)) return false;
  const order = isRecord(data.order) ? data.order : data;
  return order.public_id === publicId;
}
