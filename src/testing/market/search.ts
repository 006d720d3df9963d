/** Search for domains (specification, 4.1). */

import { themes } from './seed.js';
import type { EmulatorListing } from './records.js';

/** Specification, parts 4.1 and 8. */
const maxResults = 5;

const scores = {
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

/** The most relevant listings, best first: exact names, then words, then words of a similar meaning. */
export function search(listings: Iterable<EmulatorListing>, query: string): EmulatorListing[] {
  const text = query.normalize('NFKC').toLowerCase().trim();
  const words = [...new Set(text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== ''))];
  const scored: { listing: EmulatorListing; score: number }[] = [];
  for (const listing of listings) {
    const score = relevance(listing, text, words);
    if (score > 0) scored.push({ listing, score });
  }
  return scored
    .sort((a, b) => b.score - a.score || (a.listing.domain < b.listing.domain ? -1 : 1))
    .slice(0, maxResults)
    .map(({ listing }) => listing);
}

function relevance(listing: EmulatorListing, text: string, words: readonly string[]): number {
  const { domain } = listing;
  const label = domain.slice(0, domain.indexOf('.'));
  let score = domain === text ? scores.domain : label === text ? scores.label : 0;
  for (const word of words) score += wordScore(listing, label, word);
  return score;
}

function wordScore(listing: EmulatorListing, label: string, word: string): number {
  const own = Array.isArray(listing.metadata.words) ? listing.metadata.words : [];
  if (own.includes(word)) return scores.keyword;
  if (label.split('-').includes(word)) return scores.word;
  // One letter is part of nearly every name.
  if (word.length < 2) return 0;
  if (label.startsWith(word)) return scores.prefix;
  if (label.includes(word)) return scores.inside;
  const theme = themeOfWord.get(word);
  return theme !== undefined && listing.metadata.category === theme ? scores.related : 0;
}
