/** OrdersView: the orders with their timeline and the staff's moves, and the quotes. */

import { formatDuration, formatPrice } from '../format.js';
import { fragmentOf } from '../route.js';
import { isMatch } from '../search.js';
import { Button, Row, State, Table } from './controls.js';
import { OrderDetails } from './order-details.js';
import { Split } from './split.js';
import type { ViewProps } from './view-props.js';

export function OrdersView(props: ViewProps) {
  const { state, emulator, commands } = props;
  const shown = emulator.orders.find(({ public_id }) => public_id === state.route.id);
  const canSettle = emulator.orders.some(({ status }) => status === 'TRANSFER_COMPLETED');
  return (
    <>
      <p class="buttons">
        <Button isDisabled={!canSettle} onPress={() => commands.act(['/settle'])}>
          settle
        </Button>
        <span class="muted">closes the period: every completed transfer is settled</span>
      </p>
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

function OrderList({ state, emulator }: ViewProps) {
  const orders = emulator.orders.filter((order) => isMatch(order, state.search)).reverse();
  if (orders.length === 0) {
    return (
      <p class="empty">{emulator.orders.length === 0 ? 'No order yet.' : 'Nothing was found.'}</p>
    );
  }
  return (
    <ul>
      {orders.map(({ public_id, domain, status, sale_price_cents, currency }) => (
        <li key={public_id}>
          <Row
            kind="order"
            href={fragmentOf('orders', public_id)}
            isOpen={public_id === state.route.id}
          >
            <b>{domain}</b>
            <State name={status} />
            <span class="number">{formatPrice(sale_price_cents, currency)}</span>
            <span class="muted">{public_id}</span>
          </Row>
        </li>
      ))}
    </ul>
  );
}

function Quotes({ state, emulator }: ViewProps) {
  const { clock } = emulator;
  const quotes = emulator.quotes.filter((quote) => isMatch(quote, state.search)).reverse();
  if (quotes.length === 0) return null;
  return (
    <Table title="Quotes" columns={['domain', 'price', 'time left', 'quote']}>
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
