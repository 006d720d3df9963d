/** The command `market-partner-sdk domains`: what a running emulator sells, and for how much. */

import type { Command } from 'commander';
import { formatPrice } from '../testing/console/format.js';
import { ActionGroup, type Json } from './control-action.js';
import type { CommandTerminal } from './terminal.js';
import { cents } from './values.js';

/** `domains find` without a text shows the beginning of some three hundred. */
const shownDomains = 20;

export function addDomains(program: Command, terminal: CommandTerminal): void {
  const domains = new ActionGroup(program, 'domains', terminal);
  domains.command
    .summary('find, list, reprice and delist domains')
    .description(
      'Finds the domains that a running emulator sells in its sandbox, and changes them. <cents> is a price in minor units: 250000 is 2,500.00 USD.',
    )
    .addHelpText('after', '\nExample: market-partner-sdk domains reprice brew.example 260000');
  domains.add<[text?: string]>(
    'find [text]',
    'domains whose name has this text (without an action)',
    async (client, [text = '']) => {
      const query = `search=${encodeURIComponent(text)}&limit=${shownDomains}`;
      const found = (await client.get(`/domains?${query}`)) as Json[];
      if (found.length > 0) return { value: found, text: found.map(domainLine).join('\n') };
      // One domain that is not listed: the response says whether it was sold.
      if (text.includes('.')) await client.get(`/domains/${encodeURIComponent(text)}`);
      return { value: found, text: 'no domain has this text in its name' };
    },
    { isDefault: true },
  );
  const addPriced = (name: string, summary: string) =>
    domains
      .add<[domain: string, cents: number]>(
        `${name} <domain>`,
        summary,
        async (client, [domain, price_cents]) => {
          const listed = await client.post(`/${name}`, { domain, price_cents });
          return { value: listed, text: domainLine(listed as Json) };
        },
      )
      .argument('<cents>', 'minor units, such as 250000', cents);
  addPriced('list', 'put a domain on sale');
  addPriced('reprice', 'change a price; quotes keep theirs');
  domains.add<[domain: string]>(
    'delist <domain>',
    'take a domain off sale',
    async (client, [domain]) => {
      await client.post('/delist', { domain });
      return { value: { domain }, text: `${domain} is no longer for sale` };
    },
  );
}

function domainLine({ domain, price_cents, currency, reserved_until }: Json): string {
  const price = formatPrice(Number(price_cents), String(currency));
  const until = typeof reserved_until === 'string' ? ` reserved until ${reserved_until}` : '';
  return `${String(domain)} ${price}${until}`;
}
