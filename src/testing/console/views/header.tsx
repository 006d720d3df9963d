/**
 * Header: the emulator's address, the connection, the search, the clock with its jumps, and reset. On a phone
 * the clock and reset are a menu.
 */

import { formatDateTime } from '../format.js';
import { Button } from './controls.js';
import type { ViewProps } from './view-props.js';

const jumps = [
  ['+1 min', '1 minute'],
  ['+11 min', '11 minutes'],
  ['+8 days', '8 days'],
] as const;

const resetQuestion =
  'Reset the emulator? Orders, events, faults and webhooks are removed, every domain is for sale again, and the clock is back at the real time. Credentials stay valid.';

export function Header({ state, emulator, commands }: ViewProps) {
  const { clock, baseUrl } = emulator;
  const [date, time] = formatDateTime(clock.now).split(' ');
  return (
    <header>
      <h1>
        Emulator <code>{baseUrl}</code>
      </h1>
      <span class={`state ${state.connection}`}>{state.connection}</span>
      <input
        type="search"
        aria-label="Search in every tab"
        placeholder="Search: domain, order, key, error   /"
        value={state.search}
        onInput={({ currentTarget }) => commands.setSearch(currentTarget.value)}
      />
      <button type="button" class="menu" popovertarget="clock" title="Clock and reset">
        {time} ▾
      </button>
      <div
        id="clock"
        popover="auto"
        class="buttons"
        role="group"
        aria-label="Clock of the emulator"
      >
        <time dateTime={clock.iso}>
          {date} {time} UTC
        </time>
        {jumps.map(([label, duration]) => (
          <Button
            key={label}
            title={`Advance the clock by ${duration}`}
            onPress={() => commands.act(['/clock/advance', { duration }])}
          >
            {label}
          </Button>
        ))}
        <Button isDanger onPress={() => commands.actAfterQuestion(resetQuestion, ['/reset'])}>
          Reset
        </Button>
      </div>
    </header>
  );
}
