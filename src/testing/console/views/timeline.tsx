/** Timeline: the statuses that an order or a case had, oldest first. */

import { formatDateTime } from '../format.js';
import { State } from './controls.js';

interface TimelineProps {
  readonly entries: readonly {
    readonly status: string;
    readonly at: string;
    readonly note: string;
    readonly event?: string | null;
  }[];
}

export function Timeline({ entries }: TimelineProps) {
  return (
    <ol class="timeline">
      {entries.map(({ status, event, at, note }, index) => (
        <li key={index}>
          <State name={status} /> <time>{formatDateTime(at)}</time>
          <p>
            {note} {event && <code>{event}</code>}
          </p>
        </li>
      ))}
    </ol>
  );
}
