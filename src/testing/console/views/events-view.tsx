/** EventsView: the events, each delivery attempt, and what is still pending. */

import type { Commands } from '../commands.js';
import { eventDeliveries } from '../events.js';
import { isMatch } from '../search.js';
import { List } from './controls.js';
import { EventDetails } from './event-details.js';
import { EventRow } from './event-row.js';
import { Field, Form } from './form.js';
import { Split } from './split.js';
import type { ViewProps } from './view-props.js';

export function EventsView(props: ViewProps) {
  const { state, emulator, commands } = props;
  const { webhooks } = emulator;
  const shown = eventDeliveries(emulator).find(({ event }) => event.id === state.route.id);
  return (
    <>
      {webhooks.length === 0 ? (
        <WebhookForm commands={commands} />
      ) : (
        <p class="muted">Webhooks: {webhooks.map(({ url }) => url).join(', ')}</p>
      )}
      <Split
        tab="events"
        label="Events"
        list={<EventList {...props} />}
        title={shown?.event.type}
        details={shown !== undefined && <EventDetails {...props} shown={shown} />}
      />
    </>
  );
}

function WebhookForm({ commands }: { readonly commands: Commands }) {
  return (
    <Form
      class="line"
      label="Register a webhook"
      onSend={(fields) => commands.act(['/registerWebhook', fields])}
    >
      <p class="muted">No webhook is registered, so nothing is sent.</p>
      <Field label="URL of your receiver">
        <input name="url" type="url" placeholder="http://127.0.0.1:3000/webhooks" required />
      </Field>
      <Field label="Its secret">
        <input name="secret" required />
      </Field>
      <button type="submit">Register</button>
    </Form>
  );
}

function EventList({ state, emulator }: ViewProps) {
  const events = eventDeliveries(emulator).filter(({ event }) => isMatch(event, state.search));
  if (events.length === 0) {
    return (
      <p class="empty">{emulator.events.length === 0 ? 'No event yet.' : 'Nothing was found.'}</p>
    );
  }
  return (
    <List kind="event" columns={['Type', 'Domain', 'Order', 'Delivery', 'Attempts', 'Time']}>
      {events.map((each) => (
        <li key={each.event.id}>
          <EventRow shown={each} />
        </li>
      ))}
    </List>
  );
}
