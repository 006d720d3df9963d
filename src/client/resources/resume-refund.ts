/** resumeRefund: what came of a refund whose response was lost. */

import { endpoints } from '../endpoints.js';
import type { Engine } from '../engine/engine.js';
import { refundInput } from '../input/index.js';
import { isRecord } from '../../core/json.js';
import type { OrderDetail, Refund, RefundInput } from '../model/index.js';
import type { RequestOptions } from '../options/request-options.js';
import type { CallPromise } from '../results/call-promise.js';
import type { ListPage } from '../sale/absence-proof.js';
import { isRefusedWrite, judgeRefund } from '../sale/judge-refund.js';
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
 * - `refunded`: the order, the event history or a repeat shows it.
 * - `refused`: it cannot be refunded any longer, or the service refused the repeat.
 * - `open`: the order or the history could not be read. Call again later.
 * - `attention`: nothing is visible. A repeat may pay twice: an operator decides, or
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
  | { readonly state: 'refunded'; readonly found: 'repeated'; readonly refund: Refund }
  | { readonly state: 'refused'; readonly reason: 'too_late'; readonly order: OrderDetail }
  | { readonly state: 'refused'; readonly reason: 'refused'; readonly error: unknown }
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
    const found = await lookTwice(look, (ms) => time.sleep(ms, call.signal));
    if (found !== undefined) return found;
    if (repeat === 'accept') return await sendAgain(context, input, call, look);
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

/** A refused repeat may be one of a refund that was done meanwhile. */
async function sendAgain(
  { orders }: RefundContext,
  input: RefundInput,
  call: RequestOptions,
  look: () => Promise<ResumedRefund | undefined>,
): Promise<ResumedRefund> {
  try {
    return { state: 'refunded', found: 'repeated', refund: await orders.refund(input, call) };
  } catch (error) {
    if (!isRefusedWrite(error)) return openResult(error);
    const found = await look();
    return found?.state === 'refunded' ? found : { state: 'refused', reason: 'refused', error };
  }
}

async function readOrder(
  { orders }: RefundContext,
  publicId: string,
  call: RequestOptions,
): Promise<OrderDetail> {
  const { data: order, response } = await orders.get(publicId, call).withResponse();
  assertFresh(`GET /orders/${publicId}`, response);
  // What states another id was refused by orders.get; what states none may be any JSON.
  if (isRecord(order) && typeof order.status === 'string' && order.public_id === publicId) {
    return order;
  }
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
