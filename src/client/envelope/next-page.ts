/** `findNextPage`: where the next page of a list begins. `queryAt`: the query that asks for it. */

import { isRecord } from '../../core/json.js';
import { parseUrl } from '../../core/parse-url.js';
import { defaultPlaces } from '../assumptions.js';
import { canonicalQuery } from '../protocol/query.js';
import { CompletenessCheck, type StatedCount } from './completeness.js';

/** What is known of a page besides its JSON. */
export interface PageOfList {
  readonly body: unknown;
  readonly items: readonly unknown[];
  readonly headers: Readonly<Record<string, string>>;
  /** The full path of the list. */
  readonly path: string;
  /** The query of the call, whose filters hold for all pages. */
  readonly query: string;
  /** The parameter that takes a cursor. */
  readonly cursorParam: string;
  /** The position that was sent for this page. */
  readonly sent: string | undefined;
}

/** How a list goes on. Neither: it ends here, as far as its envelope says. */
export interface NextPage {
  /** A cursor, or the query of a next link in the form `link:?page=2`. Both are passed as a cursor. */
  readonly position?: string;
  /** What says that there is more, in a form that cannot be followed. */
  readonly unreadable?: string;
  /** What says that there may be more, or is another figure: `remaining: 3`. */
  readonly remains?: string | undefined;
  /** The counts of the whole list that the last page states. */
  readonly itemCount?: StatedCount | undefined;
  readonly pageCount?: StatedCount | undefined;
}

const {
  next: [documentedCursor, ...otherCursors],
  customaryParam,
} = defaultPlaces.paging;

const linkPrefix = 'link:?';

/** Envelopes are two levels deep; deeper is data. */
const deepestLevel = 3;

export function findNextPage(page: PageOfList): NextPage {
  const holders = holdersOf(page.body);
  const documented = findCursor(holders, page, [documentedCursor]);
  if (documented !== undefined) return documented;
  const link = findLink(holders, page.headers);
  if (link !== undefined) return followLink(link, page);
  const cursor = findCursor(holders, page, otherCursors);
  if (cursor !== undefined) return cursor;
  const check = new CompletenessCheck();
  check.add(page.body, page.items, page.headers, page.sent);
  const { continuation, remains, itemCount, pageCount } = check;
  return {
    ...(continuation === undefined ? {} : { unreadable: continuation }),
    remains,
    itemCount,
    pageCount,
  };
}

/** A position that is a query of its own. */
export function linkPosition(pairs: readonly (readonly [string, string])[]): string {
  return linkPrefix + canonicalQuery(pairs);
}

/**
 * The query of the same call at another position. A link's values replace those of the call.
 *
 * @param cursorParam - ours, which a caller's query may have
 * @param sentParam - the service's
 */
export function queryAt(
  query: string,
  cursorParam: string,
  position: string,
  sentParam = cursorParam,
): string {
  const link = position.startsWith(linkPrefix)
    ? [...new URLSearchParams(position.slice(linkPrefix.length))]
    : [[sentParam, position] as const];
  const replaced = new Set([cursorParam, ...link.map(([name]) => name)]);
  const filters = [...new URLSearchParams(query)].filter(([name]) => !replaced.has(name));
  return canonicalQuery([...filters, ...link]);
}

interface Holder {
  /** Its own name in the body around it; empty for the body. */
  readonly name: string;
  readonly members: Readonly<Record<string, unknown>>;
}

/** The body and the objects of its envelope, the outer ones first. */
function holdersOf(body: unknown): readonly Holder[] {
  const found: Holder[] = isRecord(body) ? [{ name: '', members: body }] : [];
  let level = found;
  for (let depth = 1; depth < deepestLevel; depth += 1) {
    level = level.flatMap(({ members }) =>
      Object.entries(members).flatMap(([name, inner]) =>
        isRecord(inner) ? [{ name: wordOf(name), members: inner }] : [],
      ),
    );
    found.push(...level);
  }
  return found;
}

function findCursor(
  holders: readonly Holder[],
  { cursorParam, sent }: PageOfList,
  names: readonly string[],
): NextPage | undefined {
  for (const wanted of names) {
    for (const holder of holders) {
      for (const [name, value] of Object.entries(holder.members)) {
        const word = holder.name === 'cursors' ? `cursors${wordOf(name)}` : wordOf(name);
        if (word !== wanted || !isCursor(value) || isPassed(wanted, value, holder, sent)) continue;
        if (typeof value === 'number' && !Number.isSafeInteger(value)) {
          return { unreadable: `"${name}" is a number that JSON cannot hold exactly` };
        }
        const custom = customaryParam.get(wanted);
        const cursor = String(value);
        if (custom === undefined || custom === cursorParam) return { position: cursor };
        return {
          position: linkPosition([
            [custom, cursor],
            [cursorParam, cursor],
          ]),
        };
      }
    }
  }
  return undefined;
}

function isCursor(value: unknown): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && value !== '');
}

/** A cursor that says where this page begins, or where a list ends that says so beside it. */
function isPassed(
  name: string,
  value: string | number,
  { members }: Holder,
  sent: string | undefined,
): boolean {
  if (name === 'cursor') return String(value) === sent;
  return name === 'endcursor' && (members.hasNextPage ?? members.has_next_page) === false;
}

export interface Link {
  /** What it is called, for an error. */
  readonly name: string;
  readonly address: string;
}

function findLink(
  holders: readonly Holder[],
  headers: Readonly<Record<string, string>>,
): Link | undefined {
  const header = /<([^>]*)>[^,]*;\s*rel\s*=\s*["']?[^"',;]*\bnext\b/i.exec(headers.link ?? '');
  if (header !== null) return { name: 'Link: rel=next', address: header[1] ?? '' };
  for (const { members } of holders) {
    for (const [name, value] of Object.entries(members)) {
      const address = addressOf(name, value);
      if (address !== undefined) return { name: `"${name}"`, address };
    }
  }
  return undefined;
}

/** `next: URL`, `next: { href }`, `@odata.nextLink`, `links: [{ rel: 'next', href }]`. */
function addressOf(name: string, value: unknown): string | undefined {
  if (Array.isArray(value)) {
    const next = (value as unknown[]).find((link) => isRecord(link) && link.rel === 'next');
    return isRecord(next) ? addressOf('next', next) : undefined;
  }
  if (!/^(?:odata)?next/.test(wordOf(name))) return undefined;
  const address = isRecord(value) ? value.href : value;
  return typeof address === 'string' && /^(?:https?:\/\/|\?|\/[^?]*\?)/i.test(address)
    ? address
    : undefined;
}

/** Only the query of a link is followed: this client decides the host, the path and the filters. */
export function followLink({ name, address }: Link, page: PageOfList): NextPage {
  const { path, query, cursorParam } = page;
  const url = parseUrl(address, `http://service${path}`);
  if (url === undefined || !isSamePath(url.pathname, path)) {
    return { unreadable: `${name} leads to another path` };
  }
  if (url.searchParams.size === 0) return { unreadable: `${name} has no query` };
  const sent = new URLSearchParams(query);
  for (const [filter, value] of url.searchParams) {
    if (filter === cursorParam || isPlace.test(filter)) continue;
    if (sent.has(filter) && !sent.getAll(filter).includes(value)) {
      return { unreadable: `${name} has another "${filter}" than the call` };
    }
  }
  return { position: linkPosition([...url.searchParams]) };
}

/** Parameters that say where a page begins and how long it is: they differ from page to page. */
const isPlace = /^(?:page|per_?page|offset|limit|size|cursor|after|before|start|skip|\$skip)/i;

/** A gateway may add or remove a prefix, and some services write a slash at the end. */
function isSamePath(linked: string, path: string): boolean {
  const tail = linked.replace(/\/$/, '');
  return tail.length > 1 && (path.endsWith(tail) || tail.endsWith(path));
}

function wordOf(name: string): string {
  return name.replace(/[^a-z]/gi, '').toLowerCase();
}
