/** OrderDetails: the timeline of an order, the staff's moves, and its events and requests. */

import { eventDeliveries, orderOf } from '../events.js';
import { formatPrice } from '../format.js';
import { fragmentOf } from '../route.js';
import type { OrderView } from '../wire.js';
import { RequestRow } from './attempts.js';
import { Button, State } from './controls.js';
import { EventRow } from './event-row.js';
import { Facts } from './facts.js';
import { Timeline } from './timeline.js';
import type { ViewProps } from './view-props.js';

/** In fixed places: after a move, another is not under the pointer. */
const moves: readonly {
  readonly name: OrderView['actions'][number];
  readonly label: string;
  readonly endsOrder?: true;
}[] = [
  { name: 'hold', label: 'Hold' },
  { name: 'clear', label: 'Clear the hold' },
  { name: 'startTransfer', label: 'Start transfer' },
  { name: 'completeTransfer', label: 'Complete transfer' },
  { name: 'cancel', label: 'Cancel', endsOrder: true },
  { name: 'refund', label: 'Refund', endsOrder: true },
];

export function OrderDetails({
  order,
  state,
  emulator,
  commands,
}: ViewProps & { order: OrderView }) {
  const { public_id } = order;
  const requests = state.requests.filter(({ orderId }) => orderId === public_id).reverse();
  const events = eventDeliveries(emulator).filter(
    ({ event }) => orderOf(event).public_id === public_id,
  );
  return (
    <>
      <Moves order={order} commands={commands} />
      <Facts
        facts={[
          ['Status', <State key="status" name={order.status} />],
          ['Price', formatPrice(order.sale_price_cents, order.currency)],
          ['Order', public_id],
          ['Quote', order.quote_id],
          ['Payment reference', order.external_payment_ref],
          ['Partner', `${order.partner_id}, ${order.environment}`],
          ['Transfer', order.transfer.status],
          [
            'Domain',
            <a key="domain" href={fragmentOf('domains', order.domain)}>
              {order.domain}
            </a>,
          ],
        ]}
      />
      <h3>Timeline</h3>
      <Timeline entries={order.timeline} />
      {events.length > 0 && (
        <>
          <h3>Events</h3>
          {events.map((each) => (
            <EventRow key={each.event.id} shown={each} />
          ))}
        </>
      )}
      {requests.length > 0 && (
        <>
          <h3>Requests</h3>
          {requests.map((request) => (
            <RequestRow key={request.requestId} request={request} />
          ))}
        </>
      )}
    </>
  );
}

function Moves({ order, commands }: Pick<ViewProps, 'commands'> & { order: OrderView }) {
  const why = `ot possible while the order is ${order.status}`;
  return (
    <>
      <p class="buttons" role="group" aria-label="Moves that the status allows">
        {moves.map(({ name, label, endsOrder = false }) => (
          <Button
            key={name}
            whyDisabled={order.actions.includes(name) ? undefined : `N${why}`}
            isDanger={endsOrder}
            onPress={() => commands.act([`/orders/${order.public_id}/${name}`])}
          >
            {label}
          </Button>
        ))}
      </p>
      <p class="muted">Greyed out: n{why}.</p>
    </>
  );
}
