/** `findMeaning`: what the members next to a list, or the headers of its response, say about it. */

/**
 * - `continues`, `ends`: more follows if it is set, or if it is not. `last` can be a link or a number: only false counts.
 * - `remains`: more may follow if it is set, and it may be another figure, such as one of a rate limit.
 * - `failed`, `must_hold`: what was shown is not the list if it is set, or if it is not.
 * - `status`, `code`: an HTTP status, or a word for one.
 * - `item_count`, `page_count`, `offset`: figures that the pages must bear out.
 * - `echo`: what was asked for, repeated.
 */
export type Meaning =
  | 'continues'
  | 'ends'
  | 'last'
  | 'remains'
  | 'failed'
  | 'must_hold'
  | 'status'
  | 'code'
  | 'item_count'
  | 'page_count'
  | 'offset'
  | 'echo'
  | 'none';

const meaningOf = new Map<string, Meaning>([
  ...named('continues', 'hasmore', 'more', 'truncated', 'istruncated', 'continue', 'after'),
  ...named('continues', 'cursor', 'pagetoken', 'scrollid', 'marker', 'bookmark', 'resumetoken'),
  ...named('continues', 'lastevaluatedkey'),
  ...named('failed', 'timedout', 'incomplete', 'isincomplete', 'ispartial', 'stale', 'isstale'),
  ...named('failed', 'failed', 'failure', 'failures', 'degraded', 'exception', 'fault', 'problem'),
  ...named('failed', 'iserror', 'haserror', 'haserrors'),
  ...named('failed', 'message', 'detail', 'retryafter', 'cached', 'iscached', 'fromcache'),
  ...named('ends', 'complete', 'iscomplete'),
  ...named('last', 'last', 'islast', 'islastpage'),
  ...named('must_hold', 'success', 'ok'),
  ...named('status', 'status', 'state', 'result', 'outcome'),
  ...named('code', 'code', 'statuscode', 'httpstatus', 'httpcode'),
  ...named('item_count', 'count'),
  ...named('page_count', 'totalpages', 'pagecount', 'pagetotal', 'pages', 'lastpage', 'numpages'),
  ...named('page_count', 'page', 'pagenumber', 'currentpage', 'paginationtotalpages'),
  ...named('offset', 'offset', 'skip', 'skipped', 'startindex'),
  ...named('echo', 'filter', 'filters', 'query', 'request', 'params', 'criteria'),
  ...named('none', 'ratelimit'),
]);

/** `next_cursor`, `hasNextPage`, `errors`, `partial_results`: whatever follows the word. */
const meaningOfBeginning: readonly (readonly [string, Meaning])[] = [
  ['next', 'continues'],
  ['hasnext', 'continues'],
  ['continuation', 'continues'],
  ['error', 'failed'],
  ['warning', 'failed'],
  ['partial', 'failed'],
];

/** `total_orders`, `recordsTotal`, `numFound`, `result_count`. Not `total_amount_cents`. */
const itemCount =
  /^(?:total|num(?:ber)?(?:of)?|pagination)?(?:items?|results?|records?|rows?|orders?|cases?|elements?|entries|hits|matches|found|docs|total)(?:total|count|found)?$/;

/** `more_items`, `moreAvailable`. Not `more_info`, which leads a person to a page. */
const more = /^more(?:items?|results?|records?|orders?|pages?|data|available)$/;

/** `remaining`, `remainingItemCount`. Not `remaining_balance_cents`. */
const remaining = /^remaining(?:items?|results?|records?|orders?|pages?)?(?:count)?$/;

/** The meanings of the names that were met: a service writes the same few on every page. */
const known = new Map<string, Meaning | undefined>();
const mostKnown = 500;
/** A hostile service may write names of megabytes, which would stay in memory for good. */
const longestKnown = 100;

/** `has_more`, `hasMore` and `HAS-MORE` are one word. `undefined`: it says nothing that is known. */
export function findMeaning(name: string): Meaning | undefined {
  const meaning = known.get(name);
  if (meaning !== undefined || known.has(name)) return meaning;
  const found = readMeaning(name);
  if (known.size < mostKnown && name.length <= longestKnown) known.set(name, found);
  return found;
}

function readMeaning(name: string): Meaning | undefined {
  const word = /[^a-z]/.test(name) ? name.replace(/^@odata\.|[_\-. ]/g, '').toLowerCase() : name;
  const meaning = meaningOf.get(word);
  if (meaning !== undefined) return meaning;
  for (const [beginning, each] of meaningOfBeginning) {
    if (word.startsWith(beginning)) return each;
  }
  if (more.test(word)) return 'continues';
  if (remaining.test(word)) return 'remains';
  return itemCount.test(word) ? 'item_count' : undefined;
}

/** What a header of the service says: `x-total-count`, `x-next-page`. Those of HTTP have their own meaning. */
export function findHeaderMeaning(name: string): Meaning | undefined {
  if (name === 'retry-after') return 'failed';
  // A cache's headers are read by `findCacheSign`.
  if (!name.startsWith('x-') || name.includes('cache')) return undefined;
  const meaning = findMeaning(name.slice(2));
  // `x-cursor`, `x-status` and `x-code` are used for anything.
  const isOwn = meaning === 'item_count' || meaning === 'page_count' || meaning === 'failed';
  return isOwn || /^x-(?:has-?(?:more|next)|next|truncated)/.test(name) ? meaning : undefined;
}

/** Words of a success in the place of a status, a code or a message: "OK", "Success", and the numbers 0 and 200. */
export function isGoodWord(value: unknown): boolean {
  const isWord = typeof value === 'string' || typeof value === 'number';
  return isWord && goodWord.test(String(value).trim());
}

const goodWord =
  /^(?:ok|okay|success|succeeded|successful|completed?|created|accepted|0|200)[.!]?$/i;

function named(meaning: Meaning, ...words: readonly string[]): (readonly [string, Meaning])[] {
  return words.map((word) => [word, meaning]);
}
