/** RequestFilter: which requests are listed, by endpoint and result. */

import { noFilter } from '../requests.js';
import { maxRequests } from '../state.js';
import { endpointName, errorName, isRefused } from '../traffic.js';
import { Button } from './controls.js';
import type { ViewProps } from './view-props.js';

export function RequestFilter({
  state,
  commands,
  listed,
}: ViewProps & { readonly listed: number }) {
  const { requests, filter } = state;
  const { endpoint, result, hidesReads } = filter;
  const set = (values: Partial<typeof filter>) => commands.setFilter({ ...filter, ...values });
  const all = requests.length === maxRequests ? `the latest ${maxRequests}` : requests.length;
  return (
    <div class="buttons" role="group" aria-label="Which requests">
      <Choice
        label="Endpoint"
        any="Every endpoint"
        values={requests.map(endpointName)}
        value={endpoint}
        onChoose={(value) => set({ endpoint: value })}
      />
      <Choice
        label="Status"
        any="Every status"
        first={['accepted', 'refused']}
        values={requests.filter(isRefused).map(errorName)}
        value={result}
        onChoose={(value) => set({ result: value })}
      />
      <Button
        isPressed={hidesReads}
        title="GET calls that succeeded, as polls and reconcile send them"
        onPress={() => set({ hidesReads: !hidesReads })}
      >
        Hide successful reads
      </Button>
      {filter !== noFilter && (
        <Button onPress={() => commands.setFilter(noFilter)}>Clear the filter</Button>
      )}
      <span class="muted">
        {listed < requests.length ? `${listed} of ${all} requests` : `${all} requests`}
      </span>
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly any: string;
  readonly first?: readonly string[];
  readonly values: readonly string[];
  readonly value: string;
  readonly onChoose: (value: string) => void;
}

function Choice({ label, any, first = [], values, value, onChoose }: ChoiceProps) {
  // One that was chosen stays, though its requests have left the list.
  const names = new Set([...values, value].sort());
  for (const name of ['', ...first]) names.delete(name);
  return (
    <select
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    >
      <option value="">{any}</option>
      {[...first, ...names].map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}
