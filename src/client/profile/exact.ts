/** Reads a response exactly where a profile says how: its list, its record, its error, and what follows a page. */

import { CompletenessCheck } from '../envelope/completeness.js';
import { readErrorBody, toDocumentedCode, type ErrorBody } from '../envelope/error-body.js';
import { followLink, linkPosition, type NextPage, type PageOfList } from '../envelope/next-page.js';
import type { RecordName } from '../record-fields.js';
import { isRecord } from '../../core/json.js';
import { readAt } from './places.js';
import type { PagingProfile, Place, Profile } from './profile.js';
import { ofNoun } from './spelling.js';
import { idBeside, ProfileContradiction } from './to-ours.js';

/**
 * The records of a list where the profile says that they are.
 *
 * @param find - finds the list where the profile does not say
 */
export function exactItems(
  profile: Profile,
  noun: string,
  body: unknown,
  find: (body: unknown, noun: string) => unknown[] | undefined,
): unknown[] | undefined {
  const items = listAt(profile, noun, body) ?? find(body, noun);
  return noun === 'events' ? items : items?.map((item) => itemOf(profile, item));
}

function listAt(profile: Profile, noun: string, body: unknown): unknown[] | undefined {
  const places = placesOfItems(profile, noun);
  if (places === undefined) return undefined;
  const found = places.map((place) => readAt(body, place));
  const lists = found.map((list) => {
    if (Array.isArray(list)) return list as unknown[];
    const form = list === null ? 'null' : list === undefined ? 'absent' : 'other';
    if (form !== 'other' && profile.lists?.empty?.includes(form) === true) return [];
    throw new ProfileContradiction('lists.items', `there is no list at "${places.join('", "')}"`);
  });
  const items = lists.flat();
  if (items.length === 0 && holdsRecords(body)) {
    throw new ProfileContradiction(
      'lists.items',
      'the list there is empty, and records lie elsewhere',
    );
  }
  return items;
}

function placesOfItems({ lists }: Profile, noun: string): readonly string[] | undefined {
  const places = lists?.except?.[noun]?.items ?? (noun === 'events' ? undefined : lists?.items);
  const all = typeof places === 'string' ? [places] : places;
  return all?.map((place) => place.replaceAll('{noun}', noun));
}

function itemOf({ lists }: Profile, item: unknown): unknown {
  if (lists?.item === undefined || lists.item === '') return item;
  const record = readAt(item, lists.item);
  if (!isRecord(record)) {
    throw new ProfileContradiction(
      'lists.item',
      `an item has no record at "${String(lists.item)}"`,
    );
  }
  const id = lists.id === undefined || lists.id === null ? undefined : readAt(item, lists.id);
  return id === undefined ? record : { ...record, [idBeside]: id };
}

/** Whether an envelope holds a list of what has an id: then another, empty list is not the whole. */
function holdsRecords(body: unknown, levels = 3): boolean {
  if (Array.isArray(body)) {
    return body.some(
      (item) =>
        isRecord(item) &&
        Object.keys(item).some((name) => /(?:^|_)id$/i.test(name) || /[a-z]I[dD]$/.test(name)),
    );
  }
  if (!isRecord(body) || levels === 0) return false;
  return Object.entries(body).some(
    ([name, member]) =>
      !/^(?:errors?|warnings?|_?links)$/i.test(name) && holdsRecords(member, levels - 1),
  );
}

/** Whether this page says "none" in a form that the profile has; `undefined` if the profile does not say. */
export function isEmptyForm(
  profile: Profile,
  noun: string,
  { status, body }: { readonly status: number; readonly body: unknown },
): boolean | undefined {
  const empty = profile.lists?.empty;
  if (empty === undefined) return undefined;
  if (status === 404) return empty.includes('404');
  if (body === undefined) return empty.includes('204');
  const [place] = placesOfItems(profile, noun) ?? [];
  if (place === undefined) return undefined;
  const list = readAt(body, place);
  if (Array.isArray(list)) return empty.includes('list');
  return empty.includes(list === null ? 'null' : 'absent');
}

/** A record where the profile says that it is; `undefined` if it does not say. */
export function exactRecord(profile: Profile, kind: RecordName, body: unknown): unknown {
  const place = profile.records?.except?.[kind] ?? profile.records?.at;
  if (place === undefined) return undefined;
  const at = ofNoun(place, kind);
  const record = readAt(body, at);
  if (!isRecord(record)) {
    throw new ProfileContradiction('records.at', `there is no record at "${String(at)}"`);
  }
  const idPlace = profile.records?.id;
  const id = idPlace === undefined || idPlace === null ? undefined : readAt(body, idPlace);
  return id === undefined ? record : { ...record, [idBeside]: id };
}

/** The code and message of an error, by the profile and as tolerantly as ever where it does not say. */
export function readErrorAs(
  profile: Profile | undefined,
  body: unknown,
  status: number,
): ErrorBody {
  const tolerant = readErrorBody(body);
  const errors = profile?.errors;
  if (errors === undefined) return tolerant;
  const stated = errors.message === undefined ? tolerant.message : textAt(body, errors.message);
  const code = codeAs(errors, body, tolerant.code, status);
  return { ...tolerant, code, message: stated };
}

function codeAs(
  { code: place, codes = {} }: NonNullable<Profile['errors']>,
  body: unknown,
  tolerant: string | undefined,
  status: number,
): string | undefined {
  if (place === null) return codeByStatus.get(status);
  const code = place === undefined ? tolerant : textAt(body, place);
  if (code === undefined) return undefined;
  const mapped = Object.hasOwn(codes, code) ? codes[code] : undefined;
  return mapped ?? toDocumentedCode('code', code) ?? code;
}

/** For a service whose errors have no code. A 422 may be either of two: it stays without one. */
const codeByStatus = new Map([
  [400, 'validation_error'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [409, 'conflict'],
  [429, 'rate_limited'],
  [500, 'internal_error'],
]);

function textAt(body: unknown, place: Place): string | undefined {
  const value = readAt(body, place);
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Whether a success states an error, as the profile says. */
export function statesError(profile: Profile | undefined, body: unknown): boolean {
  const rule = profile?.errors?.in200;
  if (rule === undefined || rule === null) return false;
  return JSON.stringify(readAt(body, rule.at)) === JSON.stringify(rule.is);
}

/** What follows a page, by the profile's `paging`. */
export function exactNextPage(
  paging: PagingProfile,
  page: PageOfList,
  idOfLast: unknown,
): NextPage {
  const check = new CompletenessCheck(paging.ignore);
  check.add(page.body, page.items, page.headers, page.sent);
  const next = nextOf(paging, page, idOfLast);
  if (next !== undefined) return next;
  const { continuation, itemCount, pageCount } = check;
  const isStated = paging.by === 'page' || paging.by === 'offset' || (paging.more ?? '') !== '';
  if (continuation !== undefined && !isStated) {
    return { unreadable: `"paging" of the profile says that it ends, and ${continuation}` };
  }
  return { itemCount, pageCount };
}

function nextOf(paging: PagingProfile, page: PageOfList, idOfLast: unknown): NextPage | undefined {
  const { body, items, query, sent } = page;
  const more = moreAt(paging, body);
  switch (paging.by) {
    case 'none':
      return undefined;
    case 'cursor':
    case 'link': {
      const place = paging.next ?? 'next_cursor';
      const value = valueAt(page, place);
      if (isEnd(paging, value, sent)) return undefined;
      if (typeof value !== 'string' && !Number.isSafeInteger(value)) {
        throw new ProfileContradiction(
          'paging.next',
          `"${String(place)}" holds neither a cursor nor an end`,
        );
      }
      return paging.by === 'cursor'
        ? { position: String(value) }
        : followLink({ name: `"${String(place)}"`, address: String(value) }, page);
    }
    case 'last': {
      if (more === false || items.length === 0) return undefined;
      if (typeof idOfLast !== 'string' && typeof idOfLast !== 'number') {
        throw new ProfileContradiction('paging.id', 'the last item has no id');
      }
      return { position: linkPosition([[paging.param, String(idOfLast)]]) };
    }
    case 'page': {
      const param = paging.param ?? 'page';
      const first = paging.first ?? 1;
      const current = Number(new URLSearchParams(positionQuery(sent) ?? query).get(param) ?? first);
      const pages = countAt(body, paging.pages, 'paging.pages');
      const goesOn = more ?? (pages === undefined ? items.length > 0 : current - first + 1 < pages);
      return goesOn ? { position: linkPosition([[param, String(current + 1)]]) } : undefined;
    }
    case 'offset': {
      const param = paging.param ?? 'offset';
      const current = Number(new URLSearchParams(positionQuery(sent) ?? query).get(param) ?? 0);
      const total = countAt(body, paging.total, 'paging.total');
      const end = current + items.length;
      const goesOn = items.length > 0 && (more ?? (total === undefined || end < total));
      return goesOn ? { position: linkPosition([[param, String(end)]]) } : undefined;
    }
  }
}

function positionQuery(sent: string | undefined): string | undefined {
  return sent?.startsWith('link:?') === true ? sent.slice('link:?'.length) : undefined;
}

function valueAt({ body, headers }: PageOfList, place: Place): unknown {
  if (typeof place !== 'string' || !place.startsWith('header:')) return readAt(body, place);
  const name = place.slice('header:'.length);
  const value = headers[name];
  if (name !== 'link') return value;
  return /<([^>]*)>[^,]*;\s*rel\s*=\s*["']?[^"',;]*\bnext\b/i.exec(value ?? '')?.[1];
}

function isEnd({ end }: PagingProfile, value: unknown, sent: string | undefined): boolean {
  const forms = end ?? ['null', 'absent', ''];
  if (value === null) return forms.includes('null');
  if (value === undefined) return forms.includes('absent');
  if (value === '') return forms.includes('');
  const isText = typeof value === 'string' || typeof value === 'number';
  return isText && forms.includes('same') && String(value) === sent;
}

/** Whether there is more, if the profile names a flag. */
function moreAt({ more }: PagingProfile, body: unknown): boolean | undefined {
  if (more === undefined || more === null) return undefined;
  const isNegated = more.startsWith('!');
  const value = readAt(body, isNegated ? more.slice(1) : more);
  if (typeof value !== 'boolean') {
    throw new ProfileContradiction('paging.more', `"${more}" is neither true nor false`);
  }
  return value !== isNegated;
}

function countAt(body: unknown, place: Place | null | undefined, key: string): number | undefined {
  if (place === undefined || place === null) return undefined;
  const count = readAt(body, place);
  if (!Number.isSafeInteger(count)) {
    throw new ProfileContradiction(key, `"${String(place)}" is no whole number`);
  }
  return count as number;
}
