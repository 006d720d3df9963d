/** RequestDetails: why a request got its response, its signature, its attempts and its content. */

import type { Commands } from '../commands.js';
import { toCurl } from '../curl.js';
import { formatBody, formatDateTime } from '../format.js';
import { attemptsOf, canonicalLines, verdictOf } from '../requests.js';
import type { RequestView } from '../wire.js';
import { Attempts } from './attempts.js';
import { Button, Table } from './controls.js';
import { Facts } from './facts.js';

interface RequestDetailsProps {
  readonly request: RequestView;
  readonly requests: readonly RequestView[];
  readonly baseUrl: string;
  readonly commands: Commands;
}

export function RequestDetails({ request, requests, baseUrl, commands }: RequestDetailsProps) {
  const { canonical, headers, body, bodyBytes } = request;
  const curl = toCurl(baseUrl, request);
  const attempts = attemptsOf(requests, request);
  return (
    <>
      <Facts
        facts={[
          ['Verdict', request.verdict],
          ['Why', request.reason ?? request.errorMessage],
          ['Response', `${request.status ?? ''} ${verdictOf(request)}`],
          ['Faults', request.faults.join(', ')],
          ['Received', `${formatDateTime(request.receivedAt)} UTC`],
          ['Path', request.query === '' ? request.rawPath : `${request.rawPath}?${request.query}`],
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
          <Attempts attempts={attempts} openId={request.requestId} />
        </>
      )}
      {canonical !== undefined && <CanonicalTable canonical={canonical} />}
      {bodyBytes > 0 && (
        <>
          <h3>Body, {bodyBytes} bytes</h3>
          <pre>{formatBody(body)}</pre>
        </>
      )}
      <h3>Headers</h3>
      <Facts facts={Object.entries(headers)} />
    </>
  );
}

interface CanonicalTableProps {
  readonly canonical: NonNullable<RequestView['canonical']>;
}

function CanonicalTable({ canonical }: CanonicalTableProps) {
  return (
    <>
      <Table title="Canonical string" columns={['line', 'expected', 'signed']}>
        {canonicalLines(canonical).map(({ name, expected, signed, differs }) => (
          <tr key={name} class={differs ? 'differs' : undefined}>
            <th scope="row">
              {name}
              {differs && <b> differs</b>}
            </th>
            <td>{expected}</td>
            <td>{signed}</td>
          </tr>
        ))}
      </Table>
      {canonical.signed === undefined && (
        <p class="muted">The emulator cannot find out what was signed.</p>
      )}
    </>
  );
}
