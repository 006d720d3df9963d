/** `wireBody`, `wireQuery`: a checked input under our names, as the service's profile has it. */

import { minorUnitDigits } from '../display/minor-units.js';
import { isRecord } from '../../core/json.js';
import { currencyOf, fromMinor } from './decimal.js';
import { readAt, writeAt } from './places.js';
import type { InputName, Profile } from './profile.js';
import { camelCase } from './spelling.js';

const dayMs = 86_400_000;

/**
 * @param source - what `copy` reads besides the input: the order of a refund, the sale of a quote
 */
export function wireBody(
  profile: Profile,
  name: InputName,
  input: Readonly<Record<string, unknown>>,
  source?: unknown,
): Record<string, unknown> {
  const { fields = {}, add = {}, omit = [], copy = {}, words = {} } = profile.inputs?.[name] ?? {};
  const sent: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(input)) {
    if (value === undefined || omit.includes(field)) continue;
    const theirs = Object.hasOwn(fields, field) ? fields[field] : undefined;
    const place = theirs ?? (profile.naming?.case === 'camel' ? camelCase(field) : field);
    const word = wordFor(words[field], value);
    writeAt(sent, theirs === undefined ? [place] : place, wireValue(profile, field, word, input));
  }
  for (const [theirs, place] of Object.entries(copy)) {
    const value = readAt(input, place) ?? readAt(source, place);
    if (value !== undefined && value !== null) writeAt(sent, theirs, value);
  }
  for (const [theirs, value] of Object.entries(add)) writeAt(sent, [theirs], value);
  return sent;
}

function wordFor(words: Readonly<Record<string, string>> | undefined, value: unknown): unknown {
  if (words === undefined || typeof value !== 'string') return value;
  if (Object.hasOwn(words, value)) return words[value];
  return words['*'] ?? value;
}

function wireValue(
  { amounts }: Profile,
  field: string,
  value: unknown,
  input: Readonly<Record<string, unknown>>,
): unknown {
  if (field !== 'expected_price' || amounts?.sent !== 'major' || typeof value !== 'number') {
    return value;
  }
  const decimal = fromMinor(value, minorUnitDigits(currencyOf(input)));
  return amounts.form === 'text' ? decimal : Number(decimal);
}

/** @param pairs - the pairs of a checked query of a list or a report, but for those of GET /transactions and GET /events */
export function wireQuery(
  { filters = {}, paging }: Profile,
  pairs: readonly (readonly [string, string])[],
): readonly (readonly [string, string])[] {
  return pairs.map(([name, value]) => {
    if (name === 'from') return [filters.from ?? 'from', wireDate(filters.form, value, Math.floor)];
    if (name === 'to') return [filters.to ?? 'to', wireDate(filters.form, value, Math.ceil)];
    if (name === 'limit' && paging?.size !== undefined) return [paging.size, value];
    return [name, value];
  });
}

/** Rounded outward: an order at the edge must not be left out. */
function wireDate(
  form: 'iso' | 'day' | 'seconds' | undefined,
  value: string,
  round: (fraction: number) => number,
): string {
  const ms = Date.parse(value);
  if (form === undefined || form === 'iso' || Number.isNaN(ms)) return value;
  if (form === 'seconds') return String(round(ms / 1_000));
  return new Date(round(ms / dayMs) * dayMs).toISOString().slice(0, 10);
}

/** The name of an input in a profile, by the call that sends it. */
export const inputByCall: Readonly<Partial<Record<string, InputName>>> = {
  'orders.quote': 'quote',
  'orders.create': 'order',
  'orders.refund': 'refund',
  'checkout.createSession': 'checkout',
  'brokerage.openCase': 'case',
  'referral.createLink': 'link',
};

/** By the input as it was given: the sale of a quote, the order of a refund. */
const sources = new WeakMap<object, unknown>();

/** Lets "copy" of the profile read `source`, too, when the input is sent. */
export function withSource<T extends object>(input: T, source: unknown): T {
  sources.set(input, source);
  return input;
}

/**
 * What a call sends as its body. A call whose input is documented whole sends it as it is.
 *
 * @param given - the input before it was checked
 */
export function wireInput(
  profile: Profile | undefined,
  call: string,
  input: unknown,
  given?: unknown,
): unknown {
  const name = inputByCall[call];
  if (profile === undefined || name === undefined || !isRecord(input)) return input;
  return wireBody(profile, name, input, isRecord(given) ? sources.get(given) : undefined);
}
