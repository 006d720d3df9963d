/** The command `market-partner-sdk orders`: places, lists and moves orders of a running emulator. */

import { Argument, type Command } from 'commander';
import { formatPrice } from '../testing/console/format.js';
import { ActionGroup, listAction, type ActionResult, type Json } from './control-action.js';
import type { ControlClient } from './control-client.js';
import { placeOrder } from './place-order.js';
import type { Terminal } from './terminal.js';

const moves = ['hold', 'clear', 'startTransfer', 'completeTransfer', 'refund', 'cancel'];

const list = listAction('/orders?limit=1000', orderLine, 'no orders');

export function addOrders(program: Command, terminal: Terminal): void {
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
    const statements = (await client.post('/settle')) as Json[];
    return { value: statements, text: settledText(count, statements) };
  });
  orders
    .add<[id?: string, move?: string]>(
      'show [public_id]',
      'show an order, or move it; "show" may be left out',
      async (client, [id, move]) =>
        id === undefined ? list(client) : showOrMove(client, id, move),
      { isDefault: true },
    )
    .addArgument(new Argument('[move]', 'what the marketplace does').choices(moves));
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

function settledText(count: number, statements: readonly Json[]): string {
  const owed = statements.map(({ amount_owed_cents, currency }) =>
    formatPrice(Number(amount_owed_cents), String(currency)),
  );
  const amounts = owed.length === 0 ? '' : `; you owe ${owed.join(' and ')}`;
  return `settled ${count} order${count === 1 ? '' : 's'}${amounts}`;
}
