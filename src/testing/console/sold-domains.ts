/** soldDomains: the domains that were sold, so that none vanishes from the list without a sign. */

import type { EmulatorView, ListingView } from './wire.js';

export interface SoldDomain {
  readonly domain: string;
  readonly price_cents: number;
  readonly currency: string;
  /** The id of the order or of the hosted checkout, and the tab that has it. */
  readonly soldAs: string;
  readonly tab: 'orders' | 'products';
}

/** Those of the sandbox with the text of the search, but for those that are for sale again. */
export function soldDomains(
  { orders, sessions }: Pick<EmulatorView, 'orders' | 'sessions'>,
  listings: readonly ListingView[],
  search: string,
): SoldDomain[] {
  const isUndone = ({ status }: EmulatorView['orders'][number]) =>
    status === 'REFUNDED' || status === 'CANCELLED';
  const sales = [
    ...orders
      .filter((order) => order.environment === 'sandbox' && !isUndone(order))
      .map(({ public_id, sale_price_cents, ...order }) => {
        return {
          ...order,
          soldAs: public_id,
          tab: 'orders' as const,
          price_cents: sale_price_cents,
        };
      }),
    ...sessions
      .filter(({ environment, is_paid }) => environment === 'sandbox' && is_paid)
      .map((session) => ({ ...session, soldAs: session.session_id, tab: 'products' as const })),
  ];
  const listed = new Set(listings.map(({ domain }) => domain));
  const text = search.trim().toLowerCase();
  return sales.filter(({ domain }) => domain.includes(text) && !listed.has(domain)).reverse();
}
