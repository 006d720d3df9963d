/** RequestsView: the requests with their attempts, the errors, and the chart of the last minute. */

import { attemptGroups, type AttemptGroup } from '../requests.js';
import { maxRequests } from '../state.js';
import { endpointOf } from '../traffic.js';
import { Attempts } from './attempts.js';
import { Button } from './controls.js';
import { ErrorTotals } from './error-totals.js';
import { RateChart } from './rate-chart.js';
import { RequestDetails } from './request-details.js';
import { Split } from './split.js';
import type { ViewProps } from './view-props.js';

export function RequestsView(props: ViewProps) {
  const { state, emulator, commands } = props;
  const { requests, traffic, filter, route } = state;
  const shown = requests.find(({ requestId }) => requestId === route.id);
  return (
    <>
      <div class="overview">
        <RateChart traffic={traffic} now={emulator.clock.now} />
        <ErrorTotals errors={traffic.errors} filter={filter} commands={commands} />
      </div>
      <p class="buttons" role="group" aria-label="Which requests">
        {(['all', 'refused'] as const).map((name) => (
          <Button key={name} isPressed={filter === name} onPress={() => commands.setFilter(name)}>
            {name}
          </Button>
        ))}
        {requests.length === maxRequests && (
          <span class="muted">the latest {maxRequests} requests</span>
        )}
      </p>
      <Split
        tab="requests"
        label="Requests"
        list={<RequestList {...props} />}
        title={shown === undefined ? undefined : endpointOf(shown)}
        details={
          shown !== undefined && (
            <RequestDetails
              request={shown}
              requests={requests}
              baseUrl={emulator.baseUrl}
              commands={commands}
            />
          )
        }
      />
    </>
  );
}

function RequestList({ state }: ViewProps) {
  const groups = attemptGroups(state.requests, state.filter);
  if (groups.length === 0) return <p class="empty">No request yet.</p>;
  return (
    <ul>
      {groups.map((group) => (
        <Group key={group.id} group={group} openId={state.route.id} />
      ))}
    </ul>
  );
}

interface GroupProps {
  readonly group: AttemptGroup;
  readonly openId: string | undefined;
}

function Group({ group: { attempts, idempotencyKey }, openId }: GroupProps) {
  const title = `${attempts.length} attempts with the Idempotency-Key ${idempotencyKey ?? ''}`;
  return (
    <li>
      {attempts.length > 1 && <p class="group-title">{title}</p>}
      <Attempts attempts={attempts} openId={openId} />
    </li>
  );
}
