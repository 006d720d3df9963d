/** The options of `createOrderOutbox`, and their checked form. */

import type { BooksToReconcile, ReconcileOptions } from '../../client/books/reconcile-options.js';
import type { Reconciliation } from '../../client/books/reconcile.js';
import type { Order } from '../../client/model/orders.js';
import type { Orders } from '../../client/resources/orders.js';
import type { SaleCalls } from '../../client/sale/end-sale.js';
import type { Logger, SafeLogger } from '../../logger.js';
import {
  callback,
  oneOf,
  required,
  tracingLike,
  wholeNumber,
  withMethods,
  type OptionTable,
} from '../../options.js';
import { idempotencyWindowMs as assumedIdempotencyWindowMs } from '../../client/sale/reach-verdict.js';
import { queueEngine, type DurableEngine, type QueueEngine } from '../queue/engine.js';
import {
  environmentCheck,
  nameCheck,
  QueueNames,
  type EnvironmentSource,
  type QueueEnvironment,
} from '../queue/queue-names.js';
import { resolveTime, type Time, type TimeOptions } from '../../time/sleep.js';
import { checkDurableOptions, invalidOption, loggerCheck, resolveLogger } from '../options.js';
import type { DurableTracing } from '../tracing.js';
import type {
  Attention,
  NotRefunded,
  OrderIntent,
  OutboxContext,
  Refusal,
} from './outbox-types.js';

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
  /** Stores the intents: `sqliteEngine('market.db')` on one machine. */
  readonly engine: DurableEngine<Tx, AddTx>;
  /** Receives each order that exists. At least once; with `context.commit` exactly once. */
  readonly onPlaced: (order: Order, intent: OrderIntent, context: OutboxContext<Tx>) => unknown;
  /** Receives each intent that has no order and gets none: pay the buyer back. */
  readonly onRefused: (
    refusal: Refusal,
    intent: OrderIntent,
    context: OutboxContext<Tx>,
  ) => unknown;
  /**
   * Receives each order that `refund` was called for and that is refunded, after its `onPlaced`: pay the buyer back. The order is
   * as it was last read, perhaps from before the refund. Required for `refund`.
   */
  readonly onRefunded?:
    ((order: Order, intent: OrderIntent, context: OutboxContext<Tx>) => unknown) | undefined;
  /** Receives each refund that was not done, and is not: the order stands, or there is none. Required for `refund`. */
  readonly onNotRefunded?:
    | ((notRefunded: NotRefunded, intent: OrderIntent, context: OutboxContext<Tx>) => unknown)
    | undefined;
  /** Receives what an operator must decide. */
  readonly onAttention: (
    attention: Attention,
    intent: OrderIntent,
    context: OutboxContext<Tx>,
  ) => unknown;
  /**
   * `'at_most_paid'`: when the price fell or the quote expired, take a new quote and place the order at
   * its price, never above `expected_price`. `'never'`: such a sale is refused. Default:
   * `'at_most_paid'`.
   */
  readonly requote?: 'at_most_paid' | 'never' | undefined;
  /**
   * Intents that your database has and the engine may have lost; read at start and every minute.
   * Each one that is added is looked up before it is sent: it may have been sent before it was lost.
   * Required if the engine cannot join your transaction.
   */
  readonly recover?: (() => AsyncIterable<OrderIntent> | Iterable<OrderIntent>) | undefined;
  /** Orders that are placed at once; one for each domain. Default: 4. */
  readonly concurrency?: number | undefined;
  /** An intent without a verdict needs an operator after this many milliseconds. Default: 24 hours. */
  readonly escalateAfterMs?: number | undefined;
  /** A key older than this is looked up before it is sent again, in milliseconds. Default: 12 hours. */
  readonly idempotencyWindowMs?: number | undefined;
  /** Distinguishes outboxes on one engine. Default: `'default'`. */
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
  /** A number from 0 up to 1, for jitter; for tests. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

export interface OutboxSettings<Tx, AddTx> {
  readonly options: OrderOutboxOptions<Tx, AddTx>;
  readonly engine: QueueEngine<Tx, AddTx>;
  readonly name: string;
  readonly requote: 'at_most_paid' | 'never';
  readonly queues: QueueNames;
  readonly concurrency: number;
  readonly escalateAfterMs: number;
  readonly idempotencyWindowMs: number;
  readonly leaseMs: number;
  readonly time: Time;
  readonly random: () => number;
  readonly logger: SafeLogger;
}

const marketMethods = ['create', 'prepare', 'quote', 'list', 'get'].map((name) => `orders.${name}`);

const table: OptionTable<OrderOutboxOptions> = {
  market: required(withMethods(...marketMethods)),
  engine: required(withMethods('open', 'listQueues')),
  // A verdict without a callback would be a sale that no one hears of.
  onPlaced: required(callback),
  onRefused: required(callback),
  onRefunded: callback,
  onNotRefunded: callback,
  onAttention: required(callback),
  requote: oneOf('at_most_paid', 'never'),
  recover: callback,
  concurrency: wholeNumber(1),
  escalateAfterMs: wholeNumber(1),
  idempotencyWindowMs: wholeNumber(1),
  name: nameCheck,
  environment: environmentCheck,
  leaseMs: wholeNumber(1_000),
  logger: loggerCheck,
  tracing: tracingLike,
  random: callback,
  clock: callback,
  sleep: callback,
};

const hourMs = 3_600_000;

/** @throws {@link DurableConfigurationError} */
export function resolveOutboxOptions<Tx, AddTx>(
  passed: OrderOutboxOptions<Tx, AddTx>,
): OutboxSettings<Tx, AddTx> {
  const options = checkDurableOptions(table, passed);
  const {
    name = 'default',
    requote = 'at_most_paid',
    concurrency = 4,
    escalateAfterMs = 24 * hourMs,
    idempotencyWindowMs = assumedIdempotencyWindowMs,
    leaseMs = 30_000,
  } = options;
  const engine = queueEngine(options.engine);
  checkRecover(engine, options.recover);
  const { market, environment } = options;
  const time = resolveTime(options);
  return {
    options,
    engine,
    name,
    requote,
    concurrency,
    escalateAfterMs,
    idempotencyWindowMs,
    leaseMs,
    queues: new QueueNames({ market, name, environment, time }),
    time,
    random: options.random ?? (() => Math.random()),
    logger: resolveLogger(options.logger),
  };
}

function checkRecover(
  { name, traits }: Pick<QueueEngine, 'name' | 'traits'>,
  recover: unknown,
): void {
  const mayLoseIntents = !traits.transactions && traits.survives !== 'nothing';
  if (!mayLoseIntents || recover !== undefined) return;
  throw invalidOption(
    'recover',
    `is required on ${name}: it cannot join your payment's transaction, so your payments are the intents`,
  );
}
