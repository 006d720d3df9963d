/** Attempts: the requests of one call, joined by a line if there are several. */

import { formatTime } from '../format.js';
import { verdictOf } from '../requests.js';
import { subjectOf } from '../subject.js';
import { endpointOf, isRefused } from '../traffic.js';
import type { RequestView } from '../wire.js';
import { Row } from './controls.js';

export function Attempts({ attempts }: { readonly attempts: readonly RequestView[] }) {
  return (
    <ol class={attempts.length > 1 ? 'attempts' : undefined}>
      {attempts.map((request) => (
        <li key={request.requestId}>
          <RequestRow request={request} />
        </li>
      ))}
    </ol>
  );
}

export function RequestRow({ request }: { readonly request: RequestView }) {
  const { requestId, status, faults, receivedAt } = request;
  return (
    <Row kind="request" id={requestId}>
      <span class={isRefused(request) ? 'status bad' : 'status good'}>{status ?? 'reset'}</span>
      <span>{endpointOf(request)}</span>
      <b class="subject">{subjectOf(request)}</b>
      <span class={isRefused(request) ? 'bad' : 'muted'}>
        {verdictOf(request)}
        {faults.length > 0 && <i class="fault"> {faults.join(', ')}</i>}
      </span>
      <time>{formatTime(receivedAt)}</time>
    </Row>
  );
}
