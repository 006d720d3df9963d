/** EventDetails: the attempts to deliver an event, its payload, and the ways to send it again. */

import type { Call, Commands } from '../commands.js';
import { deliveryCurl } from '../curl.js';
import {
  attemptTitles,
  deliveryHint,
  orderOf,
  responseOf,
  type EventDeliveries,
} from '../events.js';
import { formatBody, formatDateTime, formatDuration } from '../format.js';
import type { DeliveryView } from '../wire.js';
import { Button, State } from './controls.js';
import { Facts } from './facts.js';
import { OrderLink } from './request-details.js';
import type { ViewProps } from './view-props.js';

export function EventDetails(props: ViewProps & { readonly shown: EventDeliveries }) {
  const { shown, emulator, commands } = props;
  const { event, attempts, pending } = shown;
  const { now } = emulator.clock;
  const { public_id, domain } = orderOf(event);
  const titles = attemptTitles(attempts);
  const again: Call = [`/events/${event.id}/deliverAgain`];
  return (
    <>
      <p class="buttons">
        <Button onPress={() => commands.act(again)}>Send again</Button>
        <Button onPress={() => commands.act(again, again)}>Send twice</Button>
      </p>
      <Facts
        facts={[
          ['Event', event.id],
          ['Order', public_id !== undefined && <OrderLink id={public_id} emulator={emulator} />],
          ['Domain', domain],
          ['Created', `${formatDateTime(event.created_at)} UTC`],
          ['Partner', event.partner_id],
        ]}
      />
      <h3>Deliveries</h3>
      {attempts.length + pending.length === 0 && <p class="muted">Nothing was sent.</p>}
      <ol class="timeline">
        {attempts.map((each, index) => (
          <li key={index}>
            <State name={each.outcome} /> <time>{formatDateTime(each.at)}</time>
            <Delivery delivery={each} title={titles[index]} commands={commands} />
          </li>
        ))}
        {pending.map(({ attempt, due }) => (
          <li key={`${attempt} ${due}`}>
            <State name="waiting" /> <time>{formatDateTime(due)}</time>
            <p>
              attempt {attempt} is due {due > now ? `in ${formatDuration(due - now)}` : 'now'}
            </p>
          </li>
        ))}
      </ol>
      <h3>Payload</h3>
      <pre>{JSON.stringify(event.data, null, 2)}</pre>
    </>
  );
}

interface DeliveryProps {
  readonly delivery: DeliveryView;
  readonly title: string | undefined;
  readonly commands: Commands;
}

function Delivery({ delivery, title, commands }: DeliveryProps) {
  const { url, body, signature, outcome, responseBody = '' } = delivery;
  const hint = deliveryHint(delivery);
  return (
    <>
      <p>
        {title} to {url}: {responseOf(delivery)}
      </p>
      {responseBody !== '' && <pre>{formatBody(responseBody)}</pre>}
      {hint !== undefined && <p class="fault">{hint}</p>}
      {outcome !== 'lost' && (
        <details>
          <summary>What was sent</summary>
          <p class="buttons">
            <Button onPress={() => commands.copy(deliveryCurl(delivery))}>Copy as curl</Button>
          </p>
          <Facts facts={[['x-market-signature', signature]]} />
          <pre>{body}</pre>
        </details>
      )}
    </>
  );
}
