/** Attempts: the requests of one call, joined by a line if there are several. */

import { formatTime } from '../format.js';
import { verdictOf } from '../requests.js';
import { fragmentOf } from '../route.js';
import { subjectOf } from '../subject.js';
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
          <RequestRow request={request} openId={openId} />
        </li>
      ))}
    </ol>
  );
}

interface RequestRowProps {
  readonly request: RequestView;
  readonly openId: string | undefined;
}

export function RequestRow({ request, openId }: RequestRowProps) {
  const { requestId, status, faults, receivedAt } = request;
  return (
    <Row kind="request" href={fragmentOf('requests', requestId)} isOpen={requestId === openId}>
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
