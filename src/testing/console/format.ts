/** Times, durations and prices as the page writes them. */

import { minorUnitDigits } from '../../client/display/minor-units.js';

/** `10:00:00.000`, in UTC as in the log of the command. */
export function formatTime(time: number | string): string {
  return new Date(time).toISOString().slice(11, 23);
}

/** `2026-11-19 10:00:00`, in UTC. */
export function formatDateTime(time: number | string): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ');
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** The two largest units: `9 min 58 s`. What is left counts down to `0 s`. */
export function formatDuration(milliseconds: number): string {
  let rest = Math.ceil(milliseconds / 1000) * 1000;
  const parts: string[] = [];
  for (const [unit, length] of units) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0) parts.push(`${count} ${unit}`);
    else if (parts.length > 0) break;
  }
  return parts.slice(0, 2).join(' ') || '0 s';
}

/** `2,500.00 USD`. */
export function formatPrice(cents: number, currency: string): string {
  const digits = minorUnitDigits(currency);
  const amount = (cents / 10 ** digits).toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return `${amount} ${currency}`;
}

/** JSON with line breaks; other text as it is. */
export function formatBody(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
