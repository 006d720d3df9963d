/** The options of `createOrderOutbox`, and their checked form. */

import type { BooksToReconcile, ReconcileOptions } from '../../client/books/reconcile-options.js';
import type { Reconciliation } from '../../client/books/reconcile.js';
import type { Order } from '../../client/model/orders.js';
import type { Orders } from '../../client/resources/orders.js';
import type { SaleCalls } from '../../client/sale/end-sale.js';
import type { Logger } from '../../core/logger.js';
import {
  callback,
  lazily,
  oneOf,
  optional,
  strict,
  tracing,
  wholeNumber,
  withDefault,
  withMethods,
  type Fields,
} from '../../core/schema/options.js';
import { idempotencyWindowMs as assumedIdempotencyWindowMs } from '../../client/sale/reach-verdict.js';
import type { DurableEngine } from '../queue/engine.js';
import {
  environment,
  queueName,
  QueueNames,
  type EnvironmentSource,
  type QueueEnvironment,
} from '../queue/queue-names.js';
import { resolveTime, type TimeOptions } from '../../core/time/sleep.js';
import { checkDurableOptions, engine, loggerOrFalse, random, timeFields } from '../options.js';
import type { DurableTracing } from '../tracing.js';
import type { Attention, NotRefunded, PaidSale, OutboxContext, Refusal } from './outbox-types.js';

/** The methods of `market.orders` that an outbox calls: any version's client fits, because no class is named. */
export interface OutboxCalls
  extends SaleCalls, Pick<Orders, 'prepare' | 'get' | 'refund' | 'resumeRefund'> {
  reconcile(
    books: BooksToReconcile,
    options?: ReconcileOptions,
  ): Pick<Reconciliation, keyof Reconciliation>;
}

/** The options of `createOrderOutbox`. */
export interface OrderOutboxOptions<Tx = never, AddTx = Tx> extends TimeOptions {
  /** Places orders and looks them up. Scope: `buy`. */
  readonly market: { readonly orders: OutboxCalls } & EnvironmentSource;
  /** Stores the sales: `sqliteEngine('market.db')` on one server. */
  readonly engine: DurableEngine<Tx, AddTx>;
  /** Called when an order exists. At least once; with `context.commit` exactly once. */
  readonly onPlaced: (order: Order, sale: PaidSale, context: OutboxContext<Tx>) => unknown;
  /** Called when a sale has no order and will get none. Pay the buyer back. */
  readonly onRefused: (refusal: Refusal, sale: PaidSale, context: OutboxContext<Tx>) => unknown;
  /**
   * Called when a refund succeeds, after `onPlaced` of its order. Pay the buyer back. The order is as it was last read,
   * perhaps from before the refund. Required for `refund`.
   */
  readonly onRefunded?:
    ((order: Order, sale: PaidSale, context: OutboxContext<Tx>) => unknown) | undefined;
  /** Called when a refund has failed for good. The order is still valid, or there is none. Required for `refund`. */
  readonly onNotRefunded?:
    ((notRefunded: NotRefunded, sale: PaidSale, context: OutboxContext<Tx>) => unknown) | undefined;
  /** Called when a sale or a refund needs manual review. */
  readonly onAttention: (
    attention: Attention,
    sale: PaidSale,
    context: OutboxContext<Tx>,
  ) => unknown;
  /**
   * `'at_most_paid'`: when the price fell or the quote expired, take a new quote and place the order at
   * its price, never above `expected_price`. `'never'`: such a sale is refused. Default:
   * `'at_most_paid'`.
   */
  readonly requote?: 'at_most_paid' | 'never' | undefined;
  /**
   * Sales that your database has and the engine may have lost, as they were added; read at start and every minute.
   * A run that gives no row for a minute has failed. `status().recover` names the rows that could not be added.
   * Each one that is added is looked up before it is sent: it may have been sent before it was lost.
   */
  readonly recover?: (() => AsyncIterable<PaidSale> | Iterable<PaidSale>) | undefined;
  /** Orders that are placed at once; one for each domain. Default: 4. */
  readonly concurrency?: number | undefined;
  /** A sale that fails for this many milliseconds, since it was added or retried, needs manual review. Default: 24 hours. */
  readonly escalateAfterMs?: number | undefined;
  /** A key older than this is looked up before it is sent again, in milliseconds. Default: 12 hours. */
  readonly idempotencyWindowMs?: number | undefined;
  /**
   * Distinguishes outboxes on one database. Two programs or two partners need different ones: with the same, each
   * places the other's sales on its own account. Default: `'default'`.
   */
  readonly name?: string | undefined;
  /**
   * The environment that the names of the queues hold: it must be the credential's. Default: what the
   * key id of the credential says; required if that says nothing, as with `credentials`. `'any'`:
   * one queue for every environment. Drain the outbox before you change it.
   */
  readonly environment?: QueueEnvironment | undefined;
  /** How long the orders of a process that died wait until another takes them, in milliseconds. Default: 30,000. */
  readonly leaseMs?: number | undefined;
  /** Default: `warn` and `error` go to the console. `false`: nothing is logged. */
  readonly logger?: Logger | false | undefined;
  /** A span for each attempt to place an order, linked to the span that added it. */
  readonly tracing?: DurableTracing | undefined;
  /** A number from 0 up to 1, for jitter. Not `() => 0` as in the client: retries would not wait. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

const hourMs = 3_600_000;

const schemaOf = <Tx, AddTx>() => {
  type Options = OrderOutboxOptions<Tx, AddTx>;
  const calls = ['create', 'prepare', 'quote', 'list', 'get'].map((name) => `orders.${name}`);
  return strict({
    market: withMethods<Options['market']>(...calls),
    engine: engine<Tx, AddTx>(),
    // A result without a callback would be a sale that no one hears of.
    onPlaced: callback<Options['onPlaced']>(),
    onRefused: callback<Options['onRefused']>(),
    onRefunded: optional(callback<Options['onRefunded']>()),
    onNotRefunded: optional(callback<Options['onNotRefunded']>()),
    onAttention: callback<Options['onAttention']>(),
    requote: withDefault(oneOf('at_most_paid', 'never'), 'at_most_paid'),
    recover: optional(callback<Options['recover']>()),
    concurrency: withDefault(wholeNumber(1), 4),
    escalateAfterMs: withDefault(wholeNumber(1), 24 * hourMs),
    idempotencyWindowMs: withDefault(wholeNumber(1), assumedIdempotencyWindowMs),
    name: queueName(),
    environment: optional(environment()),
    leaseMs: withDefault(wholeNumber(1_000), 30_000),
    logger: loggerOrFalse(),
    tracing: optional(tracing<NonNullable<Options['tracing']>>()),
    random: random(),
    ...timeFields(),
  } satisfies Fields<Options>);
};

/** One for all transactions, which are types alone. */
const outboxSchema = lazily(schemaOf<unknown, unknown>) as typeof schemaOf;

export type OutboxSettings<Tx, AddTx> = ReturnType<typeof resolveOutboxOptions<Tx, AddTx>>;

/** @throws {@link DurableConfigurationError} */
export function resolveOutboxOptions<Tx, AddTx>(given: OrderOutboxOptions<Tx, AddTx>) {
  const options = checkDurableOptions(outboxSchema<Tx, AddTx>, given);
  const time = resolveTime(options);
  return { ...options, time, queues: new QueueNames({ ...options, time }) };
}
