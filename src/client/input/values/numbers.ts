/** Schemas of money, budgets and page lengths. */

import { describeValue, expectedMessage } from '../describe-value.js';
import { validated } from '../lazy-schema.js';

/** Money in minor currency units (specification, part 2). A fraction is refused. */
export const money = validated<number>((value) => {
  const what = 'a whole number of minor units (cents) above zero';
  return numberViolation(what, value) ?? wholeViolation(what, value as number);
});

/** A buyer's budget. Its unit is not shown in the specification, so a fraction is accepted. */
export const budget = validated<number>((value) => {
  const what = 'a finite number above zero';
  return numberViolation(what, value) ?? finiteViolation(what, value as number);
});

/** Records on a page. The service's own bounds are not shown (specification, part 8). */
export const pageLimit = validated<number>((value) => {
  const what = 'a whole number from 1 up';
  return numberViolation(what, value) ?? wholeViolation(what, value as number);
});

function numberViolation(what: string, value: unknown): string | undefined {
  if (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))) {
    return `must be a number, not a string; received ${describeValue(value)}`;
  }
  if (typeof value === 'bigint')
    return `must be a number, not a bigint; received ${describeValue(value)}`;
  return typeof value === 'number' ? undefined : expectedMessage(what, value);
}

function wholeViolation(what: string, value: number): string | undefined {
  if (!Number.isInteger(value) || value < 1) return expectedMessage(what, value);
  return Number.isSafeInteger(value)
    ? undefined
    : `must be at most ${Number.MAX_SAFE_INTEGER} (Number.MAX_SAFE_INTEGER); received ${describeValue(value)}`;
}

function finiteViolation(what: string, value: number): string | undefined {
  return Number.isFinite(value) && value > 0 ? undefined : expectedMessage(what, value);
}
