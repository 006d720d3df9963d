/** The parsers of values on the command line: commander puts the option's name before what they throw. */

import { InvalidArgumentError } from 'commander';
import { intendedName } from '../core/field-names.js';
import { toMilliseconds, type Duration } from '../testing/values.js';
import { messageOf, UsageError } from './terminal.js';
import { parseUrl } from '../core/parse-url.js';

export function wholeNumber(least = 0, most = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    const range =
      most === Number.MAX_SAFE_INTEGER ? `from ${least} up` : `from ${least} to ${most}`;
    throw new InvalidArgumentError(`It must be a whole number ${range}.`);
  };
}

/** Money in minor units. */
export const cents = wholeNumber(0, 999_999_999_999_999);

/** A number above zero. */
export function positiveNumber(text: string): number {
  if (Number(text) > 0 && Number.isFinite(Number(text))) return Number(text);
  throw new InvalidArgumentError('It must be a number above 0.');
}

/** A length of time such as `11 minutes`; digits alone are milliseconds. */
export function durationOf(text: string): Duration {
  return /^\d+$/.test(text) ? Number(text) : (text as Duration);
}

/** As {@link durationOf}, in milliseconds. */
export function duration(text: string): number {
  try {
    return toMilliseconds(durationOf(text));
  } catch (error) {
    throw new InvalidArgumentError(`${messageOf(error)}.`);
  }
}

/** Names with commas between them. The option may be repeated. */
export function namesOf(known: readonly string[]) {
  return (text: string, earlier: readonly string[] = []): readonly string[] => {
    const names = text.split(',').map((name) => name.trim());
    const unknown = names.find((name) => name !== '' && !known.includes(name));
    if (unknown === undefined) return [...earlier, ...names.filter((name) => name !== '')];
    throw new InvalidArgumentError(unknownName(unknown, known));
  };
}

/** For an option without a default. commander would miss it before it finds that its name was misspelled. */
export function required(option: string, value: string | undefined): string {
  if (value !== undefined) return value;
  throw new UsageError(`"${option}" must be given`);
}

/** What was meant, or what there is. */
export function unknownName(name: string, known: readonly string[]): string {
  const intended = intendedName(name, known);
  const hint =
    intended === undefined ? `There are ${known.join(', ')}.` : `Did you mean ${intended}?`;
  return `There is no ${name}. ${hint}`;
}

export function httpAddress(text: string): string {
  // "localhost:4010" is a valid URL too: its scheme is "localhost".
  if (/^https?:$/.test(parseUrl(text)?.protocol ?? '')) return text;
  throw new InvalidArgumentError(
    'It must be an http or https address, such as http://127.0.0.1:4010.',
  );
}

export function notBlank(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}
