/** The command `market-partner-sdk orders`: places, lists and moves orders of a running emulator. */

import { formatPrice } from '../testing/console/format.js';
import { actionCommand, type Json } from './actions.js';
import { placeOrder } from './place-order.js';
import { UsageError } from './terminal.js';

const moves = ['hold', 'clear', 'startTransfer', 'completeTransfer', 'refund', 'cancel'];

export const ordersCommand = actionCommand({
  name: 'orders',
  description: `Lists the orders of a running emulator, shows one, or moves it as the marketplace does. <move> is
${moves.join(', ')}.`,
  actions: {
    list: {
      positionals: [],
      summary: 'list the orders (without an action)',
      run: async (client) => {
        const orders = (await client.get('/orders?limit=1000')) as Json[];
        return { value: orders, text: orders.map(orderLine).join('\n') || 'no orders' };
      },
    },
    place: {
      positionals: ['[<domain>]'],
      summary: 'place a sample order: search, quote, order',
      run: async (client, [domain]) => {
        const { public_id } = await placeOrder(client, domain);
        const placed = (await client.get(`/orders/${public_id}`)) as Json;
        return { value: placed, text: orderLine(placed) };
      },
    },
    settle: {
      positionals: [],
      summary: 'close the settlement period',
      run: async (client) => {
        const before = (await client.get('/orders?limit=1000')) as Json[];
        const count = before.filter(({ status }) => status === 'TRANSFER_COMPLETED').length;
        const statements = (await client.post('/settle')) as Json[];
        return { value: statements, text: settledText(count, statements) };
      },
    },
  },
  byDefault: 'list',
  otherwise: {
    positionals: ['<public_id>', '[<move>]'],
    summary: 'show an order, or move it',
    run: async (client, [id = '', move]) => {
      if (move !== undefined && !moves.includes(move)) {
        throw new UsageError(`unknown move: ${move}; moves: ${moves.join(', ')}`);
      }
      const path = `/orders/${encodeURIComponent(id)}`;
      const shown = move === undefined ? client.get(path) : client.post(`${path}/${move}`);
      const order = (await shown) as Json;
      return { value: order, text: orderLine(order) };
    },
  },
  example: 'market-partner-sdk orders place brew.example',
});

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
