/** resumeOrder: ends a sale that was begun and whose end is not known. */

import { invalidRequest } from '../errors/invalid-request-error.js';
import { idempotencyWindowMs as assumedIdempotencyWindowMs, isOldKey } from '../assumptions.js';
import type { Engine } from '../engine/engine.js';
import { withCallContext } from '../engine/prepare.js';
import {
  checkInput,
  idempotencyKey as idempotencyKeySchema,
  orderInput,
  readFields,
  sentInput,
  unixMs,
} from '../input/index.js';
import type { Order, OrderInput } from '../model/index.js';
import { endpoints } from '../endpoints.js';
import {
  readRequestOptions,
  sharedFields,
  validKeyOf,
  type RequestOptions,
} from '../options/request-options.js';
import {
  lazily,
  milliseconds,
  oneOf,
  strict,
  withDefault,
  type Fields,
} from '../../core/schema/options.js';
import type { RefusalReason, Verdict } from '../sale/decide-verdict.js';
import { SaleEnding, type SaleCalls } from '../sale/end-sale.js';

/**
 * A sale that was begun: what was stored before the first `orders.create`.
 *
 * @example
 * ```ts
 * import { MarketClient, type SaleToResume } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const sale: SaleToResume = {
 *   input: { domain: 'brew.example', expected_price: 250_000, external_payment_ref: 'payment-1001' },
 *   idempotencyKey: 'payment-1001',
 *   startedAt: new Date('2026-11-21T08:00:00Z'),
 * };
 * console.log((await market.orders.resume(sale)).state);
 * ```
 */
export interface SaleToResume {
  /** The input of the first call, unchanged: another input is a conflict. */
  input: OrderInput;
  /** The key of the first call. */
  idempotencyKey: string;
  /** When the sale was stored or first sent: a Date, Unix milliseconds, or ISO 8601 with a zone. */
  startedAt: Date | number | string;
}

/**
 * Options of `orders.resume`.
 *
 * @example
 * ```ts
 * import type { ResumeOptions } from 'market-partner-sdk';
 *
 * const options: ResumeOptions = { requote: 'at_most_paid', deadlineMs: 60_000 };
 * console.log(options.requote);
 * ```
 */
export interface ResumeOptions extends Omit<RequestOptions, 'idempotencyKey'> {
  /**
   * `'at_most_paid'`: if the price fell or the quote expired, take a new quote and place the order at
   * its price. It is never above `expected_price`; the key is derived from the first one. It needs
   * an `external_payment_ref`. Default `'never'`.
   */
  requote?: 'never' | 'at_most_paid' | undefined;
  /** A key older than this is looked up before it is sent, in milliseconds. Default 12 hours. */
  idempotencyWindowMs?: number | undefined;
}

/**
 * What came of a sale.
 * - `placed`: the order exists.
 * - `refused`: no order exists, and the service said why. The buyer's money can go back.
 * - `open`: not known yet. Call `orders.resume` again later, with the same sale.
 * - `attention`: the sale needs manual review. `'price_unit'`: the service refuses the very price that it quotes. `candidates` may be orders of this sale, and can be empty. `error` is
 *   the service's refusal, for its support; `undefined` if only the list was read.
 *
 * @example
 * ```ts
 * import type { ResumedSale } from 'market-partner-sdk';
 *
 * const isOver = ({ state }: ResumedSale) => state === 'placed' || state === 'refused';
 * console.log(isOver({ state: 'open', error: undefined, retryAfterMs: undefined }));
 * ```
 */
export type ResumedSale =
  | { readonly state: 'placed'; readonly order: Order; readonly found: 'replayed' | 'looked_up' }
  | { readonly state: 'refused'; readonly reason: RefusalReason; readonly error: unknown }
  | { readonly state: 'open'; readonly error: unknown; readonly retryAfterMs: number | undefined }
  | {
      readonly state: 'attention';
      readonly reason: 'key_conflict' | 'ambiguous' | 'price_unit';
      readonly candidates: readonly Order[];
      readonly error: unknown;
    };

/** The parts of the client that a resume uses: public calls, a clock and a sleep. */
interface ResumeContext {
  readonly orders: SaleCalls;
  readonly engine: Pick<Engine, 'deadline' | 'limits' | 'now' | 'pathOf'>;
}

const resumeOptions = lazily(() =>
  strict({
    ...sharedFields(),
    requote: withDefault(oneOf('never', 'at_most_paid'), 'never'),
    idempotencyWindowMs: withDefault(milliseconds(), assumedIdempotencyWindowMs),
  } satisfies Fields<ResumeOptions>),
);

/** Rejects for a wrong argument only; what the calls reject with is part of the result. */
export async function resumeOrder(
  { orders, engine }: ResumeContext,
  sale: unknown,
  options: unknown,
): Promise<ResumedSale> {
  const { input, idempotencyKey, startedAt, requote, idempotencyWindowMs, call } = checkArguments(
    engine,
    sale,
    options,
  );
  const time = engine.deadline();
  const ending = new SaleEnding({
    orders,
    input,
    idempotencyKey,
    mayHaveBeenSent: true,
    call,
    lookUpDeadlineMs: call.deadlineMs ?? engine.limits.deadlineMs,
    nowMs: () => time.nowMs(),
    sleep: (ms) => time.sleep(ms, call.signal),
  });
  const isOld = isOldKey(startedAt, engine.now(), idempotencyWindowMs);
  try {
    // An earlier resume may have placed the order under a derived key: look before the first key is sent.
    const lookUpFirst = isOld || requote === 'at_most_paid';
    const verdict = await ending.place(lookUpFirst);
    return toResult(requote === 'never' ? verdict : await ending.requote(verdict));
  } catch (error) {
    return { state: 'open', error, retryAfterMs: undefined };
  }
}

function toResult(verdict: Verdict): ResumedSale {
  const { state } = verdict;
  if (state === 'placed') return { state, order: verdict.order, found: verdict.found };
  if (state === 'refused') return { state, reason: verdict.reason, error: verdict.error };
  if (state === 'open') return { state, error: verdict.error, retryAfterMs: verdict.retryAfterMs };
  return { state, reason: verdict.reason, candidates: verdict.candidates, error: verdict.error };
}

function checkArguments(engine: ResumeContext['engine'], sale: unknown, options: unknown) {
  try {
    const { requote, idempotencyWindowMs, ...call } = readRequestOptions(
      resumeOptions,
      options,
      '{ requote: "at_most_paid" }',
    );
    const given = readFields('sale', sale, 'input', 'idempotencyKey', 'startedAt');
    const input = sentInput(orderInput, given.input);
    const idempotencyKey = checkInput(idempotencyKeySchema, given.idempotencyKey, 'idempotencyKey');
    if (requote === 'at_most_paid' && input.external_payment_ref === undefined) {
      throw invalidRequest('external_payment_ref', 'is required to quote a price again');
    }
    return {
      input,
      idempotencyKey,
      startedAt: checkInput(unixMs, given.startedAt, 'startedAt'),
      requote,
      idempotencyWindowMs,
      call,
    };
  } catch (error) {
    const path = engine.pathOf(endpoints.orders.create);
    throw withCallContext({ method: 'POST', path, idempotencyKey: validKeyOf(sale) }, error);
  }
}
