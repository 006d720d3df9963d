/** The options of `createOrderOutbox`, and their checked form. */

import type { MarketClient } from '../../client/client.js';
import type { Order } from '../../client/model/orders.js';
import { safeLogger, type Logger, type SafeLogger } from '../../logger.js';
import { idempotencyWindowMs as assumedIdempotencyWindowMs } from '../../client/sale/reach-verdict.js';
import type { DurableEngine } from '../queue/engine.js';
import { resolveTime, type Time, type TimeOptions } from '../queue/time.js';
import { DurableConfigurationError } from '../errors.js';
import {
  checkFunction,
  checkKnownOptions,
  checkName,
  checkNumber,
  checkObject,
  checkTracing,
} from '../options.js';
import type { DurableTracing } from '../tracing.js';
import type { Attention, OrderIntent, OutboxContext, Refusal } from './outbox-types.js';

/** The options of `createOrderOutbox`. */
export interface OrderOutboxOptions<Tx = never, AddTx = Tx> extends TimeOptions {
  /** Places orders and looks them up. Scope: `buy`. */
  readonly market: Pick<MarketClient, 'orders' | 'environment'>;
  /** Keeps the intents: `sqliteEngine('market.db')` on one machine. */
  readonly engine: DurableEngine<Tx, AddTx>;
  /** Receives each order that exists. At least once; with `context.commit` exactly once. */
  readonly onPlaced?:
    ((order: Order, intent: OrderIntent, context: OutboxContext<Tx>) => unknown) | undefined;
  /** Receives each intent that has no order and gets none: pay the buyer back. */
  readonly onRefused?:
    ((refusal: Refusal, intent: OrderIntent, context: OutboxContext<Tx>) => unknown) | undefined;
  /** Receives what a person must decide. */
  readonly onAttention?:
    | ((attention: Attention, intent: OrderIntent, context: OutboxContext<Tx>) => unknown)
    | undefined;
  /**
   * Intents that your database knows and the engine may have lost; read at start and every minute.
   * Each one that is added is looked up before it is sent: it may have been sent before it was lost.
   * Required where the engine cannot join your transaction.
   */
  readonly recover?: (() => AsyncIterable<OrderIntent> | Iterable<OrderIntent>) | undefined;
  /** Orders that are placed at once; one of a domain. Default: 4. */
  readonly concurrency?: number | undefined;
  /** An intent without a verdict is a person's after so many milliseconds. Default: 24 hours. */
  readonly escalateAfterMs?: number | undefined;
  /** An older key is looked up before it is sent again, in milliseconds. Default: 12 hours. */
  readonly idempotencyWindowMs?: number | undefined;
  /** Tells outboxes on one engine apart. Default: `'default'`. */
  readonly name?: string | undefined;
  /** How long orders of a process that died wait for another, in milliseconds. Default: 30,000. */
  readonly leaseMs?: number | undefined;
  readonly logger?: Logger | undefined;
  /** A span for each attempt to place an order, linked to the span that added it. */
  readonly tracing?: DurableTracing | undefined;
  /** A number from 0 up to 1, for jitter; for tests. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

export interface OutboxSettings<Tx, AddTx> {
  readonly options: OrderOutboxOptions<Tx, AddTx>;
  readonly name: string;
  readonly queueName: string;
  readonly concurrency: number;
  readonly escalateAfterMs: number;
  readonly idempotencyWindowMs: number;
  readonly leaseMs: number;
  readonly time: Time;
  readonly random: () => number;
  readonly logger: SafeLogger;
}

const known: Readonly<Record<keyof OrderOutboxOptions, true>> = {
  ...{ market: true, engine: true, onPlaced: true, onRefused: true, onAttention: true },
  ...{
    recover: true,
    concurrency: true,
    escalateAfterMs: true,
    idempotencyWindowMs: true,
    name: true,
  },
  ...{ leaseMs: true, logger: true, tracing: true, random: true, clock: true, sleep: true },
};

const hourMs = 3_600_000;

/** @throws {@link DurableConfigurationError} */
export function resolveOutboxOptions<Tx, AddTx>(
  options: OrderOutboxOptions<Tx, AddTx>,
): OutboxSettings<Tx, AddTx> {
  checkKnownOptions(options, Object.keys(known));
  checkObject(options.market, 'market', ['orders.create', 'orders.list', 'orders.get']);
  checkObject(options.engine, 'engine', ['open']);
  checkTracing(options.tracing);
  for (const name of ['onPlaced', 'onRefused', 'onAttention', 'recover'] as const) {
    checkFunction(options[name], name);
  }
  const { name = 'default', concurrency = 4 } = options;
  const { escalateAfterMs = 24 * hourMs, idempotencyWindowMs = assumedIdempotencyWindowMs } =
    options;
  const { leaseMs = 30_000 } = options;
  checkName(name);
  checkNumber(leaseMs, 'leaseMs', 1_000);
  for (const [option, value] of Object.entries({
    concurrency,
    escalateAfterMs,
    idempotencyWindowMs,
  })) {
    checkNumber(value, option, 1);
  }
  const { name: engineName, traits } = options.engine;
  const mayLoseIntents = !traits.transactions && traits.survives !== 'nothing';
  if (mayLoseIntents && options.recover === undefined) {
    throw new DurableConfigurationError(
      `"recover" is required on ${engineName}: it cannot join your payment's transaction, so your payments are the intents.`,
    );
  }
  return {
    ...{ options, name, concurrency, escalateAfterMs, idempotencyWindowMs, leaseMs },
    queueName: `market-${name}-${options.market.environment ?? 'any'}`,
    time: resolveTime(options),
    random: options.random ?? Math.random,
    logger: safeLogger(options.logger),
  };
}
