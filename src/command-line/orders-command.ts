/** The command `market-partner-sdk orders`: places, lists and moves orders of a running emulator. */

import { Argument, type Command } from 'commander';
import { formatPrice } from '../testing/console/format.js';
import { staffTransitions } from '../testing/market/orders.js';
import { ActionGroup, listAction, type ActionResult, type Json } from './control-action.js';
import type { ControlClient } from './control-client.js';
import { UsageError, type CommandTerminal } from './terminal.js';

/** Finds a domain in every emulator with the default inventory. */
const sampleQuery = 'coffee';

const list = listAction('/orders?limit=1000', orderLine, 'no orders');

export function addOrders(program: Command, terminal: CommandTerminal): void {
  const orders = new ActionGroup(program, 'orders', terminal);
  orders.command
    .summary('list orders, or move one')
    .description(
      'Lists the orders of a running emulator, shows one, or moves it as the marketplace does.',
    )
    .addHelpText('after', '\nExample: market-partner-sdk orders place brew.example');
  orders.add('list', 'list the orders (without an action)', list);
  orders.add<[domain?: string]>(
    'place [domain]',
    'place a sample order: search, quote, order',
    async (client, [domain]) => {
      const { public_id } = await placeOrder(client, domain);
      return showOrMove(client, public_id);
    },
  );
  orders.add('settle', 'close the settlement period', async (client) => {
    const before = (await client.get('/orders?limit=1000')) as Json[];
    const count = before.filter(({ status }) => status === 'TRANSFER_COMPLETED').length;
    const payouts = async () => (await client.get('/payouts?limit=1000')) as Json[];
    const earlier = new Set((await payouts()).map(({ payout_id }) => payout_id));
    const statements = (await client.post('/settle')) as Json[];
    const paid = (await payouts()).filter(({ payout_id }) => !earlier.has(payout_id));
    return { value: statements, text: settledText(count, statements, paid) };
  });
  orders
    .add<[id?: string, move?: string]>(
      'show [public_id]',
      'show an order, or move it; "show" may be left out',
      async (client, [id, move]) =>
        id === undefined ? list(client) : showOrMove(client, id, move),
      { isDefault: true },
    )
    .addArgument(new Argument('[move]', 'what the marketplace does').choices(staffTransitions));
}

async function showOrMove(client: ControlClient, id: string, move?: string): Promise<ActionResult> {
  const path = `/orders/${encodeURIComponent(id)}`;
  const shown = move === undefined ? client.get(path) : client.post(`${path}/${move}`);
  const order = (await shown) as Json;
  return { value: order, text: orderLine(order) };
}

function orderLine(order: Json): string {
  const { public_id, domain, status, sale_price_cents, currency, actions } = order;
  const price = formatPrice(Number(sale_price_cents), String(currency));
  const next = (actions as string[]).join(', ');
  return `${String(public_id)} ${String(domain)} ${price} ${String(status)} (${next})`;
}

function settledText(count: number, statements: readonly Json[], payouts: readonly Json[]): string {
  const amounts = (records: readonly Json[], field: string) =>
    records.map((each) => formatPrice(Number(each[field]), String(each.currency))).join(' and ');
  return [
    `settled ${count} order${count === 1 ? '' : 's'}`,
    ...(statements.length === 0 ? [] : [`you owe ${amounts(statements, 'amount_owed_cents')}`]),
    ...(payouts.length === 0 ? [] : [`you are paid ${amounts(payouts, 'amount_cents')}`]),
  ].join('; ');
}

interface Credential {
  readonly keyId: string;
  readonly scopes: readonly string[];
  readonly environment: string;
}

/**
 * Places a sample order with one of the emulator's own credentials, as a partner's program does: searches, asks for
 * a quote and orders.
 *
 * @param domain - the domain to sell; unless given, the first that a search finds
 */
async function placeOrder(
  control: ControlClient,
  domain: string | undefined,
): Promise<{ readonly public_id: string }> {
  const { MarketClient } = await import('../client/client.js');
  const state = (await control.get('/state?limit=1')) as { baseUrl: string };
  const { keyId } = await findCredential(control);
  const path = `/credentials/${encodeURIComponent(keyId)}/revealSecret`;
  const { secret } = (await control.post(path)) as { secret: string };
  const clock = (await control.get('/clock')) as { now: number };
  const aheadMs = clock.now - Date.now();
  const market = new MarketClient({
    // The origin passed to the command: an emulator on another host does not know it.
    baseUrl: `${control.origin}${new URL(state.baseUrl).pathname.replace(/\/$/, '')}`,
    allowHttp: [new URL(control.origin).hostname],
    keyId,
    secret,
    // Its clock may be days ahead; a program would correct its own by the first refusal.
    clock: () => Date.now() + aheadMs,
  });
  try {
    const name = domain ?? (await market.domains.search(sampleQuery))[0]?.domain;
    if (name === undefined) throw new UsageError('this emulator lists other domains, so name one');
    const { quote_id, price_cents } = await market.orders.quote({ domain: name });
    return await market.orders.create({ domain: name, expected_price: price_cents ?? 0, quote_id });
  } finally {
    await market.close();
  }
}

async function findCredential(control: ControlClient): Promise<{ readonly keyId: string }> {
  const usable = (each: Credential) =>
    each.environment !== 'live' && ['search', 'buy'].every((scope) => each.scopes.includes(scope));
  const found = ((await control.get('/credentials')) as Credential[]).find(usable);
  if (found !== undefined) return found;
  return (await control.post('/credentials', { scopes: ['search', 'buy'] })) as Credential;
}
