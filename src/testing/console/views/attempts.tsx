/** Attempts: the requests of one call, joined by a line where there are several. */

import { formatTime } from '../format.js';
import { verdictOf } from '../requests.js';
import { fragmentOf } from '../route.js';
import { endpointOf, isRefused } from '../traffic.js';
import type { RequestView } from '../wire.js';
import { Row } from './controls.js';

interface AttemptsProps {
  readonly attempts: readonly RequestView[];
  readonly openId: string | undefined;
}

export function Attempts({ attempts, openId }: AttemptsProps) {
  return (
    <ol class={attempts.length > 1 ? 'attempts' : undefined}>
      {attempts.map((request) => (
        <li key={request.requestId}>
          <Row
            href={fragmentOf('requests', request.requestId)}
            isOpen={request.requestId === openId}
          >
            <span class={isRefused(request) ? 'status bad' : 'status good'}>
              {request.status ?? 'reset'}
            </span>
            <span class="title">{endpointOf(request)}</span>
            <span class="verdict">{verdictOf(request)}</span>
            {request.faults.length > 0 && <span class="fault">{request.faults.join(', ')}</span>}
            <time>{formatTime(request.receivedAt)}</time>
          </Row>
        </li>
      ))}
    </ol>
  );
}
