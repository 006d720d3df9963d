/** The default test domains: names under reserved suffixes, invented prices. */

import type { Environment } from '../credentials.js';
import { randomFrom } from '../identifiers.js';
import type { ListingInput } from './records.js';

/** Words that mean similar things; a search for one finds the others. */
export const themes: Readonly<Record<string, readonly string[]>> = {
  coffee: ['brew', 'coffee', 'roast', 'espresso', 'cafe', 'latte', 'beans'],
  travel: ['travel', 'voyage', 'trip', 'journey', 'flight', 'hotel', 'tour'],
  money: ['finance', 'money', 'bank', 'invest', 'loan', 'credit', 'fund'],
  health: ['health', 'clinic', 'doctor', 'wellness', 'fitness', 'yoga', 'care'],
  garden: ['garden', 'flower', 'plant', 'seed', 'bloom', 'orchard', 'lawn'],
  animals: ['pet', 'dog', 'cat', 'puppy', 'vet', 'horse', 'kitten'],
  music: ['music', 'song', 'guitar', 'piano', 'concert', 'melody', 'vinyl'],
  home: ['home', 'house', 'kitchen', 'furniture', 'sofa', 'interior', 'roof'],
  sport: ['sport', 'football', 'tennis', 'running', 'cycling', 'climb', 'surf'],
  software: ['code', 'software', 'cloud', 'data', 'app', 'robot', 'server'],
  learning: ['learn', 'school', 'course', 'teacher', 'study', 'tutor', 'academy'],
  fashion: ['fashion', 'dress', 'shoes', 'jewel', 'denim', 'tailor', 'style'],
  food: ['food', 'bakery', 'pizza', 'recipe', 'bread', 'cheese', 'noodle'],
  space: ['space', 'planet', 'rocket', 'comet', 'orbit', 'galaxy', 'moon'],
  sea: ['ocean', 'sailing', 'harbor', 'beach', 'island', 'yacht', 'coral'],
};

const endings = [
  'hub',
  'lab',
  'works',
  'club',
  'market',
  'studio',
  'guide',
  'nest',
  'point',
  'shop',
] as const;

const suffixes = ['example', 'test'] as const;

/**
 * Sandbox and test have the same kind of test domains; live names are marked, so that a credential
 * of the wrong environment shows at once (specification, part 1, rule 3).
 */
export function seedListings(seed: number, environment: Environment): ListingInput[] {
  const random = randomFrom(seed);
  const pick = <Item>(items: readonly [Item, ...Item[]]): Item =>
    items[Math.floor(random() * items.length)] ?? items[0];
  const mark = environment === 'live' ? '-live' : '';
  const listings: ListingInput[] = [];
  for (const [theme, words] of Object.entries(themes)) {
    for (const word of words) {
      const first = pick(endings);
      const second = pick(endings);
      const names = new Set([
        `${word}${mark}.example`,
        `${word}${first}${mark}.${pick(suffixes)}`,
        `${word}-${second}${mark}.${pick(suffixes)}`,
      ]);
      for (const name of names) {
        const drawn_cents = 50_000 + Math.floor(random() * 900) * 500;
        // The example and the price of the documentation.
        const price_cents = name === `brew${mark}.example` ? 250_000 : drawn_cents;
        listings.push({ domain: name, price_cents, metadata: { category: theme, words: [word] } });
      }
    }
  }
  return listings;
}

/** Domains that run an active site from the start, so that some domains are not eligible. */
export const activeSites = [
  'daily-news.example',
  'busy-shop.example',
  'town-hall.example',
] as const;
