/** RequestDetails: why a request got its response, its signature, its attempts, and what went over the wire. */

import type { Commands } from '../commands.js';
import { requestCurl } from '../curl.js';
import { formatBody, formatDateTime } from '../format.js';
import { attemptsOf, verdictOf } from '../requests.js';
import { fragmentOf } from '../route.js';
import { isRefused } from '../traffic.js';
import type { EmulatorView, OpenRequestView, RequestView } from '../wire.js';
import { Attempts } from './attempts.js';
import { CanonicalTable } from './canonical-table.js';
import { Button } from './controls.js';
import { Facts } from './facts.js';

interface RequestDetailsProps {
  readonly request: RequestView;
  /** With its response; `undefined` while it is read. */
  readonly opened: OpenRequestView | undefined;
  readonly requests: readonly RequestView[];
  readonly emulator: EmulatorView;
  readonly commands: Commands;
}

export function RequestDetails(props: RequestDetailsProps) {
  const { request, requests, emulator, commands } = props;
  const { canonical, verdict, query, rawPath, orderId, durationMs } = request;
  const curl = requestCurl(emulator.baseUrl, request);
  const attempts = attemptsOf(requests, request);
  const isOfSignature = verdict === 'invalid_signature';
  return (
    <>
      <Why request={request} />
      {isOfSignature && canonical !== undefined && <CanonicalTable canonical={canonical} />}
      <Facts
        facts={[
          ['Response', `${request.status ?? ''} ${verdictOf(request)}`],
          ['Faults', request.faults.join(', ')],
          ['Order', orderId !== null && <OrderLink id={orderId} emulator={emulator} />],
          ['Received', `${formatDateTime(request.receivedAt)} UTC`],
          ['Response after', durationMs === null ? 'it never comes' : `${durationMs} ms`],
          ['Path', query === '' ? rawPath : `${rawPath}?${query}`],
          ['Key id', request.keyId],
          ['Idempotency-Key', request.idempotencyKey],
          ['Request id', request.requestId],
        ]}
      />
      <p class="buttons">
        <Button onPress={() => commands.copy(curl)}>Copy as curl</Button>
      </p>
      {attempts.length > 1 && (
        <>
          <h3>Attempts with this Idempotency-Key</h3>
          <Attempts attempts={attempts} />
        </>
      )}
      <Exchange {...props} />
      {!isOfSignature && canonical !== undefined && (
        <details>
          <summary>Canonical string</summary>
          <CanonicalTable canonical={canonical} />
        </details>
      )}
    </>
  );
}

/** The sentences of a refusal, a line each. */
function Why({ request }: { readonly request: RequestView }) {
  const text = request.reason ?? request.errorMessage;
  if (text === undefined || !isRefused(request)) return null;
  const lines = text.split(/(?<=[.!?]) (?=[A-Z]|line \d)/);
  return (
    <div class="why">
      <h3>Why {verdictOf(request)}</h3>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );
}

/** A link if the emulator has the order: a client may ask for any. */
export function OrderLink({
  id,
  emulator,
}: {
  readonly id: string;
  readonly emulator: EmulatorView;
}) {
  return emulator.orders.some(({ public_id }) => public_id === id) ? (
    <a href={fragmentOf('orders', id)}>{id}</a>
  ) : (
    <>{id}</>
  );
}

/** The request next to its response. */
function Exchange({ request, opened }: RequestDetailsProps) {
  const { headers, body, bodyBytes } = request;
  const written = opened?.response ?? null;
  return (
    <div class="exchange">
      <section aria-label="Request">
        <h3>Request{bodyBytes > 0 && `, ${bodyBytes} bytes`}</h3>
        {bodyBytes > 0 && <pre>{formatBody(body)}</pre>}
        <Headers headers={headers} />
      </section>
      <section aria-label="Response">
        <h3>Response</h3>
        {opened === undefined && <p class="muted">Reading …</p>}
        {opened?.response === null && <p class="muted">None: the service did nothing.</p>}
        {written !== null && (
          <>
            {request.status === undefined && (
              <p class="fault">The service wrote it, and the client did not get it.</p>
            )}
            {written.body !== '' && <pre>{formatBody(written.body)}</pre>}
            <Headers headers={written.headers} />
          </>
        )}
      </section>
    </div>
  );
}

function Headers({ headers }: { readonly headers: Readonly<Record<string, string>> }) {
  return (
    <details>
      <summary>{Object.keys(headers).length} headers</summary>
      <Facts facts={Object.entries(headers)} />
    </details>
  );
}
