// Finds domains for what a buyer types, and reads what each of them costs. It only reads.
//
//   node examples/search-and-price.mjs "coffee shop"

import { InvalidRequestError, NotFoundError } from 'market-partner-sdk';
import { connect } from './connect.mjs';
import { facts, price, note, row, step, title } from './print.mjs';

const { market, where, close } = await connect({ scopes: ['search'], readsOnly: true });
const words = process.argv[2] ?? 'coffee shop';
title(`What is for sale for "${words}"`, where);

step('Search', `market.domains.search('${words}')`);
const listings = await market.domains.search(words);
for (const { domain } of listings) row(domain, '');
if (listings.length === 0) row('nothing', 'is listed for these words');

step('Prices', 'market.domains.getPricing(domain), all at once');
const priced = await Promise.all(listings.map(({ domain }) => priceOf(domain)));
for (const { domain, pricing } of priced) {
  if (pricing === undefined) row(domain, 'was sold meanwhile');
  else row(domain, inWords(pricing));
}

const [first] = listings;
if (first?.domain !== undefined) {
  step('One of them', `market.domains.get('${first.domain}')`);
  const { available, metadata = {} } = await market.domains.get(first.domain);
  row('available', available);
  for (const [name, value] of Object.entries(metadata)) row(name, [value].flat().join(', '));
}

step('Your own idea', 'market.domains.checkAvailability(domain)');
const idea = await market.domains.checkAvailability('Bücher-und-Kaffee.example');
row(idea.domain, idea.available ? 'is for sale' : 'is not for sale: an answer, and no error');

step('Not listed', 'market.domains.getPricing(domain)');
await market.domains.getPricing('nobody-lists-this.example').catch((error) => {
  if (!(error instanceof NotFoundError)) throw error;
  facts(error);
});

step('Not a domain', "market.domains.getPricing('https://brew.example/')");
try {
  await market.domains.getPricing('https://brew.example/');
} catch (error) {
  if (!(error instanceof InvalidRequestError)) throw error;
  facts(error);
  for (const { path, message } of error.issues) row(path, message);
}

await close();
note('Prices are what the seller asks now; a quote holds one for ten minutes: sell-a-domain.mjs.');

/** A domain can be sold between the search and this call: that is no failure of the page. */
async function priceOf(domain) {
  try {
    return { domain, pricing: await market.domains.getPricing(domain) };
  } catch (error) {
    if (error instanceof NotFoundError) return { domain, pricing: undefined };
    throw error;
  }
}

function inWords(pricing) {
  const { buy_now_price_cents, floor_price_cents, currency } = pricing;
  const floor =
    floor_price_cents === undefined ? '' : `, from ${price(floor_price_cents, currency)}`;
  return `${price(buy_now_price_cents, currency)}${floor}`;
}
