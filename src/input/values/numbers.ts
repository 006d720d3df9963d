/** Checks of numbers: money, budgets, page lengths. */

import { expected, given } from '../given.js';
import { rule } from '../rule.js';

/** Money in minor currency units (specification, part 2). There is no way for a fraction to get in. */
export const money = rule<number>((value) => {
  const what = 'a whole number of minor units (cents) above zero';
  return numberFault(what, value) ?? wholeFault(what, value as number);
});

/** A buyer's budget. Its unit is not shown in the specification, so a fraction is let through. */
export const budget = rule<number>((value) => {
  const what = 'a finite number above zero';
  return numberFault(what, value) ?? finiteFault(what, value as number);
});

/** Records on a page. The service's own bounds are not shown (specification, part 8). */
export const pageLimit = rule<number>((value) => {
  const what = 'a whole number from 1 up';
  return numberFault(what, value) ?? wholeFault(what, value as number);
});

function numberFault(what: string, value: unknown): string | undefined {
  if (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))) {
    return `must be a number, not a string; ${given(value)} was given`;
  }
  if (typeof value === 'bigint') return `must be a number, not a bigint; ${given(value)} was given`;
  return typeof value === 'number' ? undefined : expected(what, value);
}

function wholeFault(what: string, value: number): string | undefined {
  if (!Number.isInteger(value) || value < 1) return expected(what, value);
  return Number.isSafeInteger(value)
    ? undefined
    : `must be at most ${Number.MAX_SAFE_INTEGER}, beyond which numbers are not exact; ${given(value)} was given`;
}

function finiteFault(what: string, value: number): string | undefined {
  return Number.isFinite(value) && value > 0 ? undefined : expected(what, value);
}
