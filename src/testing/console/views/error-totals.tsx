/** ErrorTotals: the errors by code and endpoint; each is a filter of the list. */

import type { Commands } from '../commands.js';
import { formatTime } from '../format.js';
import type { Filter } from '../state.js';
import type { ErrorTotal } from '../traffic.js';
import { Button, Table } from './controls.js';

interface ErrorTotalsProps {
  readonly errors: readonly ErrorTotal[];
  readonly filter: Filter;
  readonly commands: Commands;
}

export function ErrorTotals({ errors, filter, commands }: ErrorTotalsProps) {
  if (errors.length === 0) return null;
  return (
    <Table title="Errors by code and endpoint" columns={['code', 'endpoint', 'count', 'last']}>
      {errors.map(({ code, endpoint, count, lastAt }) => {
        const isChosen =
          typeof filter === 'object' && filter.code === code && filter.endpoint === endpoint;
        return (
          <tr key={`${code} ${endpoint}`}>
            <td>
              <Button
                isPressed={isChosen}
                onPress={() => commands.setFilter(isChosen ? 'all' : { code, endpoint })}
              >
                {code}
              </Button>
            </td>
            <td>{endpoint}</td>
            <td class="number">{count}</td>
            <td class="muted">{formatTime(lastAt)}</td>
          </tr>
        );
      })}
    </Table>
  );
}
