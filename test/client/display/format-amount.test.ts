import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalAmount, formatAmount, InvalidRequestError } from 'market-partner-sdk';
import { thrownBy } from '../../support/errors.js';

describe('decimalAmount', () => {
  it.each([
    [250_000, 'USD', '2500.00'],
    [5, 'USD', '0.05'],
    [0, 'USD', '0.00'],
    [-0, 'USD', '0.00'],
    [-5, 'EUR', '-0.05'],
    [-123_456, 'EUR', '-1234.56'],
    [250_000, 'usd', '2500.00'],
    [250_000, 'JPY', '250000'],
    [-7, 'KRW', '-7'],
    [250_000, 'KWD', '250.000'],
    [1, 'BHD', '0.001'],
    [250_000, 'CLF', '25.0000'],
    [Number.MAX_SAFE_INTEGER, 'USD', '90071992547409.91'],
  ])('writes %d %s as %s', (minor, currency, decimal) => {
    expect(decimalAmount(minor, currency)).toBe(decimal);
  });

  it.each([
    ['HUF', '2500.00'],
    ['IDR', '2500.00'],
    ['COP', '2500.00'],
    ['PKR', '2500.00'],
    ['IQD', '250.000'],
  ])('follows ISO 4217 where Intl does not: %s', (currency, decimal) => {
    expect(decimalAmount(250_000, currency)).toBe(decimal);
    const { maximumFractionDigits } = new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
    }).resolvedOptions();
    expect(decimal.split('.')[1]).not.toHaveLength(maximumFractionDigits ?? 0);
  });

  it('agrees with Intl on every currency that Intl has, but those where it departs from ISO 4217', () => {
    const departing = Intl.supportedValuesOf('currency').filter((currency) => {
      const digits = decimalAmount(0, currency).split('.')[1]?.length ?? 0;
      const format = new Intl.NumberFormat('en', { style: 'currency', currency });
      return format.resolvedOptions().maximumFractionDigits !== digits;
    });
    expect(departing).toEqual(expect.arrayContaining(['COP', 'HUF', 'IDR', 'IQD', 'PKR']));
    for (const currency of ['BHD', 'CLF', 'CLP', 'EUR', 'GBP', 'JPY', 'KWD', 'TND', 'USD', 'XOF']) {
      expect(departing).not.toContain(currency);
    }
  });

  it('loses nothing of any safe integer', () => {
    fc.assert(
      fc.property(
        fc.maxSafeInteger(),
        fc.constantFrom('USD', 'JPY', 'KWD', 'CLF'),
        (minor, code) => {
          const digits = Number(decimalAmount(minor, code).replace('.', ''));
          expect(digits + 0).toBe(minor + 0);
        },
      ),
    );
  });

  it.each<[string, unknown, unknown, string]>([
    ['a fraction', 19.99, 'USD', 'minor'],
    ['a string', '5', 'USD', 'minor'],
    ['undefined', undefined, 'USD', 'minor'],
    ['NaN', Number.NaN, 'USD', 'minor'],
    ['more than is exact', 2 ** 53, 'USD', 'minor'],
    ['a bigint', 5n, 'USD', 'minor'],
    ['no currency', 5, undefined, 'currency'],
    ['a currency of two letters', 5, 'US', 'currency'],
  ])('refuses %s', (_what, minor, currency, path) => {
    const action = () => decimalAmount(minor as number, currency as string);
    expect(thrownBy(action, InvalidRequestError).issues[0]?.path).toBe(path);
  });
});

describe('formatAmount', () => {
  it.each([
    [250_000, 'USD', 'en', '$2,500.00'],
    [250_000, 'JPY', 'en', '¥250,000'],
    [250_000, 'IDR', 'en', 'IDR 2,500.00'],
    [250_000, 'IQD', 'en', 'IQD 250.000'],
    [-5, 'usd', 'en', '-$0.05'],
    [250_000, 'EUR', 'de', '2.500,00 €'],
    [Number.MAX_SAFE_INTEGER, 'USD', 'en', '$90,071,992,547,409.91'],
  ])('writes %d %s in %s as %s', (minor, currency, locale, text) => {
    expect(formatAmount(minor, currency, locale).replace(/[\u00a0\u202f]/g, ' ')).toBe(text);
  });

  it("uses the machine's locale by default", () => {
    const { locale } = new Intl.NumberFormat().resolvedOptions();
    expect(formatAmount(5, 'USD')).toBe(formatAmount(5, 'USD', locale));
  });

  it.each([
    ['two words', 'no locale'],
    ['an empty text', ''],
    ['a megabyte', 'x'.repeat(1_048_576)],
  ])('refuses %s for a locale', (_what, locale) => {
    const error = thrownBy(() => formatAmount(5, 'USD', locale), InvalidRequestError);
    expect(error.issues[0]?.path).toBe('locale');
    expect(error.message.length).toBeLessThan(200);
  });
});
