/** `toMinor`, `fromMinor`: amounts between a service's decimals and whole numbers of minor units, as text, never by float. */

/** Whole minor units of a decimal text; `undefined` if it is none, or has more digits than the currency. */
export function toMinor(decimal: string, digits: number): number | undefined {
  const parts = /^(-?)(\d{1,15})(?:\.(\d{1,15}))?$/.exec(decimal);
  if (parts === null) return undefined;
  const [, sign = '', whole = '', fraction = ''] = parts;
  if (/[1-9]/.test(fraction.slice(digits))) return undefined;
  const minor = Number(sign + whole + fraction.slice(0, digits).padEnd(digits, '0'));
  return Number.isSafeInteger(minor) ? minor : undefined;
}

/** `2500.50` of 250050 with two digits. */
export function fromMinor(minor: number, digits: number): string {
  const text = String(Math.abs(minor)).padStart(digits + 1, '0');
  const at = text.length - digits;
  const sign = minor < 0 ? '-' : '';
  return digits === 0 ? sign + text : `${sign}${text.slice(0, at)}.${text.slice(at)}`;
}

/** USD where none is stated, as in the examples of the specification. */
export function currencyOf({ currency }: { readonly currency?: unknown }): string {
  return typeof currency === 'string' ? currency.toUpperCase() : 'USD';
}
