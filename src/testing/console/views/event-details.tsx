/** EventDetails: the attempts to deliver an event, its payload, and the ways to send it again. */

import type { Call, Commands } from '../commands.js';
import { responseOf, type EventDeliveries } from '../events.js';
import { formatDateTime, formatDuration } from '../format.js';
import { Button } from './controls.js';
import { Facts } from './facts.js';

interface EventDetailsProps {
  readonly shown: EventDeliveries;
  readonly now: number;
  readonly commands: Commands;
}

export function EventDetails({ shown, now, commands }: EventDetailsProps) {
  const { event, attempts, pending } = shown;
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
          ['Created', `${formatDateTime(event.created_at)} UTC`],
          ['Partner', event.partner_id],
        ]}
      />
      <h3>Deliveries</h3>
      {attempts.length + pending.length === 0 && <p class="muted">Nothing was sent.</p>}
      <ol class="timeline">
        {attempts.map((each, index) => (
          <li key={index} class={each.outcome}>
            <b>{each.outcome}</b> <time>{formatDateTime(each.at)}</time>
            <p>
              attempt {each.attempt} to {each.url}: {responseOf(each)}
            </p>
          </li>
        ))}
        {pending.map(({ attempt, due }) => (
          <li key={`${attempt} ${due}`} class="waiting">
            <b>waiting</b> <time>{formatDateTime(due)}</time>
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
