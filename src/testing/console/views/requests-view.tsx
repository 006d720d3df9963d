/** RequestsView: the requests with their attempts, the errors, and the chart of the last minute. */

import { attemptGroups, foldRepeats, type AttemptGroup, type Run } from '../requests.js';
import { maxRequests } from '../state.js';
import { subjectOf } from '../subject.js';
import { endpointOf } from '../traffic.js';
import { Attempts, RequestRow } from './attempts.js';
import { Button } from './controls.js';
import { ErrorTotals } from './error-totals.js';
import { RateChart } from './rate-chart.js';
import { RequestDetails } from './request-details.js';
import { Split } from './split.js';
import type { ViewProps } from './view-props.js';

export function RequestsView(props: ViewProps) {
  const { state, emulator, commands } = props;
  const { requests, traffic, filter, route, openRequest } = state;
  const opened = openRequest?.id === route.id ? openRequest : undefined;
  // One that the list no longer has may still be in the log of the emulator.
  const shown = requests.find(({ requestId }) => requestId === route.id) ?? opened?.request;
  const isGone = opened !== undefined && shown === undefined;
  return (
    <>
      <div class="buttons" role="group" aria-label="Which requests">
        {(['all', 'refused'] as const).map((name) => (
          <Button key={name} isPressed={filter === name} onPress={() => commands.setFilter(name)}>
            {name}
          </Button>
        ))}
        {requests.length === maxRequests && (
          <span class="muted">the latest {maxRequests} requests</span>
        )}
        <RateChart traffic={traffic} now={emulator.clock.now} />
      </div>
      <ErrorTotals errors={traffic.errors} filter={filter} commands={commands} />
      <Split
        tab="requests"
        label="Requests"
        list={<RequestList {...props} />}
        title={
          shown === undefined
            ? isGone
              ? 'This request is no longer in the log.'
              : undefined
            : `${endpointOf(shown)} ${subjectOf(shown)}`
        }
        details={
          shown !== undefined && (
            <RequestDetails
              request={shown}
              opened={opened?.request}
              requests={requests}
              emulator={emulator}
              commands={commands}
            />
          )
        }
      />
    </>
  );
}

function RequestList({ state }: ViewProps) {
  const { requests, filter, search, route } = state;
  const runs = foldRepeats(attemptGroups(requests, filter, search));
  if (runs.length === 0) {
    return <p class="empty">{requests.length === 0 ? 'No request yet.' : 'Nothing was found.'}</p>;
  }
  return (
    <ul>
      {runs.map((run) => (
        <FoldedRun key={run.id} run={run} openId={route.id} />
      ))}
    </ul>
  );
}

interface FoldedRunProps {
  readonly run: Run;
  readonly openId: string | undefined;
}

function FoldedRun({ run: { first, others }, openId }: FoldedRunProps) {
  return (
    <li>
      <Group group={first} openId={openId} />
      {others.length > 0 && (
        <details class="repeats">
          <summary>{others.length} more like it</summary>
          {others.map((group) => (
            <Group key={group.id} group={group} openId={openId} />
          ))}
        </details>
      )}
    </li>
  );
}

interface GroupProps {
  readonly group: AttemptGroup;
  readonly openId: string | undefined;
}

function Group({ group: { attempts, idempotencyKey }, openId }: GroupProps) {
  const [first] = attempts;
  if (attempts.length === 1 && first !== undefined) {
    return <RequestRow request={first} openId={openId} />;
  }
  return (
    <>
      <p class="group-title">
        {attempts.length} attempts with the Idempotency-Key {idempotencyKey}
      </p>
      <Attempts attempts={attempts} openId={openId} />
    </>
  );
}
