/** `learnPaging`: how a list leads on, learned only where another page has other records. */

import type { PagingProfile } from '../../client/profile/profile.js';
import { isRecord } from '../../core/json.js';
import { listIn, membersOf, type Found } from './infer.js';
import type { Query, Seen } from './learn-reads.js';

type Read = (query: Query) => Promise<Seen | undefined>;

/**
 * @param none - the list of a name that nobody lists: what the end looks like
 * @returns what differs from the default; a text that says why it stays open; `undefined` without a second page
 */
export async function learnPaging(
  first: Seen | undefined,
  none: Seen | undefined,
  read: Read,
): Promise<Partial<PagingProfile> | string | undefined> {
  const list = listIn(first?.body);
  if (first === undefined || list === undefined) return undefined;
  const records = list.value as readonly unknown[];
  if (records.length === 0) return undefined;
  const beside = membersOf(first.body).filter(({ place }) => place !== list.place);
  const differs = async (query: Query) => {
    const next = listIn((await read({ limit: '2', ...query }))?.body)?.value as
      readonly unknown[] | undefined;
    return next !== undefined && next.length > 0 && !hasSame(records, next);
  };
  const link = linkIn(first, beside);
  if (link !== undefined) return { by: 'link', next: link, ...endAt(link, none) };
  const cursor = beside.find(isCursor);
  if (cursor !== undefined) {
    for (const param of parametersFor(cursor.place)) {
      if (!(await differs({ [param]: String(cursor.value) }))) continue;
      return {
        ...(cursor.place === 'next_cursor' && param === 'cursor' ? {} : { by: 'cursor' as const }),
        ...(cursor.place === 'next_cursor' ? {} : { next: cursor.place }),
        ...(param === 'cursor' ? {} : { param }),
        ...endAt(cursor.place, none, cursor.place !== 'next_cursor' || param !== 'cursor'),
      };
    }
    return `"${cursor.place}" is taken by no parameter that was tried`;
  }
  const more = beside.find(({ value }) => value === true);
  const last = idOf(records.at(-1));
  if (more !== undefined && last !== undefined) {
    for (const param of ['starting_after', 'after']) {
      if (await differs({ [param]: last.value })) {
        const id = last.name === 'id' ? {} : { id: last.name };
        return { by: 'last', param, more: more.place, ...id };
      }
    }
  }
  const pages = beside.find(
    ({ place, value }) => isCount(value) && /pages$/i.test(lastName(place)),
  );
  if (pages !== undefined && (await differs({ page: '2' }))) {
    return { by: 'page', pages: pages.place };
  }
  const total = beside.find(
    ({ place, value }) => isCount(value) && /^(?:total|count)/i.test(lastName(place)),
  );
  if (total !== undefined && (await differs({ offset: '2' }))) {
    return { by: 'offset', total: total.place };
  }
  return undefined;
}

/** The place of a next link: an address of the same path, or the Link header. */
export function linkIn({ path, headers }: Seen, beside: readonly Found[]): string | undefined {
  if (/\brel="?next\b/.test(headers.link ?? '')) return 'header:link';
  const isLink = (value: unknown) => typeof value === 'string' && value.includes(`${path}?`);
  return beside.find(({ place, value }) => isLink(value) && /next/i.test(place))?.place;
}

/** A text or a number that leads on is no address, no count, and stands at a place that says so. */
function isCursor({ place, value }: Found): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  return value !== '' && /cursor|next|after|token/i.test(place) && !String(value).includes('://');
}

function parametersFor(place: string): readonly string[] {
  const name = lastName(place);
  const bare = name.replace(/^next_?/i, '').replace(/^./, (letter) => letter.toLowerCase());
  return [...new Set(['cursor', bare, 'after', name].filter((each) => each !== ''))].slice(0, 3);
}

function endAt(place: string, none: Seen | undefined, isExact = true): Pick<PagingProfile, 'end'> {
  if (!isExact || place.startsWith('header:') || !isRecord(none?.body)) return {};
  // An error in place of an empty list does not show how a list ends.
  if (none.status >= 300) return {};
  const found = membersOf(none.body).find((member) => member.place === place);
  const end = found === undefined ? 'absent' : found.value === null ? 'null' : found.value;
  return end === 'absent' || end === '' ? { end: [end] } : {};
}

function hasSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  const known = new Set(one.map((each) => JSON.stringify(each)));
  return other.some((each) => known.has(JSON.stringify(each)));
}

function idOf(record: unknown): { name: string; value: string } | undefined {
  for (const name of ['public_id', 'publicId', 'id']) {
    const value = (Object(record) as Record<string, unknown>)[name];
    if (typeof value === 'string') return { name, value };
  }
  return undefined;
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value);
}

function lastName(place: string): string {
  return place.slice(place.lastIndexOf('.') + 1);
}
