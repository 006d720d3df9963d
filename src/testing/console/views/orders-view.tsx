/** OrdersView: the orders with their timeline and the staff's moves, and the quotes. */

import { formatDuration, formatPrice, formatTime } from '../format.js';
import { isMatch } from '../search.js';
import { Button, List, Row, State, Table } from './controls.js';
import { OrderDetails } from './order-details.js';
import { Split } from './split.js';
import type { ViewProps } from './view-props.js';

export function OrdersView(props: ViewProps) {
  const { state, emulator, commands } = props;
  const shown = emulator.orders.find(({ public_id }) => public_id === state.route.id);
  return (
    <>
      <Settle commands={commands} />
      <Split
        tab="orders"
        label="Orders"
        list={<OrderList {...props} />}
        title={shown === undefined ? undefined : shown.domain}
        details={shown !== undefined && <OrderDetails {...props} order={shown} />}
      />
      <Quotes {...props} />
    </>
  );
}

/** Also of the other products: their commissions are paid out. */
export function Settle({ commands }: Pick<ViewProps, 'commands'>) {
  return (
    <p class="buttons">
      <Button onPress={() => commands.act(['/settle'])}>Settle</Button>
      <span class="muted">
        closes the period: completed transfers are settled, commissions paid out
      </span>
    </p>
  );
}

function OrderList({ state, emulator }: ViewProps) {
  const orders = emulator.orders.filter((order) => isMatch(order, state.search)).reverse();
  if (orders.length === 0) {
    return (
      <p class="empty">{emulator.orders.length === 0 ? 'No order yet.' : 'Nothing was found.'}</p>
    );
  }
  return (
    <List
      kind="order"
      columns={['Domain', 'Status', 'Price', 'Payment reference', 'Order', 'Time']}
    >
      {orders.map(({ public_id, domain, status, sale_price_cents, currency, ...order }) => (
        <li key={public_id}>
          <Row kind="order" id={public_id}>
            <b>{domain}</b>
            <State name={status} />
            <span class="number">{formatPrice(sale_price_cents, currency)}</span>
            <span>{order.external_payment_ref}</span>
            <span class="muted">{public_id}</span>
            <time>{formatTime(order.created_at)}</time>
          </Row>
        </li>
      ))}
    </List>
  );
}

function Quotes({ state, emulator }: ViewProps) {
  const { clock } = emulator;
  const quotes = emulator.quotes.filter((quote) => isMatch(quote, state.search)).reverse();
  if (quotes.length === 0) return null;
  return (
    <Table title="Quotes" columns={['Domain', 'Price', 'Time left', 'Quote']}>
      {quotes.map(({ quote_id, domain, price_cents, currency, expires_at }) => {
        const leftMs = Date.parse(expires_at) - clock.now;
        return (
          <tr key={quote_id} class={leftMs > 0 ? undefined : 'muted'}>
            <td>{domain}</td>
            <td class="number">{formatPrice(price_cents, currency)}</td>
            <td>{leftMs > 0 ? formatDuration(leftMs) : 'expired'}</td>
            <td>{quote_id}</td>
          </tr>
        );
      })}
    </Table>
  );
}
