/** `toOurs`: a record as the service sends it, with the names and forms of this package's types. */

import { minorUnitDigits } from '../display/minor-units.js';
import { fieldsOf, type KnownKind, type RecordName } from '../record-fields.js';
import { isRecord } from '../../core/json.js';
import { currencyOf, toMinor } from './decimal.js';
import { readAt } from './places.js';
import type { AmountProfile, FieldPlace, Place, Profile } from './profile.js';
import { camelCase } from './spelling.js';

/** What a translation needs besides the record. */
export interface Received {
  /** The body that the record is in, as received. */
  readonly body: unknown;
  /** When it came, in Unix milliseconds: for dates that are seconds from then on. */
  readonly nowMs: number;
}

/** A response that contradicts a profile. Its message completes "a record whose ...". */
export class ProfileContradiction extends Error {
  constructor(
    /** The key that does not hold: `fields.order.public_id`. */
    readonly key: string,
    message: string,
  ) {
    super(message);
  }

  /** Completes "JSON that ...". */
  get what(): string {
    return `contradicts "${this.key}" of the profile: ${this.message}`;
  }
}

/** The id of a record that stands beside it, which the reader of its place adds. */
export const idBeside = Symbol('the id beside a record');

/** Whose `status` is an order's. A statement, a refund, a case or a commission has words of its own. */
export const withOrderStatus: ReadonlySet<RecordName> = new Set(['order', 'detail', 'transaction']);

/** Records whose status a profile mapped: it says that an order has ended, and never that a refund was done. */
const withMappedStatus = new WeakSet<object>();

export function hasMappedStatus(record: unknown): boolean {
  return isRecord(record) && withMappedStatus.has(record);
}

type Fields = Record<string, unknown>;

/**
 * A copy of the record under our names. What the profile does not name passes through.
 *
 * @throws {@link ProfileContradiction} where a key of the profile does not hold.
 */
export function toOurs(
  profile: Profile,
  kind: RecordName,
  record: Readonly<Fields>,
  received: Received,
): Fields {
  const ours: Fields = { ...record };
  const kinds = Object.entries(fieldsOf(kind));
  for (const [field, valueKind] of kinds) {
    const place = placeOf(profile, kind, field, valueKind);
    if (place !== undefined) readField(ours, record, kind, field, place, received);
  }
  const beside = (record as { readonly [idBeside]?: unknown })[idBeside];
  const ownId = ownIds[kind];
  if (beside !== undefined && ownId !== undefined) ours[ownId] = beside;
  if (withOrderStatus.has(kind)) translateStatus(profile, ours);
  for (const [field, valueKind] of kinds) translateValue(profile, kind, ours, field, valueKind);
  if (Array.isArray(ours.timeline)) ours.timeline = toOurTimeline(profile, kind, ours.timeline);
  if (kind === 'event' && isRecord(ours.data) && isRecord(ours.data.order)) {
    ours.data = { ...ours.data, order: toOurs(profile, 'order', ours.data.order, received) };
  }
  return ours;
}

/** Where a field is, if not under our name: by its own entry, else by the rules for names. */
export function placeOf(
  profile: Profile,
  record: RecordName,
  field: string,
  kind: KnownKind,
): FieldPlace | undefined {
  const entry = profile.fields?.[record]?.[field];
  if (entry !== undefined) return entry;
  const { naming, amounts } = profile;
  if (record === 'event' && (field === 'id' || field === 'type')) return undefined;
  let name = field;
  if (kind === 'amount') {
    const suffix = amounts?.except?.[record]?.suffix ?? amounts?.suffix;
    if (suffix !== undefined) name = name.replace(/_cents$/, suffix);
  }
  if (naming?.id !== undefined && naming.id !== null && field === ownIds[record]) name = naming.id;
  if (naming?.case === 'camel') name = camelCase(name);
  return name === field ? undefined : name;
}

/** The field that identifies a record of each kind. */
export const ownIds: Readonly<Partial<Record<RecordName, string>>> = {
  quote: 'quote_id',
  order: 'public_id',
  detail: 'public_id',
  refund: 'refund_id',
  settlement: 'settlement_id',
  transaction: 'transaction_id',
  payout: 'payout_id',
  session: 'session_id',
  case: 'case_id',
  link: 'link_id',
  sale: 'sale_id',
  commission: 'commission_id',
  referral_payout: 'payout_id',
};

function readField(
  ours: Fields,
  record: Readonly<Fields>,
  kind: RecordName,
  field: string,
  place: FieldPlace,
  { body, nowMs }: Received,
): void {
  if (place === null) {
    Reflect.deleteProperty(ours, field);
    return;
  }
  const key = `fields.${kind}.${field}`;
  if (isRecord(place)) {
    const seconds = readAt(record, (place as { in: Place }).in);
    if (seconds === undefined || seconds === null) Reflect.deleteProperty(ours, field);
    else if (typeof seconds === 'number' && Number.isFinite(seconds)) {
      ours[field] = new Date(nowMs + seconds * 1_000).toISOString();
    } else throw new ProfileContradiction(key, `"${field}" is no number of seconds`);
    return;
  }
  const isOfBody = typeof place === 'string' && place.startsWith('/');
  const value = isOfBody ? readAt(body, place.slice(1)) : readAt(record, place);
  const own = record[field];
  if (value !== undefined && own !== undefined && own !== null && !isSame(own, value)) {
    throw new ProfileContradiction(
      key,
      `"${field}" has one value there and another under its name`,
    );
  }
  // No fallback to our name, which may be of something else.
  if (value === undefined) Reflect.deleteProperty(ours, field);
  else ours[field] = value;
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function translateStatus(profile: Profile, record: Fields): void {
  const { status } = record;
  if (profile.statuses === undefined || typeof status !== 'string') return;
  const mapped = mappedStatus(profile, status);
  if (mapped === undefined) return;
  record.status = mapped;
  withMappedStatus.add(record);
}

function mappedStatus({ statuses = {} }: Profile, status: string): string | undefined {
  const word = status.toUpperCase();
  const entry = Object.entries(statuses).find(([theirs]) => theirs.toUpperCase() === word);
  return entry?.[1];
}

function translateValue(
  profile: Profile,
  kind: RecordName,
  record: Fields,
  field: string,
  valueKind: KnownKind,
): void {
  const value = record[field];
  if (value === undefined || value === null) return;
  if (valueKind === 'date') record[field] = toIsoDate(profile, kind, field, value);
  if (valueKind === 'amount') {
    const form = amountsOf(profile, kind);
    if (form !== undefined) record[field] = toMinorUnits(form, field, value, record);
  }
}

/** A record's own form for amounts, over the one of all; `undefined` if the profile has none. */
export function amountsOf({ amounts }: Profile, kind: RecordName): AmountProfile | undefined {
  if (amounts === undefined) return undefined;
  const { form, at, unit, except } = amounts;
  const whole: AmountProfile = {
    ...(form === undefined ? {} : { form }),
    ...(at === undefined ? {} : { at }),
    ...(unit === undefined ? {} : { unit }),
    ...except?.[kind],
  };
  return whole.form === undefined && whole.unit === undefined ? undefined : whole;
}

/** @throws {@link ProfileContradiction} for what is no amount in this form */
export function toMinorUnits(
  { form, at = 'amount', unit = 'minor' }: AmountProfile,
  field: string,
  received: unknown,
  record: Fields,
): number {
  const contradiction = (what: string) => new ProfileContradiction('amounts', `"${field}" ${what}`);
  let value = received;
  if (form === 'object') {
    if (!isRecord(received)) throw contradiction('is no object');
    value = readAt(received, at);
    if (record.currency === undefined && typeof received.currency === 'string') {
      record.currency = received.currency;
    }
  }
  if (form === 'text' && typeof value !== 'string') throw contradiction('is no text');
  if ((form === 'integer' || form === 'number') && typeof value !== 'number') {
    throw contradiction('is no number');
  }
  const isAmount = typeof value === 'number' || typeof value === 'string';
  const digits = unit === 'major' ? minorUnitDigits(currencyOf(record)) : 0;
  const minor = isAmount ? toMinor(String(value), digits) : undefined;
  if (minor === undefined) {
    throw contradiction(`is no amount in ${unit} units, or has more digits than its currency`);
  }
  return minor;
}

function toIsoDate({ dates }: Profile, kind: RecordName, field: string, value: unknown): unknown {
  const form = dates?.except?.[kind] ?? dates?.form;
  if (form === undefined) return value;
  const contradiction = (what: string) => new ProfileContradiction('dates', `"${field}" ${what}`);
  if (form === 'iso') {
    if (typeof value !== 'string') throw contradiction('is no text');
    return value;
  }
  // What was translated from seconds to come is a text already.
  if (typeof value === 'string' && !/^\d+$/.test(value)) {
    if (Number.isNaN(Date.parse(value))) throw contradiction(`is no number of ${form}`);
    return value;
  }
  const date = new Date(Number(value) * (form === 'seconds' ? 1_000 : 1));
  if (Number.isNaN(date.getTime())) throw contradiction(`is no number of ${form}`);
  return date.toISOString();
}

function toOurTimeline(profile: Profile, kind: RecordName, timeline: unknown[]): unknown[] {
  return timeline.map((entry) => {
    if (!isRecord(entry)) return entry;
    const ours: Fields = { ...entry };
    if (kind === 'detail' && typeof ours.status === 'string') {
      ours.status = mappedStatus(profile, ours.status) ?? ours.status;
    }
    if (ours.at !== undefined && ours.at !== null)
      ours.at = toIsoDate(profile, kind, 'at', ours.at);
    return ours;
  });
}
