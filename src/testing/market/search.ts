import type { Listing } from './inventory.js';
import { themes } from './seed.js';

/** Specification, parts 4.1 and 8. */
const maxResults = 5;

const points = {
  domain: 100,
  label: 60,
  keyword: 20,
  word: 12,
  prefix: 8,
  inside: 4,
  related: 3,
} as const;

const themeOfWord = new Map(
  Object.entries(themes).flatMap(([theme, words]) =>
    [theme, ...words].map((word) => [word, theme] as const),
  ),
);

/** The most relevant listings, best first: exact names, then words, then words of a like meaning. */
export function search(listings: Iterable<Listing>, query: string): Listing[] {
  const text = query.normalize('NFKC').toLowerCase().trim();
  const words = [...new Set(text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== ''))];
  const scored: { listing: Listing; score: number }[] = [];
  for (const listing of listings) {
    const score = relevance(listing, text, words);
    if (score > 0) scored.push({ listing, score });
  }
  return scored
    .sort((a, b) => b.score - a.score || (a.listing.domain < b.listing.domain ? -1 : 1))
    .slice(0, maxResults)
    .map(({ listing }) => listing);
}

function relevance(listing: Listing, text: string, words: readonly string[]): number {
  const { domain } = listing;
  const label = domain.slice(0, domain.indexOf('.'));
  let score = domain === text ? points.domain : label === text ? points.label : 0;
  for (const word of words) score += closeness(listing, label, word);
  return score;
}

function closeness(listing: Listing, label: string, word: string): number {
  const own = Array.isArray(listing.metadata.words) ? listing.metadata.words : [];
  if (own.includes(word)) return points.keyword;
  if (label.split('-').includes(word)) return points.word;
  // One letter is inside of nearly every name and says nothing.
  if (word.length < 2) return 0;
  if (label.startsWith(word)) return points.prefix;
  if (label.includes(word)) return points.inside;
  const theme = themeOfWord.get(word);
  return theme !== undefined && listing.metadata.category === theme ? points.related : 0;
}
