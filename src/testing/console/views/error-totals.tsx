/** ErrorTotals: the errors by code and endpoint; each is a filter of the list. */

import type { Commands } from '../commands.js';
import { formatTime } from '../format.js';
import { noFilter, type Filter } from '../requests.js';
import type { ErrorTotal } from '../traffic.js';
import { Button } from './controls.js';

interface ErrorTotalsProps {
  readonly errors: readonly ErrorTotal[];
  readonly filter: Filter;
  readonly commands: Commands;
}

export function ErrorTotals({ errors, filter, commands }: ErrorTotalsProps) {
  if (errors.length === 0) return null;
  const count = errors.reduce((sum, each) => sum + each.count, 0);
  // On a phone the list comes first.
  const isWide = matchMedia('(min-width: 600px)').matches;
  return (
    <details open={isWide}>
      <summary>
        {count} {count === 1 ? 'error' : 'errors'} by code and endpoint
      </summary>
      <p class="buttons">
        {errors.map(({ code, endpoint, count: times, lastAt }) => {
          const isChosen = filter.result === code && filter.endpoint === endpoint;
          return (
            <Button
              key={`${code} ${endpoint}`}
              title={`the last at ${formatTime(lastAt)}`}
              isPressed={isChosen}
              onPress={() =>
                commands.setFilter(isChosen ? noFilter : { ...noFilter, result: code, endpoint })
              }
            >
              <b class="bad">{code}</b> {endpoint} <b>{times}</b>
            </Button>
          );
        })}
      </p>
    </details>
  );
}
