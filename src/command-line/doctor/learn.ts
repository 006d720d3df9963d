/**
 * `learn`: how a sandbox answers where the specification says "not shown", as a profile, and a line for each row of
 * docs/assumptions.md. It reads, one request at a time; what only a write shows stays open.
 */

import type { MarketClient } from '../../client/client.js';
import type { Profile } from '../../client/profile/profile.js';
import { camelCase } from '../../client/profile/spelling.js';
import type { RecordName } from '../../client/record-fields.js';
import { isRecord } from '../../core/json.js';
import {
  amountsIn,
  concludeEmpty,
  concludeForms,
  concludeLists,
  concludeNames,
  concludeRecords,
} from './conclude.js';
import { codeIn, listIn, membersOf, messageIn, type Fields } from './infer.js';
import { learnPaging } from './learn-paging.js';
import { LearnReads, unlistedName, type Seen } from './learn-reads.js';
import { LearnedRows, type LearnedRow } from './learned-rows.js';
import { SeenRecords } from './seen-records.js';

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

/** The lists of the reads: path, noun, record. */
const lists: readonly (readonly [path: string, noun: string, kind: RecordName])[] = [
  ['/settlements', 'settlements', 'settlement'],
  ['/transactions', 'transactions', 'transaction'],
  ['/brokerage', 'cases', 'case'],
  ['/links', 'links', 'link'],
];

export async function learn(market: MarketClient, options: LearnOptions): Promise<Learned> {
  return new Learning(new LearnReads(market, options.signal), options).run();
}

class Learning {
  readonly #reads: LearnReads;
  readonly #options: LearnOptions;
  readonly #seen = new SeenRecords();
  readonly #into = new LearnedRows();

  constructor(reads: LearnReads, options: LearnOptions) {
    this.#reads = reads;
    this.#options = options;
  }

  /** What falls out last is read first. */
  async run(): Promise<Learned> {
    const [reads, seen, into] = [this.#reads, this.#seen, this.#into];
    const unlisted = unlistedName();
    seen.addRecord('availability', await reads.get('/availability', { domain: unlisted }));
    // Two words that a marketplace of names has: the search needs one, and finds five at most.
    const search = (q: string) => reads.get('/domains/search', { q });
    const listed = seen.addSearch(await search('shop')) ?? seen.addSearch(await search('data'));
    const orders = await reads.get('/orders', { limit: '2' });
    const items = seen.addList('orders', 'order', orders);
    if (listed !== undefined) {
      seen.addRecord('domain', await reads.get(`/domains/${encodeURIComponent(listed)}`));
      seen.addRecord('pricing', await reads.get('/pricing', { domain: listed }));
    }
    this.#learnError(await reads.get(`/orders/${unlisted}`));
    const none = await reads.get('/orders', { domain: unlisted });
    const paging = await learnPaging(orders, none, (query) => reads.get('/orders', query));
    await this.#learnDetail();
    for (const [path, noun, kind] of lists) seen.addList(noun, kind, await reads.get(path));
    if (listed !== undefined) {
      seen.addRecord('availability', await reads.get('/availability', { domain: listed }));
    }
    const future = await reads.get('/orders', { from: '2100-01-01' });
    await this.#learnEvents();
    if (this.#options.quote && listed !== undefined) {
      seen.addRecord('quote', await reads.post('/quotes', { domain: listed }));
    }
    concludeLists(seen, into);
    concludeRecords(seen, into);
    concludeNames(seen, into);
    concludeForms(seen, into);
    this.#concludePaging(paging);
    concludeEmpty(none, seen, into);
    this.#concludeFilters(future, items);
    this.#concludeSale();
    into.open('amounts.sent', 'the unit of `expected_price`', 'only a write shows it');
    return { profile: into.whole(), rows: into.rows, reads: reads.count };
  }

  #learnError(seen: Seen | undefined): void {
    const row = 'the body of an error';
    if (seen === undefined) {
      this.#into.open('errors', row, 'no response');
      return;
    }
    const code = codeIn(seen.body);
    const message = messageIn(seen.body);
    if (code === undefined) {
      this.#into.open('errors.code', row, 'no documented code in it');
      return;
    }
    const isOk = seen.status < 300;
    const flag = isOk && membersOf(seen.body, 1).find(({ value }) => value === false);
    if (flag === undefined) this.#into.open('errors.in200', row, 'a 200 without a flag');
    const found = {
      code: code.place === 'code' ? undefined : code.place,
      message: message === 'message' ? undefined : message,
      in200: flag ? { at: flag.place, is: false } : undefined,
    };
    this.#into.learned('errors', row, found, 'code, message');
  }

  async #learnDetail(): Promise<void> {
    const { orderId: id } = this.#seen;
    if (id === undefined) return;
    const seen = await this.#reads.get(`/orders/${encodeURIComponent(id)}`);
    if (seen === undefined) return;
    this.#seen.addRecord('detail', seen);
    const isTimeline = (value: unknown) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((it) => isRecord(it) && 'event' in it);
    const record = this.#seen.places.get('detail') ?? '';
    const found = membersOf(seen.body).filter(({ value }) => isTimeline(value));
    const [only] = found;
    const row = 'names of fields';
    if (only === undefined || found.length > 1) {
      this.#into.open('fields.detail.timeline', row, 'no list of steps, or several');
      return;
    }
    const prefix = record === '' ? '' : `${record}.`;
    const isInside = only.place.startsWith(prefix);
    const place = isInside ? only.place.slice(prefix.length) : `/${only.place}`;
    if (place !== 'timeline') this.#into.field('detail', 'timeline', place);
  }

  async #learnEvents(): Promise<void> {
    const row = 'the order of the history';
    const seen = await this.#reads.get('/events', { limit: '2' });
    const events = eventsIn(seen);
    for (const record of events) this.#seen.records.push({ kind: 'event', record });
    const [first = NaN, second = NaN] = events.map(timeOf);
    if (!(first < second || first > second)) {
      this.#into.open('events', row, 'fewer than two events, or of one moment');
      return;
    }
    const id = events[0]?.id;
    const next = await this.#reads.get('/events', { after_id: String(id), limit: '2' });
    if (next === undefined) {
      this.#into.open('events', row, 'no read was left for what follows an event');
      return;
    }
    const following = eventsIn(next);
    const isInclusive = following.some((event) => event.id === id);
    const isOlder = first > second && following.some((event) => timeOf(event) < first);
    const found = {
      order: first > second ? 'newest' : undefined,
      after: isOlder ? 'older' : undefined,
      inclusive: isInclusive || undefined,
    };
    this.#into.learned('events', row, found, 'the oldest first, after `after_id`');
  }

  #concludePaging(found: Awaited<ReturnType<typeof learnPaging>>): void {
    const row = 'where a cursor is';
    if (typeof found === 'object') {
      this.#into.learned('paging', row, found, 'next_cursor, sent as cursor');
    } else this.#into.open('paging', row, found ?? 'no second page');
  }

  #concludeFilters(seen: Seen | undefined, orders: readonly Fields[]): void {
    const row = 'names of the date filters besides transactions';
    if (seen === undefined || orders.length === 0) {
      this.#into.open('filters', row, 'no orders to filter');
      return;
    }
    const items = (listIn(seen.body)?.value ?? []) as readonly unknown[];
    if (items.length > 0) this.#into.open('filters', row, '"from" has no effect');
    else this.#into.compared('filters', row, false, 'from, to', '');
  }

  /** An input as it was sent finds the reference and the price of its order by their values. */
  #concludeSale(): void {
    const { sale } = this.#options;
    const open = (why: string) =>
      this.#into.open('fields.order.external_payment_ref', 'names of fields', why);
    if (sale === undefined) {
      open('--sale FILE finds it');
      return;
    }
    const { external_payment_ref: reference, domain, expected_price: price } = sale;
    const orders = [...this.#seen.of('order'), ...this.#seen.of('detail')].filter((order) =>
      Object.values(order).includes(domain),
    );
    const holding = (value: unknown) =>
      orders
        .flatMap((order) => membersOf(order))
        .find((member) => value !== undefined && member.value === value)?.place;
    const place = holding(reference);
    if (place === undefined) open('its value is in no order that was read');
    else if (!isOurName(place, 'external_payment_ref')) {
      this.#into.field('order', 'external_payment_ref', place);
      this.#into.field('detail', 'external_payment_ref', place);
    }
    const pricePlace = holding(price);
    const known =
      pricePlace === undefined || amountsIn('order', { [pricePlace]: price }).length > 0;
    if (pricePlace !== undefined && !known)
      this.#into.field('order', 'sale_price_cents', pricePlace);
  }
}

function eventsIn(seen: Seen | undefined): readonly Fields[] {
  const list = (listIn(seen?.body)?.value ?? []) as readonly unknown[];
  return list.filter(isRecord);
}

function timeOf(event: Fields): number {
  const value = event.created_at ?? event.createdAt;
  return typeof value === 'number' ? value : Date.parse(String(value));
}

function isOurName(place: string, name: string): boolean {
  return place === name || place === camelCase(name);
}
