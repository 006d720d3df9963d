/**
 * `ServiceForm`: how the emulator answers and reads as a profile says. Inside, everything has the default form; it is
 * rendered last, after a fault has lied, and read first.
 */

import { minorUnitDigits } from '../../client/display/minor-units.js';
import { currencyOf, fromMinor, toMinor } from '../../client/profile/decimal.js';
import { readAt, writeAt } from '../../client/profile/places.js';
import type { FieldPlace, InputName, Place, Profile } from '../../client/profile/profile.js';
import { camelCase, ofNoun, snakeCase } from '../../client/profile/spelling.js';
import { amountsOf, ownIds, placeOf, withOrderStatus } from '../../client/profile/to-ours.js';
import { fieldsOf, type KnownKind, type RecordName } from '../../client/record-fields.js';
import { isRecord } from '../../core/json.js';
import { endpointName } from '../endpoints/table.js';
import type { Endpoint, ListResult } from '../endpoints/endpoint.js';
import type { ServiceResponse } from '../http/messages.js';
import { ServiceError, type ErrorContent } from '../service-error.js';

type Fields = Record<string, unknown>;

/** What the default body of a counted list has for the rendering: it never leaves the emulator. */
const countsMember = '\0counts';

const defaultPageSize = 20;
const maxPageSize = 100;

/** The record of each endpoint's response; of a list, of its items. */
const recordOf: Readonly<Record<string, RecordName>> = {
  'GET /domains/search': 'domain',
  'GET /domains/{name}': 'domain',
  'GET /availability': 'availability',
  'GET /pricing': 'pricing',
  'POST /quotes': 'quote',
  'POST /orders': 'order',
  'GET /orders': 'order',
  'GET /orders/{public_id}': 'detail',
  'POST /refunds': 'refund',
  'GET /settlements': 'settlement',
  'GET /transactions': 'transaction',
  'GET /payouts': 'payout',
  'POST /checkout-session': 'session',
  'GET /brokerage/eligibility': 'eligibility',
  'GET /brokerage': 'case',
  'POST /brokerage': 'case',
  'GET /brokerage/{case_id}': 'case',
  'GET /links': 'link',
  'POST /links': 'link',
  'GET /me/clicks': 'clicks',
  'GET /me/sales': 'sale',
  'GET /me/commissions': 'commission',
  'GET /me/payouts': 'referral_payout',
  'GET /analytics': 'analytics',
  'PUT /webhooks': 'webhook',
  'GET /events': 'event',
};

const inputOf: Readonly<Record<string, InputName>> = {
  'POST /quotes': 'quote',
  'POST /orders': 'order',
  'POST /refunds': 'refund',
  'POST /checkout-session': 'checkout',
  'POST /brokerage': 'case',
  'POST /links': 'link',
};

export class ServiceForm {
  readonly #profile: Profile;
  readonly #now: () => number;

  /** @param now - the service's clock, for dates that are seconds from now on */
  constructor(profile: Profile, now: () => number) {
    this.#profile = profile;
    this.#now = now;
  }

  /** Whether a page of a list is found by counting, and not by a cursor of the emulator's own. */
  get isCounted(): boolean {
    return ['last', 'page', 'offset', 'none'].includes(this.#profile.paging?.by ?? 'cursor');
  }

  /** The default body of a list; with the counts that pages by number need. */
  listBody({ name, items, nextCursor, all, extra }: ListResult, query: Fields): Fields {
    const { paging } = this.#profile;
    if (!this.isCounted) return { data: items, next_cursor: nextCursor, ...extra };
    const whole = all();
    const size =
      paging?.by === 'none'
        ? whole.length
        : Math.min(Number(query.limit) || defaultPageSize, maxPageSize);
    const start = this.#startOf(query.cursor, whole, size, name);
    const end = start + size;
    const first = firstPageOf(this.#profile);
    const pages = Math.ceil(whole.length / Math.max(size, 1));
    const position = paging?.by === 'page' ? first + Math.floor(end / size) : end;
    const next = paging?.by === 'last' ? idOf(whole[end - 1]) : String(position);
    return {
      data: whole.slice(start, end),
      next_cursor: end < whole.length ? next : null,
      ...extra,
      [countsMember]: { total: whole.length, pages },
    };
  }

  /** How the history is read, if not by the documented `after_id`. */
  get events(): Profile['events'] {
    return this.#profile.events;
  }

  /** A request's query or body in the default form. */
  read(endpoint: Endpoint, given: Readonly<Fields>): Fields {
    const name = endpointName(endpoint);
    if (endpoint.method === 'GET') return this.#readQuery(name, given);
    const input = inputOf[name];
    return input === undefined ? { ...given } : this.#readBody(input, given);
  }

  /** The JSON of a body in the default form; as it is, if it breaks a rule of the profile. */
  ownJson(endpoint: Endpoint | undefined, json: unknown): unknown {
    try {
      return endpoint !== undefined && isRecord(json) ? this.read(endpoint, json) : json;
    } catch {
      return json;
    }
  }

  /** The response as the profile has it. `query`: as it was received, for a next link. */
  render(endpoint: Endpoint, response: ServiceResponse, url: string): ServiceResponse {
    const name = endpointName(endpoint);
    const record = recordOf[name];
    const body = JSON.parse(response.body) as unknown;
    if (record === undefined || !isRecord(body)) return response;
    if (name === 'GET /events') return withBody(response, this.#events(body));
    if (endpoint.method === 'GET' && Array.isArray(body.data)) {
      return this.#list(response, record, nounsOf(endpoint), body, url);
    }
    return withBody(response, this.#record(record, body));
  }

  error({ code, message, details }: ErrorContent, status: number) {
    const {
      code: place,
      message: messagePlace = 'message',
      codes = {},
      in200,
    } = this.#profile.errors ?? {};
    const theirs = Object.entries(codes).find(([, ours]) => ours === code)?.[0] ?? code;
    const body: Fields = {};
    if (place !== null) writeAt(body, place ?? 'code', theirs);
    writeAt(body, messagePlace, message);
    if (details !== undefined) body.details = details;
    if (in200 === undefined || in200 === null) return { status, body };
    writeAt(body, in200.at, in200.is);
    return { status: 200, body };
  }

  #readQuery(name: string, given: Readonly<Fields>): Fields {
    const { paging, filters = {} } = this.#profile;
    const query: Fields = { ...given };
    const move = (theirs: string | undefined, ours: string, convert = (it: unknown) => it) => {
      if (theirs === undefined) return;
      const value = query[theirs];
      Reflect.deleteProperty(query, theirs);
      if (theirs !== ours) Reflect.deleteProperty(query, ours);
      if (value !== undefined) query[ours] = convert(value);
    };
    if (name === 'GET /events') return query;
    move(parameterOf(paging), 'cursor');
    move(paging?.size, 'limit');
    if (name === 'GET /transactions') return query;
    const isDay = filters.form === 'day';
    move(filters.from ?? 'from', 'from', (it) => this.#readDate(it));
    move(filters.to ?? 'to', 'to', (it) => (isDay ? String(it) : this.#readDate(it)));
    return query;
  }

  #readDate(value: unknown): unknown {
    const { form } = this.#profile.filters ?? {};
    if (form !== 'seconds') return value;
    const date = new Date(Number(value) * 1_000);
    if (!Number.isNaN(date.getTime())) return date.toISOString();
    throw new ServiceError('validation_error', 'A date of a filter is a number of seconds.');
  }

  #readBody(input: InputName, given: Readonly<Fields>): Fields {
    const { inputs, naming, amounts } = this.#profile;
    const { fields = {}, add = {}, copy = {} } = inputs?.[input] ?? {};
    const body: Fields = {};
    for (const [name, value] of Object.entries(add)) {
      if (JSON.stringify(given[name]) === JSON.stringify(value)) continue;
      throw new ServiceError('validation_error', `"${name}" is required.`);
    }
    for (const name of Object.keys(copy)) {
      if (readAt(given, name) !== undefined) continue;
      throw new ServiceError('validation_error', `"${name}" is required.`);
    }
    const isMoved = (name: string) => Object.hasOwn(fields, name);
    for (const [name, value] of Object.entries(given)) {
      const ours = naming?.case === 'camel' ? snakeCase(name) : name;
      const isCamel = naming?.case !== 'camel' || camelCase(ours) === name;
      if (isCamel && !isMoved(ours)) body[ours] = value;
    }
    for (const [ours, theirs] of Object.entries(fields)) {
      const value = readAt(given, theirs);
      if (value !== undefined) body[ours] = value;
    }
    if (amounts?.sent === 'major' && body.expected_price !== undefined) {
      const digits = minorUnitDigits(currencyOf(body));
      const minor = toMinor(JSON.stringify(body.expected_price).replaceAll('"', ''), digits);
      if (minor === undefined) {
        throw new ServiceError('validation_error', '"expected_price" is no decimal amount.');
      }
      body.expected_price = minor;
    }
    return body;
  }

  #startOf(cursor: unknown, whole: readonly unknown[], size: number, name: string): number {
    if (cursor === undefined) return 0;
    const { paging } = this.#profile;
    const position =
      paging?.by === 'last'
        ? whole.findIndex((item) => idOf(item) === cursor) + 1 || NaN
        : Number(cursor);
    const start = paging?.by === 'page' ? (position - firstPageOf(this.#profile)) * size : position;
    if (Number.isSafeInteger(start) && start >= 0) return start;
    throw new ServiceError('validation_error', `The place in the list of ${name} is not one.`);
  }

  #list(
    response: ServiceResponse,
    kind: RecordName,
    noun: string,
    { data, next_cursor: next, [countsMember]: counted, ...extra }: Fields,
    url: string,
  ): ServiceResponse {
    const { lists = {}, paging } = this.#profile;
    const counts = counted as { total: number; pages: number };
    const given = lists.except?.[noun]?.items ?? lists.items ?? 'data';
    const place = (typeof given === 'string' ? given : (given[0] ?? '')).replace('{noun}', noun);
    const records = data as readonly Fields[];
    const [form = 'list'] = lists.empty ?? [];
    const isEmpty = records.length === 0;
    if (isEmpty && form === '204') return { ...response, status: 204, body: '' };
    if (isEmpty && form === '404') {
      const { status, body } = this.error({ code: 'not_found', message: 'There is none.' }, 404);
      return withBody({ ...response, status }, body);
    }
    const items = records.map((each) => this.#wrapped(kind, each, lists.item, lists.id));
    const isLast = typeof next !== 'string';
    // A bare list has no place for a cursor but a header.
    if (place === '') return this.#withNext(response, items, isLast ? undefined : next, url);
    const body: Fields = this.#siblings(extra, records);
    if (!isEmpty || form !== 'absent') {
      writeAt(body, place, isEmpty && form === 'null' ? null : items);
    }
    if (paging?.more !== undefined && paging.more !== null) {
      const isNot = paging.more.startsWith('!');
      writeAt(body, isNot ? paging.more.slice(1) : paging.more, isNot ? isLast : !isLast);
    }
    if (paging?.by === 'page' && paging.pages) writeAt(body, paging.pages, counts.pages);
    if (paging?.by === 'offset' && paging.total) writeAt(body, paging.total, counts.total);
    if (paging !== undefined && paging.by !== 'cursor' && paging.by !== 'link') {
      return withBody(response, body);
    }
    return this.#withNext(response, body, isLast ? undefined : next, url);
  }

  #withNext(
    response: ServiceResponse,
    body: Fields | readonly Fields[],
    next: string | undefined,
    url: string,
  ): ServiceResponse {
    const { paging } = this.#profile;
    const place: Place =
      (paging?.by === 'cursor' || paging?.by === 'link' ? paging.next : undefined) ?? 'next_cursor';
    const link = next === undefined || paging?.by !== 'link' ? next : withCursor(url, next);
    if (typeof place === 'string' && place.startsWith('header:')) {
      const name = place.slice('header:'.length);
      const value = name === 'link' ? `<${String(link)}>; rel="next"` : String(link);
      const header = link === undefined ? {} : { [name]: value };
      return withBody({ ...response, headers: { ...response.headers, ...header } }, body);
    }
    const [end = 'null'] = paging?.end ?? [];
    if (!isRecord(body)) return withBody(response, body);
    if (link !== undefined) writeAt(body, place, link);
    else if (end !== 'absent') writeAt(body, place, end === '' ? '' : null);
    return withBody(response, body);
  }

  #record(kind: RecordName, record: Fields): Fields {
    const { at = '', id, except } = this.#profile.records ?? {};
    const place = except?.[kind] ?? at;
    return this.#wrapped(kind, record, ofNoun(place, kind), id);
  }

  #wrapped(kind: RecordName, record: Fields, at: Place = '', idPlace: Place | null = null) {
    const body: Fields = {};
    const theirs = this.#toTheirs(kind, record, body);
    const ownName = Object.keys(record).find((name) => name === ownIds[kind]);
    if (idPlace !== null && ownName !== undefined) {
      const place = placeOf(this.#profile, kind, ownName, 'text') ?? ownName;
      if (typeof place === 'string') Reflect.deleteProperty(theirs, place);
    }
    if (at.length === 0) Object.assign(body, theirs);
    else writeAt(body, at, theirs);
    if (idPlace !== null && ownName !== undefined) writeAt(body, idPlace, record[ownName]);
    return body;
  }

  #events({ events, ...rest }: Fields): Fields {
    const { order, after } = this.events ?? {};
    const rendered = (events as readonly Fields[]).map((event) => this.event(event));
    return {
      events: order === 'newest' && after !== 'older' ? rendered.reverse() : rendered,
      ...rest,
    };
  }

  /** An event, delivered or in the history. */
  event(event: object): Fields {
    const { data, ...rest } = event as Fields;
    const { order } = data as Fields;
    const ofOrder = isRecord(order) ? { order: this.#toTheirs('order', order, {}) } : {};
    return this.#toTheirs('event', { ...rest, data: { ...(data as Fields), ...ofOrder } }, {});
  }

  /** The sums beside a list. A balance that states no currency is in the one of the list. */
  #siblings(extra: Readonly<Fields>, [first]: readonly Fields[]): Fields {
    const body: Fields = {};
    for (const [name, value] of Object.entries(extra)) {
      if (name === 'running_balance_cents') {
        const currency = first?.currency ?? 'USD';
        const sum = this.#toTheirs('commission', { [name]: value, currency }, {});
        Reflect.deleteProperty(sum, 'currency');
        Object.assign(body, sum);
      } else body[this.#named(name)] = this.#sums(value);
    }
    return body;
  }

  #sums(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#sums(each));
    // A fault adds members of its own: `has_more: true`.
    if (!isRecord(value)) return value;
    const { by_currency: several, ...sums } = value;
    if (several !== undefined) return { [this.#named('by_currency')]: this.#sums(several) };
    return this.#toTheirs('running_balance_cents' in sums ? 'commission' : 'totals', sums, {});
  }

  #named(name: string): string {
    return this.#profile.naming?.case === 'camel' ? camelCase(name) : name;
  }

  #toTheirs(kind: RecordName, record: Readonly<Fields>, body: Fields): Fields {
    const kinds = fieldsOf(kind);
    const theirs: Fields = {};
    for (const [name, value] of Object.entries(record)) {
      const valueKind: KnownKind = kinds[name] ?? 'any';
      const place = name in kinds ? placeOf(this.#profile, kind, name, valueKind) : undefined;
      const isCamel = this.#profile.naming?.case === 'camel';
      const where: FieldPlace = place === undefined ? (isCamel ? camelCase(name) : name) : place;
      if (where === null) continue;
      if (isRecord(where)) {
        const seconds = Math.round((Date.parse(String(value)) - this.#now()) / 1_000);
        writeAt(theirs, (where as { in: Place }).in, seconds);
      } else {
        const rendered = this.#value(kind, name, valueKind, value, record);
        if (typeof where === 'string' && where.startsWith('/'))
          writeAt(body, where.slice(1), rendered);
        else writeAt(theirs, where, rendered);
      }
    }
    return theirs;
  }

  #value(
    kind: RecordName,
    name: string,
    valueKind: KnownKind,
    value: unknown,
    record: Readonly<Fields>,
  ) {
    if (name === 'status' && withOrderStatus.has(kind)) return this.#status(value);
    if (valueKind === 'date') return this.#date(kind, value);
    if (valueKind === 'amount' && typeof value === 'number') {
      return this.#amount(kind, value, currencyOf(record));
    }
    if (name === 'timeline' && Array.isArray(value)) {
      return value.map((step: Fields) => ({
        ...step,
        status: kind === 'detail' ? this.#status(step.status) : step.status,
        at: this.#date(kind, step.at),
      }));
    }
    return value;
  }

  #status(status: unknown): unknown {
    const theirs = Object.entries(this.#profile.statuses ?? {}).find(([, ours]) => ours === status);
    return theirs === undefined ? status : theirs[0];
  }

  #date(kind: RecordName, value: unknown): unknown {
    const { dates } = this.#profile;
    const form = dates?.except?.[kind] ?? dates?.form ?? 'iso';
    const ms = typeof value === 'string' ? Date.parse(value) : NaN;
    if (form === 'iso' || Number.isNaN(ms)) return value;
    return form === 'seconds' ? Math.floor(ms / 1_000) : ms;
  }

  #amount(kind: RecordName, minor: number, currency: string): unknown {
    const {
      form = 'integer',
      unit = 'minor',
      at = 'amount',
    } = amountsOf(this.#profile, kind) ?? {};
    const decimal = unit === 'major' ? fromMinor(minor, minorUnitDigits(currency)) : String(minor);
    if (form === 'text') return decimal;
    if (form !== 'object') return Number(decimal);
    const amount: Fields = { currency };
    writeAt(amount, at, Number(decimal));
    return amount;
  }
}

function parameterOf(paging: Profile['paging']): string | undefined {
  if (paging === undefined || paging.by === 'none' || paging.by === 'link') return undefined;
  if (paging.by === 'page' || paging.by === 'offset') return paging.param ?? paging.by;
  return paging.param;
}

function firstPageOf({ paging }: Profile): number {
  return paging?.by === 'page' ? (paging.first ?? 1) : 0;
}

function idOf(item: unknown): string {
  const [, id] =
    Object.entries(Object(item) as Fields).find(([name]) => name.endsWith('_id')) ?? [];
  return String(id);
}

/** The noun of an endpoint's list: `orders` of `/orders`, `cases` of `/brokerage`. */
function nounsOf({ path }: Endpoint): string {
  if (path === '/brokerage') return 'cases';
  if (path === '/domains/search') return 'domains';
  return path.slice(path.lastIndexOf('/') + 1);
}

function withCursor(url: string, cursor: string): string {
  const next = new URL(url);
  next.searchParams.set('cursor', cursor);
  return next.href;
}

function withBody(response: ServiceResponse, body: object): ServiceResponse {
  return { ...response, body: JSON.stringify(body) };
}
