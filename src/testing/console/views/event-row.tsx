/** EventRow: an event with its order, and the state of its deliveries. */

import { deliveryStatus, orderOf, type EventDeliveries } from '../events.js';
import { formatTime } from '../format.js';
import { Row, State } from './controls.js';

export function EventRow({ shown }: { readonly shown: EventDeliveries }) {
  const { event, attempts } = shown;
  const { domain, public_id } = orderOf(event);
  return (
    <Row kind="event" id={event.id}>
      <b>{event.type}</b>
      <span class="subject">{domain}</span>
      <span class="muted">{public_id}</span>
      <State name={deliveryStatus(shown)} />
      <span class="muted">
        {attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`}
      </span>
      <time>{formatTime(event.created_at)}</time>
    </Row>
  );
}
