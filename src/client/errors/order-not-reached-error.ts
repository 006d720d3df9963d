/** The end of a wait that can no longer succeed. */

import { brandClass, setFacts } from '../../core/errors/package-error.js';
import type { OrderDetail } from '../model/index.js';
import { MarketError, type CallFacts } from './market-error.js';

/**
 * `orders.waitFor` saw the order end in another final status than the one it waited for: the order
 * was refunded or cancelled, for example. `order` is the order as last read.
 *
 * @example
 * ```ts
 * import { MarketClient, OrderNotReachedError } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * try {
 *   await market.orders.waitFor('ord_1001', { until: 'TRANSFER_COMPLETED' });
 * } catch (error) {
 *   if (!(error instanceof OrderNotReachedError)) throw error;
 *   console.log(error.order.public_id, 'ended as', error.order.status);
 * }
 * ```
 */
export class OrderNotReachedError extends MarketError {
  /** The order as last read. */
  declare readonly order: OrderDetail;

  static {
    brandClass(this, 'OrderNotReachedError');
  }

  constructor(message: string, facts: { order: OrderDetail } & CallFacts) {
    super(message);
    setFacts(this, facts);
  }
}
