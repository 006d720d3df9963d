/** EventsView: the events, each delivery attempt, and what still waits. */

import { deliveryStatus, eventDeliveries, type EventDeliveries } from '../events.js';
import { formatTime } from '../format.js';
import { fragmentOf } from '../route.js';
import { Row } from './controls.js';
import { EventDetails } from './event-details.js';
import { Split } from './split.js';
import type { ViewProps } from './view-props.js';

export function EventsView({ state, emulator, commands }: ViewProps) {
  const events = eventDeliveries(emulator);
  const shown = events.find(({ event }) => event.id === state.route.id);
  return (
    <>
      {emulator.webhooks.length === 0 ? (
        <p class="muted">
          No webhook is registered, so nothing is sent. Start with <code>--webhook URL=SECRET</code>
          , or register one by a call.
        </p>
      ) : (
        <p class="muted">Webhooks: {emulator.webhooks.map(({ url }) => url).join(', ')}</p>
      )}
      <Split
        tab="events"
        label="Events"
        list={<EventList events={events} openId={state.route.id} />}
        title={shown?.event.type}
        details={
          shown !== undefined && (
            <EventDetails shown={shown} now={emulator.clock.now} commands={commands} />
          )
        }
      />
    </>
  );
}

interface EventListProps {
  readonly events: readonly EventDeliveries[];
  readonly openId: string | undefined;
}

function EventList({ events, openId }: EventListProps) {
  if (events.length === 0) return <p class="empty">No event yet.</p>;
  return (
    <ul>
      {events.map((each) => {
        const { event, attempts } = each;
        return (
          <li key={event.id}>
            <Row href={fragmentOf('events', event.id)} isOpen={event.id === openId}>
              <span class="title">{event.type}</span>
              <span class={`verdict ${deliveryStatus(each)}`}>{deliveryStatus(each)}</span>
              <span class="muted">
                {attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`}
              </span>
              <time>{formatTime(event.created_at)}</time>
            </Row>
          </li>
        );
      })}
    </ul>
  );
}
