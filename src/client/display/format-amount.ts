/** formatAmount and decimalAmount: amounts in minor units, for people and for other programs. */

import * as z from 'zod/mini';
import { invalidRequest } from '../errors/invalid-request-error.js';
import { lazily, ruled } from '../../core/schema/must.js';
import { checkInput, currency as currencySchema } from '../input/index.js';
import { minorUnitDigits } from './minor-units.js';

/**
 * Writes an amount as people of a locale do. Unlike `Intl.NumberFormat`, it knows how many digits the
 * minor unit has by ISO 4217: an IDR price of 250000 is 2,500.00 and not 250,000.
 *
 * @param minor - a whole number of minor units; it may be negative
 * @param currency - three letters, such as `USD`, in any case
 * @param locale - a BCP 47 tag, such as `en` or `de-CH`; default: the machine's
 * @throws {@link InvalidRequestError} when `minor` is not a safe integer, or `currency` or `locale`
 * is not a code of its kind.
 * @see specification, part 2: prices are in minor currency units
 *
 * @example
 * ```ts
 * import { formatAmount } from 'market-partner-sdk';
 *
 * console.log(formatAmount(250_000, 'USD', 'en')); // $2,500.00
 * console.log(formatAmount(250_000, 'JPY', 'en')); // ¥250,000
 * ```
 */
export function formatAmount(minor: number, currency: string, locale?: string): string {
  const code = checkInput(currencySchema, currency, 'currency');
  const digits = minorUnitDigits(code);
  // A string is exact; a number would lose cents above 2^53 / 100.
  return numberFormat(code, digits, locale).format(decimal(minor, digits) as `${number}`);
}

/**
 * Writes an amount in major units as a decimal string, such as `2500.00`: for payment providers, CSV
 * files and databases. The digits after the point are those of ISO 4217; a float is never involved.
 *
 * @param minor - a whole number of minor units; it may be negative
 * @param currency - three letters, such as `USD`, in any case
 * @throws {@link InvalidRequestError} when `minor` is not a safe integer, or `currency` is not a currency code.
 * @see specification, part 2: prices are in minor currency units
 *
 * @example
 * ```ts
 * import { decimalAmount } from 'market-partner-sdk';
 *
 * console.log(decimalAmount(250_000, 'USD')); // 2500.00
 * console.log(decimalAmount(250_000, 'KWD')); // 250.000
 * ```
 */
export function decimalAmount(minor: number, currency: string): string {
  return decimal(minor, minorUnitDigits(checkInput(currencySchema, currency, 'currency')));
}

const minorUnits = lazily(() =>
  z.int(ruled('must be a whole number of minor units, such as 250_000 for $2,500.00')),
);

function decimal(minor: number, digits: number): string {
  checkInput(minorUnits, minor, 'minor');
  const text = String(Math.abs(minor)).padStart(digits + 1, '0');
  const point = text.length - digits;
  const sign = minor < 0 ? '-' : '';
  return sign + text.slice(0, point) + (digits === 0 ? '' : `.${text.slice(point)}`);
}

function numberFormat(currency: string, digits: number, locale: string | undefined) {
  try {
    return new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
  } catch {
    throw invalidRequest('locale', 'must be a BCP 47 language tag, such as "en" or "de-CH"');
  }
}
