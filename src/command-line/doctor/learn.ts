/**
 * `learn`: how a sandbox answers where the specification says "not shown", as a profile, and a line for each row of
 * docs/assumptions.md. It reads, one request at a time; what only a write shows stays open.
 */

import type { MarketClient } from '../../client/client.js';
import type { Place, Profile } from '../../client/profile/profile.js';
import { camelCase, ownIds } from '../../client/profile/to-ours.js';
import { fieldsOf, type RecordName } from '../../client/record-fields.js';
import { isRecord } from '../../core/json.js';
import {
  codeIn,
  epochForm,
  isDate,
  isDomain,
  listIn,
  membersOf,
  messageIn,
  placeOfRecord,
  snakeCase,
  type Fields,
} from './infer.js';
import { LearnReads, unlistedName, type Query, type Seen } from './learn-reads.js';
import { learnPaging } from './learn-paging.js';

/** What was found of one row of docs/assumptions.md. */
export interface LearnedRow {
  /** The key of the profile. */
  readonly key: string;
  /** The row of docs/assumptions.md. */
  readonly row: string;
  readonly result: 'holds' | 'differs' | 'open';
  /** For `differs`: from, to. For `open`: why. */
  readonly detail: string;
}

export interface Learned {
  readonly profile: Profile;
  readonly rows: readonly LearnedRow[];
  readonly reads: number;
}

export interface LearnOptions {
  /** Whether to ask for one quote: it reserves a domain for ten minutes. */
  readonly quote: boolean;
  /** The input of an order as it was sent: its values are looked for. */
  readonly sale: Fields | undefined;
  readonly signal: AbortSignal;
}

/** A record as it was read, without its envelope. */
interface SeenRecord {
  readonly kind: RecordName;
  readonly record: Fields;
}

/** The lists of the reads: path, noun, record. */
const lists: readonly (readonly [path: string, noun: string, kind: RecordName])[] = [
  ['/settlements', 'settlements', 'settlement'],
  ['/transactions', 'transactions', 'transaction'],
  ['/brokerage', 'cases', 'case'],
  ['/links', 'links', 'link'],
];

export async function learn(market: MarketClient, options: LearnOptions): Promise<Learned> {
  const learning = new Learning(new LearnReads(market, options.signal), options);
  return learning.run();
}

class Learning {
  readonly #reads: LearnReads;
  readonly #options: LearnOptions;
  readonly #rows: LearnedRow[] = [];
  readonly #records: SeenRecord[] = [];
  /** The places of lists by noun, and of records by kind. */
  readonly #lists = new Map<string, string>();
  readonly #places = new Map<RecordName, string>();
  readonly #profile: { -readonly [key in keyof Profile]: Profile[key] } = { version: 1 };
  #itemPlace: string | undefined;

  constructor(reads: LearnReads, options: LearnOptions) {
    this.#reads = reads;
    this.#options = options;
  }

  async run(): Promise<Learned> {
    const unlisted = unlistedName();
    this.#seeRecord('availability', await this.#reads.get('/availability', { domain: unlisted }));
    // Two words that a marketplace of names has: the search needs one, and finds five at most.
    const search = (q: string) => this.#reads.get('/domains/search', { q });
    const listed = this.#seeSearch(await search('shop')) ?? this.#seeSearch(await search('data'));
    const orders = await this.#reads.get('/orders', { limit: '2' });
    const items = this.#seeList('orders', 'order', orders);
    if (listed !== undefined) {
      const path = `/domains/${encodeURIComponent(listed)}`;
      this.#seeRecord('domain', await this.#reads.get(path));
      this.#seeRecord('pricing', await this.#reads.get('/pricing', { domain: listed }));
      this.#seeRecord('availability', await this.#reads.get('/availability', { domain: listed }));
    }
    this.#seeError(await this.#reads.get(`/orders/${unlisted}`));
    const none = await this.#reads.get('/orders', { domain: unlisted });
    await this.#learnDetail(items);
    for (const [path, noun, kind] of lists) this.#seeList(noun, kind, await this.#reads.get(path));
    await this.#learnEvents();
    const future = await this.#reads.get('/orders', { from: '2100-01-01' });
    if (this.#options.quote && listed !== undefined) {
      this.#seeRecord('quote', await this.#reads.post('/quotes', { domain: listed }));
    }
    this.#concludeLists();
    this.#concludeRecords();
    this.#concludeNames();
    this.#concludeForms();
    await this.#concludePaging(orders, none);
    this.#concludeEmpty(none);
    this.#concludeFilters(future, items);
    this.#concludeSale();
    this.#open('amounts.sent', 'the unit of `expected_price`', 'only a write shows it');
    return { profile: this.#whole(), rows: this.#rows, reads: this.#reads.count };
  }

  #seeRecord(kind: RecordName, seen: Seen | undefined): void {
    if (seen === undefined || seen.status >= 300) return;
    const place = placeOfRecord(seen.body, kind);
    if (place === undefined) return;
    this.#places.set(kind, place);
    this.#records.push({ kind, record: at(seen.body, place) as Fields });
  }

  /** @returns the records of the list */
  #seeList(noun: string, kind: RecordName, seen: Seen | undefined): readonly Fields[] {
    const list = seen !== undefined && seen.status < 300 ? listIn(seen.body) : undefined;
    if (list === undefined) return [];
    this.#lists.set(noun, list.place);
    const items = (list.value as unknown[]).filter(isRecord);
    const [first] = items;
    if (first === undefined) return [];
    const place = placeOfRecord(first, kind) ?? '';
    if (place !== '') this.#itemPlace = place;
    const records = items.map((item) => at(item, place) as Fields);
    for (const record of records) this.#records.push({ kind, record });
    return records;
  }

  #seeSearch(seen: Seen | undefined): string | undefined {
    const [record] = this.#seeList('domains', 'domain', seen);
    return Object.values(record ?? {}).find(isDomain);
  }

  #seeError(seen: Seen | undefined): void {
    const row = 'the body of an error';
    if (seen === undefined) {
      this.#open('errors', row, 'no response');
      return;
    }
    const code = codeIn(seen.body);
    const message = messageIn(seen.body);
    if (code === undefined) {
      this.#open('errors.code', row, 'no documented code in it');
      return;
    }
    const errors: { -readonly [key in keyof NonNullable<Profile['errors']>]: unknown } = {};
    if (code.place !== 'code') errors.code = code.place;
    if (message !== undefined && message !== 'message') errors.message = message;
    if (seen.status < 300) {
      const flag = membersOf(seen.body, 1).find(({ value }) => value === false);
      if (flag === undefined) this.#open('errors.in200', row, 'a 200 without a flag');
      else errors.in200 = { at: flag.place, is: false };
    }
    this.#learned('errors', row, errors, 'code, message');
  }

  async #learnDetail(orders: readonly Fields[]): Promise<void> {
    const [order] = orders;
    const id = order?.public_id ?? order?.publicId ?? order?.id;
    if (typeof id !== 'string') return;
    const seen = await this.#reads.get(`/orders/${encodeURIComponent(id)}`);
    this.#seeRecord('detail', seen);
    if (seen === undefined) return;
    const isTimeline = (value: unknown) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((it) => isRecord(it) && 'event' in it);
    const record = this.#places.get('detail') ?? '';
    const found = membersOf(seen.body).filter(({ value }) => isTimeline(value));
    const [only] = found;
    const row = 'names of fields';
    if (only === undefined || found.length > 1) {
      this.#open('fields.detail.timeline', row, 'no list of steps, or several');
      return;
    }
    const prefix = record === '' ? '' : `${record}.`;
    const isInside = only.place.startsWith(prefix);
    const place = isInside ? only.place.slice(prefix.length) : `/${only.place}`;
    if (place !== 'timeline') this.#field('detail', 'timeline', place);
  }

  async #learnEvents(): Promise<void> {
    const row = 'the order of the history';
    const seen = await this.#reads.get('/events', { limit: '2' });
    const events = (listIn(seen?.body)?.value ?? []) as readonly Fields[];
    for (const record of events.filter(isRecord)) this.#records.push({ kind: 'event', record });
    const [first, second] = events.map(timeOf);
    if (first === undefined || second === undefined || first === second) {
      this.#open('events', row, 'fewer than two events, or of one moment');
      return;
    }
    const id = events[0]?.id;
    const isNamed = typeof id === 'string' || typeof id === 'number';
    const next = isNamed
      ? await this.#reads.get('/events', { after_id: String(id), limit: '2' })
      : undefined;
    const following = (listIn(next?.body)?.value ?? []) as readonly Fields[];
    const isInclusive = following.some((event) => event.id === id);
    const isOlder = first > second && following.some((event) => timeOf(event) < first);
    this.#learned(
      'events',
      row,
      {
        ...(first > second ? { order: 'newest' as const } : {}),
        ...(isOlder ? { after: 'older' as const } : {}),
        ...(isInclusive ? { inclusive: true } : {}),
      },
      'the oldest first, after `after_id`',
    );
  }

  #concludeLists(): void {
    const row = 'the envelope of a list';
    const named = [...this.#lists].map(([noun, place]) => {
      const names = place.split('.');
      const isNoun = names.at(-1) === noun;
      return [noun, isNoun ? [...names.slice(0, -1), '{noun}'].join('.') : place] as const;
    });
    if (named.length === 0) {
      this.#open('lists', row, 'no list could be read');
      return;
    }
    const items = mostOften(named.map(([, place]) => place));
    const others = named.filter(([, place]) => place !== items);
    const except = Object.fromEntries(others.map(([noun, place]) => [noun, { items: place }]));
    this.#learned(
      'lists',
      row,
      {
        ...(items === 'data' ? {} : { items }),
        ...(this.#itemPlace === undefined ? {} : { item: this.#itemPlace }),
        ...(others.length === 0 ? {} : { except }),
      },
      'data',
    );
  }

  #concludeRecords(): void {
    const row = 'a wrapped record';
    const nouns: Partial<Record<RecordName, string>> = { detail: 'order' };
    const named = [...this.#places].map(([kind, place]) => {
      const noun = nouns[kind] ?? kind;
      return [kind, place === noun ? '{noun}' : place] as const;
    });
    if (named.length === 0) {
      this.#open('records', row, 'no record could be read');
      return;
    }
    const place = mostOften(named.map(([, each]) => each));
    const except = Object.fromEntries(named.filter(([, each]) => each !== place));
    this.#learned(
      'records',
      row,
      {
        ...(place === '' ? {} : { at: place }),
        ...(Object.keys(except).length === 0 ? {} : { except }),
      },
      'bare',
    );
  }

  /** The case of names, the name of ids, the end of amounts' names, and single fields by equal values. */
  #concludeNames(): void {
    const row = 'names of fields';
    const names = this.#records.flatMap(({ record }) => Object.keys(record));
    if (names.length === 0) {
      this.#open('naming', row, 'no record could be read');
      return;
    }
    const isCamel =
      !names.some((name) => name.includes('_')) && names.some((name) => /[a-z][A-Z]/.test(name));
    const owners = this.#kinds().filter((kind) => ownIds[kind] !== undefined && kind !== 'event');
    const withId = owners.filter((kind) => {
      const own = ownIds[kind] ?? '';
      return this.#of(kind).every((it) => 'id' in it && !(own in it) && !(camelCase(own) in it));
    });
    // One record may call another thing "id"; two that have lost theirs do not.
    const isId = withId.length >= 2 || (withId.length > 0 && withId.length === owners.length);
    this.#learned(
      'naming',
      row,
      { ...(isCamel ? { case: 'camel' as const } : {}), ...(isId ? { id: 'id' } : {}) },
      'snake case, ids by their record',
    );
    if (!isId) for (const kind of withId) this.#field(kind, ownIds[kind] ?? '', 'id');
  }

  #concludeForms(): void {
    const amounts = this.#records.flatMap(({ kind, record }) => amountsIn(kind, record));
    const dates = this.#records.flatMap(({ kind, record }) =>
      Object.entries(fieldsOf(kind))
        .filter(([, valueKind]) => valueKind === 'date')
        .map(([name]) => record[name] ?? record[camelCase(name)]),
    );
    const form = dates.map(epochForm).find((it) => it !== undefined);
    if (form === undefined && !dates.some(isDate)) {
      this.#open('dates', 'names of fields', 'no date was seen');
    } else {
      this.#learned('dates', 'names of fields', form === undefined ? {} : { form }, 'ISO 8601');
    }
    this.#concludeAmounts(amounts);
  }

  #concludeAmounts(amounts: readonly Amount[]): void {
    const row = 'amounts';
    const [any] = amounts;
    if (any === undefined) {
      this.#open('amounts', row, 'no amount was seen');
      return;
    }
    const suffix = mostOften(amounts.map((each) => each.suffix));
    const inner = amounts.map(({ value }) => (isRecord(value) ? numberIn(value) : undefined));
    const object = inner.find((it) => it !== undefined);
    const values = amounts.map(({ value }, index) => inner[index]?.value ?? value);
    const isText = values.every((value) => typeof value === 'string');
    const isMajor = values.some((value) => /\.\d+$/.test(String(value)));
    const isKnown = isMajor || suffix === '_cents';
    const learned = {
      ...(object !== undefined
        ? { form: 'object' as const }
        : isText
          ? { form: 'text' as const }
          : {}),
      ...(object !== undefined && object.place !== 'amount' ? { at: object.place } : {}),
      ...(isMajor ? { unit: 'major' as const } : {}),
      ...(isMajor && object === undefined && !isText ? { form: 'number' as const } : {}),
      ...(suffix === '_cents' ? {} : { suffix }),
    };
    this.#learned('amounts', row, learned, 'whole numbers of minor units');
    if (!isKnown) this.#open('amounts.unit', row, 'whole numbers without "cents" in their names');
  }

  async #concludePaging(orders: Seen | undefined, none: Seen | undefined): Promise<void> {
    const row = 'where a cursor is';
    const read = (query: Query) => this.#reads.get('/orders', query);
    const found = await learnPaging(orders, none, read);
    if (found === undefined) {
      this.#open('paging', row, 'no second page');
      return;
    }
    if (typeof found === 'string') {
      this.#open('paging', row, found);
      return;
    }
    this.#learned('paging', row, found, 'next_cursor, sent as cursor');
  }

  #concludeEmpty(seen: Seen | undefined): void {
    const row = 'what proves that an order does not exist';
    if (seen === undefined) {
      this.#open('lists.empty', row, 'no response');
      return;
    }
    const form = emptyForm(seen, [...this.#lists.values()]);
    if (form === undefined) {
      this.#open('lists.empty', row, 'a list with orders, or none');
      return;
    }
    const { lists = {} } = this.#profile;
    if (form !== 'list') this.#profile.lists = { ...lists, empty: [form] };
    this.#row('lists.empty', row, form !== 'list', 'an empty list', form);
    const total = membersOf(seen.body).find(
      ({ place, value }) => /(?:^|\.)total(?:_count|Count)?$/.test(place) && Number(value) > 0,
    );
    const { paging } = this.#profile;
    if (total === undefined) return;
    const ignore = [total.place];
    this.#profile.paging = { by: 'cursor', ...paging, ignore };
    this.#row('paging.ignore', row, true, 'a count of this list', total.place);
  }

  #concludeFilters(seen: Seen | undefined, orders: readonly Fields[]): void {
    const row = 'names of the date filters besides transactions';
    if (seen === undefined || orders.length === 0) {
      this.#open('filters', row, 'there are no orders to leave out');
      return;
    }
    const items = (listIn(seen.body)?.value ?? []) as readonly unknown[];
    if (items.length > 0) {
      this.#open('filters', row, '"from" has no effect');
      return;
    }
    this.#row('filters', row, false, 'from, to', '');
  }

  /** An input as it was sent finds the reference and the price of its order by their values. */
  #concludeSale(): void {
    const { sale } = this.#options;
    const row = 'names of fields';
    if (sale === undefined) {
      this.#open('fields.order.external_payment_ref', row, '--sale FILE finds it');
      return;
    }
    const { external_payment_ref: reference, domain, expected_price: price } = sale;
    const orders = [...this.#of('order'), ...this.#of('detail')].filter((order) =>
      Object.values(order).includes(domain),
    );
    const holding = (value: unknown) =>
      orders
        .flatMap((order) => membersOf(order))
        .find((member) => value !== undefined && member.value === value)?.place;
    const place = holding(reference);
    if (place === undefined) {
      this.#open(
        'fields.order.external_payment_ref',
        row,
        'its value is in no order that was read',
      );
    } else if (!isOurName(place, 'external_payment_ref')) {
      this.#field('order', 'external_payment_ref', place);
      this.#field('detail', 'external_payment_ref', place);
    }
    const pricePlace = holding(price);
    const known =
      pricePlace === undefined || amountsIn('order', { [pricePlace]: price }).length > 0;
    if (pricePlace !== undefined && !known) this.#field('order', 'sale_price_cents', pricePlace);
  }

  #field(kind: RecordName, name: string, place: Place): void {
    const { fields = {} } = this.#profile;
    this.#profile.fields = { ...fields, [kind]: { ...fields[kind], [name]: place } };
    this.#row(`fields.${kind}.${name}`, 'names of fields', true, name, String(place));
  }

  #kinds(): RecordName[] {
    return [...new Set(this.#records.map(({ kind }) => kind))];
  }

  #of(kind: RecordName): Fields[] {
    return this.#records.filter((each) => each.kind === kind).map(({ record }) => record);
  }

  /** What differs from the default goes into the profile. */
  #learned(key: LearnedKey, row: string, found: object, usual: string): void {
    const differs = Object.keys(found).length > 0;
    if (differs) Object.assign(this.#profile, { [key]: { ...this.#profile[key], ...found } });
    this.#row(key, row, differs, usual, JSON.stringify(found));
  }

  #row(key: string, row: string, differs: boolean, from: string, to: string): void {
    const detail = differs ? `${from} -> ${to}` : from;
    this.#rows.push({ key, row, result: differs ? 'differs' : 'holds', detail });
  }

  #open(key: string, row: string, why: string): void {
    this.#rows.push({ key, row, result: 'open', detail: why });
  }

  #whole(): Profile {
    const open = this.#rows.filter(({ result }) => result === 'open').map(({ key }) => key);
    return open.length === 0 ? this.#profile : { ...this.#profile, open: [...new Set(open)] };
  }
}

/** The keys that are learned as a whole. */
type LearnedKey =
  'lists' | 'records' | 'errors' | 'naming' | 'dates' | 'amounts' | 'events' | 'paging';

interface Amount {
  readonly suffix: string;
  readonly value: unknown;
}

/** The amounts of a record, and what their names have after the stem that ours has. */
function amountsIn(kind: RecordName, record: Fields): Amount[] {
  const amounts = Object.entries(fieldsOf(kind)).filter(([, valueKind]) => valueKind === 'amount');
  return amounts.flatMap(([name]) => {
    const stem = name.replace(/_cents$/, '');
    const isOf = (theirs: string) =>
      /^(?:_(?:cents|minor|amount|value))?$/.test(theirs.slice(stem.length));
    const found = Object.entries(record).find(([theirs]) => {
      const snake = snakeCase(theirs);
      return snake.startsWith(stem) && isOf(snake);
    });
    return found === undefined || found[1] === null
      ? []
      : [{ suffix: snakeCase(found[0]).slice(stem.length), value: found[1] }];
  });
}

function numberIn(value: Fields) {
  return membersOf(value, 1).find((member) => /^-?\d+(?:\.\d+)?$/.test(String(member.value)));
}

function emptyForm({ status, body }: Seen, places: readonly string[]) {
  if (status === 204) return '204' as const;
  if (status === 404) return codeIn(body)?.value === 'not_found' ? ('404' as const) : undefined;
  if (status >= 300) return undefined;
  const list = listIn(body);
  if (list !== undefined)
    return (list.value as unknown[]).length === 0 ? ('list' as const) : undefined;
  const isNull = places.some((place) => place !== '' && at(body, place) === null);
  return isNull ? ('null' as const) : isRecord(body) ? ('absent' as const) : undefined;
}

function at(json: unknown, place: string): unknown {
  return place === '' ? json : membersOf(json, 6).find((member) => member.place === place)?.value;
}

function timeOf(event: Fields): number {
  const value = event.created_at ?? event.createdAt;
  return typeof value === 'number' ? value : Date.parse(String(value));
}

function mostOften(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? '';
}

function isOurName(place: string, name: string): boolean {
  return place === name || place === camelCase(name);
}
