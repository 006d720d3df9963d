/** `totalsAs`, `balanceAs`: the sums beside a list, which are no records of it, in the form of this package's types. */

import { defaultPlaces, findSiblingField } from '../assumptions.js';
import { isRecord } from '../../core/json.js';
import type { Profile } from './profile.js';
import { amountsOf, placeOf, toMinorUnits, toOurs } from './to-ours.js';

type Fields = Record<string, unknown>;

/** @param totals - of one currency, or of several under `by_currency` */
export function totalsAs(profile: Profile, totals: Readonly<Fields>, body: unknown): Fields {
  const ours = toOurs(profile, 'totals', totals, { body, nowMs: 0 });
  const { by_currency: several } = ours;
  if (!Array.isArray(several)) return ours;
  const each = several.map((one) =>
    isRecord(one) ? totalsAs(profile, one, body) : (one as unknown),
  );
  return { ...ours, by_currency: each };
}

/**
 * The running balance in minor units, whole numbers only as far as it is stated. In major units it needs a currency:
 * the one beside it, or the one that all commissions of the page have.
 */
export function balanceAs(
  profile: Profile,
  body: unknown,
  commissions: readonly { readonly currency?: unknown }[],
): unknown {
  const name = placeOf(profile, 'commission', 'running_balance_cents', 'amount');
  const names = typeof name === 'string' ? [name] : defaultPlaces.lists.runningBalance;
  const stated = findSiblingField(body, names) ?? undefined;
  const form = amountsOf(profile, 'commission');
  if (stated === undefined || form === undefined) return stated;
  const currencies = new Set(commissions.map((each) => each.currency));
  const [common] = currencies.size === 1 ? currencies : [];
  const currency = findSiblingField(body, ['currency']) ?? common;
  const isUnknown = currency === undefined && form.unit === 'major' && form.form !== 'object';
  return isUnknown ? undefined : toMinorUnits(form, 'running_balance_cents', stated, { currency });
}
