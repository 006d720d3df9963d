/** OrderDetails: the timeline of an order, and a button for each legal move. */

import type { Commands } from '../commands.js';
import { formatDateTime, formatPrice } from '../format.js';
import type { OrderView } from '../wire.js';
import { Button } from './controls.js';
import { Facts } from './facts.js';

interface OrderDetailsProps {
  readonly order: OrderView;
  readonly commands: Commands;
}

export function OrderDetails({ order, commands }: OrderDetailsProps) {
  const path = `/orders/${order.public_id}`;
  return (
    <>
      <p class="buttons" role="group" aria-label="Moves that the status allows">
        {order.actions.map((action) => (
          <Button key={action} onPress={() => commands.act([`${path}/${action}`])}>
            {action}
          </Button>
        ))}
        {order.actions.length === 0 && <span class="muted">Its status allows no move.</span>}
      </p>
      <Facts
        facts={[
          ['Status', order.status],
          ['Price', formatPrice(order.sale_price_cents, order.currency)],
          ['Order', order.public_id],
          ['Quote', order.quote_id],
          ['Payment reference', order.external_payment_ref],
          ['Partner', `${order.partner_id}, ${order.environment}`],
          ['Transfer', order.transfer.status],
        ]}
      />
      <h3>Timeline</h3>
      <ol class="timeline">
        {order.timeline.map(({ status, event, at, note }, index) => (
          <li key={index}>
            <b>{status}</b> <time>{formatDateTime(at)}</time>
            <p>
              {note} {event !== null && <code>{event}</code>}
            </p>
          </li>
        ))}
      </ol>
    </>
  );
}
