/** Header: the emulator's address, the connection, and the clock with its jumps. */

import { formatDateTime } from '../format.js';
import { Button } from './controls.js';
import type { ViewProps } from './view-props.js';

const jumps = [
  ['+1 min', '1 minute'],
  ['+11 min', '11 minutes'],
  ['+8 days', '8 days'],
] as const;

export function Header({ state, emulator, commands }: ViewProps) {
  const { clock, baseUrl } = emulator;
  return (
    <header>
      <h1>
        Emulator <code>{baseUrl}</code>
      </h1>
      <span class={state.connection}>{state.connection}</span>
      <div class="clock buttons" role="group" aria-label="Clock of the emulator">
        <time dateTime={clock.iso}>{formatDateTime(clock.now)} UTC</time>
        {jumps.map(([label, duration]) => (
          <Button
            key={label}
            label={`Advance the clock by ${duration}`}
            onPress={() => commands.act(['/clock/advance', { duration }])}
          >
            {label}
          </Button>
        ))}
      </div>
    </header>
  );
}
