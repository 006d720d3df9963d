/** The command `market-partner-sdk domains`: what a running emulator sells, and for how much. */

import { formatPrice } from '../testing/console/format.js';
import { actionCommand, type Json } from './actions.js';
import { UsageError } from './terminal.js';

/** `domains find` without a text shows the beginning of some three hundred. */
const shownDomains = 20;

export const domainsCommand = actionCommand({
  name: 'domains',
  description: `Finds the domains that a running emulator sells in its sandbox, and changes them. <cents> is a price
in minor units: 250000 is 2,500.00 USD.`,
  actions: {
    find: {
      positionals: ['[<text>]'],
      summary: 'domains whose name has this text (without an action)',
      run: async (client, [text = '']) => {
        const query = `search=${encodeURIComponent(text)}&limit=${shownDomains}`;
        const found = (await client.get(`/domains?${query}`)) as Json[];
        if (found.length > 0) return { value: found, text: found.map(domainLine).join('\n') };
        // One domain that is not listed: the response says whether it was sold.
        if (text.includes('.')) await client.get(`/domains/${encodeURIComponent(text)}`);
        return { value: found, text: 'no domain has this text in its name' };
      },
    },
    list: {
      positionals: ['<domain>', '<cents>'],
      summary: 'put a domain on sale',
      run: async (client, [domain, cents]) => {
        const listed = await client.post('/list', { domain, price_cents: readCents(cents) });
        return { value: listed, text: domainLine(listed as Json) };
      },
    },
    reprice: {
      positionals: ['<domain>', '<cents>'],
      summary: 'change a price; quotes keep theirs',
      run: async (client, [domain, cents]) => {
        const repriced = await client.post('/reprice', { domain, priceCents: readCents(cents) });
        return { value: repriced, text: domainLine(repriced as Json) };
      },
    },
    delist: {
      positionals: ['<domain>'],
      summary: 'take a domain off sale',
      run: async (client, [domain = '']) => {
        await client.post('/delist', { domain });
        return { value: { domain }, text: `${domain} is no longer for sale` };
      },
    },
  },
  byDefault: 'find',
  example: 'market-partner-sdk domains reprice brew.example 260000',
});

function domainLine({ domain, price_cents, currency, reserved_until }: Json): string {
  const price = formatPrice(Number(price_cents), String(currency));
  const until = typeof reserved_until === 'string' ? ` reserved until ${reserved_until}` : '';
  return `${String(domain)} ${price}${until}`;
}

function readCents(text = ''): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(
    `<cents> must be a whole number of minor units, such as 250000; received ${text}`,
  );
}
