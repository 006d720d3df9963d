/** RequestsView: the requests with their attempts, and the errors by code and endpoint. */

import { useState } from 'preact/hooks';
import { attemptGroups, foldRepeats, type AttemptGroup, type Run } from '../requests.js';
import { isMatch } from '../search.js';
import { subjectOf } from '../subject.js';
import { countErrors, endpointOf } from '../traffic.js';
import { Attempts, RequestRow } from './attempts.js';
import { Button, List } from './controls.js';
import { ErrorTotals } from './error-totals.js';
import { RequestDetails } from './request-details.js';
import { RequestFilter } from './request-filter.js';
import { Split } from './split.js';
import type { ViewProps } from './view-props.js';

export function RequestsView(props: ViewProps) {
  const { state, emulator, commands } = props;
  const { requests, filter, search, route, openRequest } = state;
  const groups = attemptGroups(requests, filter, search);
  const errors = countErrors(requests.filter((each) => isMatch(each, search)));
  const opened = openRequest?.id === route.id ? openRequest : undefined;
  // One that the list no longer has may still be in the log of the emulator.
  const shown = requests.find(({ requestId }) => requestId === route.id) ?? opened?.request;
  return (
    <>
      <RequestFilter
        {...props}
        listed={groups.reduce((count, { attempts }) => count + attempts.length, 0)}
      />
      <ErrorTotals errors={errors} filter={filter} commands={commands} />
      <Split
        tab="requests"
        label="Requests"
        list={<RequestList {...props} groups={groups} />}
        title={
          shown === undefined
            ? opened && 'This request is no longer in the log.'
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

/** More rows are drawn when they are asked for: the list is drawn ten times a second. */
const rowsAtOnce = 200;

function RequestList({ state, groups }: ViewProps & { readonly groups: readonly AttemptGroup[] }) {
  const { requests, route } = state;
  const [shown, setShown] = useState(rowsAtOnce);
  if (groups.length === 0) {
    return <p class="empty">{requests.length === 0 ? 'No request yet.' : 'Nothing was found.'}</p>;
  }
  const runs = foldRepeats(groups);
  return (
    <>
      <List kind="request" columns={['Status', 'Endpoint', 'About', 'Result', 'Time']}>
        {runs.slice(0, shown).map((run) => (
          <FoldedRun key={run.id} run={run} openId={route.id} />
        ))}
      </List>
      {runs.length > shown && (
        <p class="buttons">
          <Button onPress={() => setShown(shown + rowsAtOnce)}>Show older</Button>
          <span class="muted">{runs.length - shown} more</span>
        </p>
      )}
    </>
  );
}

interface FoldedRunProps {
  readonly run: Run;
  readonly openId: string | undefined;
}

function FoldedRun({ run: { first, others }, openId }: FoldedRunProps) {
  const hasOpen = others.some(({ attempts: [each] }) => each?.requestId === openId);
  return (
    <li>
      <Group group={first} />
      {others.length > 0 && (
        <details class="repeats" open={hasOpen}>
          <summary>{others.length} more like it</summary>
          {others.map((group) => (
            <Group key={group.id} group={group} />
          ))}
        </details>
      )}
    </li>
  );
}

function Group({ group: { attempts, idempotencyKey } }: { readonly group: AttemptGroup }) {
  const [first] = attempts;
  if (attempts.length === 1 && first !== undefined) return <RequestRow request={first} />;
  return (
    <>
      <p class="group-title">
        {attempts.length} attempts with the Idempotency-Key {idempotencyKey}
      </p>
      <Attempts attempts={attempts} />
    </>
  );
}
