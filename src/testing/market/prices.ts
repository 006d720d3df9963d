/** Prices and commissions. */

import { ServiceError } from '../service-error.js';

/** Share of a sale that the partner keeps, in percent. The specification names no figure. */
const commissionPercent = 15;

/** 422 price_mismatch if the partner expects another price, or a price in another currency. */
export function checkPrice(
  price: { readonly price_cents: number; readonly currency: string },
  expected: {
    readonly expected_price?: number | undefined;
    readonly currency?: string | undefined;
  },
  nameOfPrice: string,
): void {
  if (expected.currency !== undefined && expected.currency !== price.currency) {
    throw new ServiceError(
      'price_mismatch',
      `The currency ${expected.currency} is not that of ${nameOfPrice}, ${price.currency}.`,
    );
  }
  if (expected.expected_price !== undefined && expected.expected_price !== price.price_cents) {
    throw new ServiceError(
      'price_mismatch',
      `The expected price ${expected.expected_price} is not ${nameOfPrice}: sale_price_cents ${price.price_cents}.`,
    );
  }
}

/** The partner's commission in whole cents, rounded half up, without a float on the way. */
export function commissionOf(amountCents: number): number {
  return Number((BigInt(amountCents) * BigInt(commissionPercent) + 50n) / 100n);
}
