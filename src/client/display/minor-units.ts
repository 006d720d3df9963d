/** minorUnitDigits: how many decimal digits the minor unit of a currency has. */

/**
 * The currencies of ISO 4217 (list one, 2026) whose minor unit is not a hundredth. `Intl` is no
 * source: it follows daily use, and has 0 digits for HUF, IDR, COP, PKR and IQD.
 */
const digitsByCurrency = new Map([
  ...currencies(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...currencies(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...currencies(4, 'CLF UYW'),
]);

/** @param currency - three letters in upper case */
export function minorUnitDigits(currency: string): number {
  return digitsByCurrency.get(currency) ?? 2;
}

function currencies(digits: number, codes: string): [string, number][] {
  return codes.split(' ').map((code) => [code, digits]);
}
