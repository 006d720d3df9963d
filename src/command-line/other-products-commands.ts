/** The commands `sessions`, `cases` and `links`: what becomes of a running emulator's hosted checkouts, cases and links. */

import type { Command } from 'commander';
import { formatPrice } from '../testing/console/format.js';
import { ActionGroup, listAction, type Json } from './control-action.js';
import type { CommandTerminal } from './terminal.js';
import { cents } from './values.js';

export function addSessions(program: Command, terminal: CommandTerminal): void {
  const sessions = new ActionGroup(program, 'sessions', terminal);
  sessions.command
    .summary('list hosted checkouts, or pay one')
    .description('Lists the hosted checkouts of a running emulator, or pays one as its buyer does.')
    .addHelpText('after', '\nExample: market-partner-sdk sessions pay cs_1001');
  addList(sessions, 'hosted checkout', '/sessions', sessionLine);
  sessions.add<[id: string]>('pay <session_id>', 'the buyer pays', async (client, [id]) => {
    await client.post(`/sessions/${encodeURIComponent(id)}/payCheckout`);
    return { value: { session_id: id }, text: `${id} is paid` };
  });
}

export function addCases(program: Command, terminal: CommandTerminal): void {
  const cases = new ActionGroup(program, 'cases', terminal);
  cases.command
    .summary('list brokerage cases, or close one')
    .description(
      'Lists the brokerage cases of a running emulator, or closes one as the marketplace does.',
    )
    .addHelpText('after', '\nExample: market-partner-sdk cases close case_1001 --price 420000');
  addList(cases, 'brokerage case', '/cases', caseLine);
  cases
    .add<[id: string], { readonly deal: boolean; readonly price?: number }>(
      'close <case_id>',
      'close a case with a deal, which emits its event',
      async (client, [id], { deal, price }) => {
        const closed = await client.post(`/cases/${encodeURIComponent(id)}/closeCase`, {
          outcome: deal ? 'deal' : 'no_deal',
          price_cents: price,
        });
        return { value: closed, text: caseLine(closed as Json) };
      },
    )
    .option('--price <cents>', 'what the domain cost, in minor units, such as 420000', cents)
    .option('--no-deal', 'close it without a deal, and without an event');
}

export function addLinks(program: Command, terminal: CommandTerminal): void {
  const links = new ActionGroup(program, 'links', terminal);
  links.command
    .summary('list tracking links; visit, and buy through one')
    .description('Lists the tracking links of a running emulator, or does what a visitor does.')
    .addHelpText('after', '\nExample: market-partner-sdk links click lnk_1001');
  addList(links, 'tracking link', '/links', linkLine);
  const addVisit = (name: string, route: string, summary: string, did: (id: string) => string) =>
    links.add<[id: string]>(`${name} <link_id>`, summary, async (client, [id]) => {
      await client.post(`/links/${encodeURIComponent(id)}/${route}`);
      return { value: { link_id: id }, text: did(id) };
    });
  addVisit(
    'click',
    'recordReferralClick',
    'a visitor follows a link',
    (id) => `a visitor followed ${id}`,
  );
  addVisit(
    'checkout',
    'recordReferralCheckout',
    'a visitor begins a checkout',
    (id) => `a visitor of ${id} began a checkout`,
  );
  links
    .add<[id: string, domain: string, cents: number]>(
      'sell <link_id> <domain>',
      'a visitor buys a domain',
      async (client, [id, domain, amount_cents]) => {
        const path = `/links/${encodeURIComponent(id)}/recordReferralSale`;
        const sale = await client.post(path, { domain, amount_cents });
        return { value: sale, text: referralSaleLine(sale as Json) };
      },
    )
    .argument('<cents>', 'minor units, such as 250000', cents);
  links.add<[id: string]>(
    'reverse <sale_id>',
    'cancel a sale, and reverse its commission',
    async (client, [id]) => {
      await client.post(`/sales/${encodeURIComponent(id)}/reverseReferralSale`);
      return { value: { sale_id: id }, text: `${id} is reversed` };
    },
  );
}

function addList(
  group: ActionGroup,
  name: string,
  path: string,
  lineOf: (each: Json) => string,
): void {
  const list = listAction(`${path}?limit=1000`, lineOf, `no ${name}`);
  group.add('list', `list the ${name}s (without an action)`, list, { isDefault: true });
}

function sessionLine(session: Json): string {
  const { session_id, domain, price_cents, currency, checkout_url } = session;
  const price = formatPrice(Number(price_cents), String(currency));
  return `${String(session_id)} ${String(domain)} ${price} ${sessionState(session)} ${String(checkout_url)}`;
}

function sessionState({ is_paid, expires_in_ms, expires_at }: Json): string {
  if (is_paid === true) return 'paid';
  return Number(expires_in_ms) === 0 ? 'expired' : `open until ${String(expires_at)}`;
}

function caseLine(brokerage: Json): string {
  const { case_id, domain = '(no domain)', tier, buyer_email, status, outcome } = brokerage;
  const { price_cents, progress_url } = brokerage;
  const price = typeof price_cents === 'number' ? [formatPrice(price_cents, 'USD')] : [];
  return [case_id, domain, tier, buyer_email, status, outcome ?? [], price, progress_url]
    .flat()
    .join(' ');
}

function linkLine({ link_id, type, domain, product, clicks, sales, url }: Json): string {
  const target = [domain ?? product ?? []].flat();
  return [link_id, type, ...target, 'clicks:', clicks, 'sales:', sales, url].join(' ');
}

function referralSaleLine({ sale_id, domain, amount_cents, commission_cents, currency }: Json) {
  const [amount, commission] = [amount_cents, commission_cents].map((each) =>
    formatPrice(Number(each), String(currency)),
  );
  return `${String(sale_id)} ${String(domain)} ${amount ?? ''}, commission ${commission ?? ''}`;
}
