/** The documented event types as values. events.ts has types only, and is exported as a whole. */

import type { MarketEventType } from './events.js';

const documented = {
  'order.recorded': true,
  'order.manual_review_cleared': true,
  'order.transfer_started': true,
  'order.transfer_completed': true,
  'order.settled': true,
  'order.refunded': true,
  'brokerage.case_completed': true,
} satisfies Record<MarketEventType, true>;

/** The event types that the specification documents (part 6), in its order. */
export const eventTypes = Object.keys(documented) as readonly MarketEventType[];

export function isDocumentedType(type: string): type is MarketEventType {
  return Object.hasOwn(documented, type);
}
