/** The end of a wait that can no longer succeed. */

import type { OrderDetail } from '../model/index.js';
import { assignFacts, brandAs, MarketError } from './market-error.js';

/**
 * `orders.waitFor` saw the order end in a state that no further move follows, and it is not the
 * one that was waited for: refunded or cancelled, say. `order` is the order as last read.
 */
export class OrderNotReachedError extends MarketError {
  /** The order as last read. */
  declare readonly order: OrderDetail;

  static {
    brandAs(this, 'OrderNotReachedError');
  }

  constructor(message: string, facts: { order: OrderDetail }) {
    super(message);
    assignFacts(this, facts);
  }
}
