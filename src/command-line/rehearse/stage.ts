/** Stage: what every case plays on. */

import type { MarketEmulator } from '../../testing/emulator.js';
import type { Fault } from '../../testing/faults/fault.js';
import type { FaultMatcher } from '../../testing/faults/match.js';
import type { FaultOptions } from '../../testing/faults/fault-options.js';
import type { Ledger } from './ledger.js';
import type { PartnerCommands } from './partner-commands.js';
import type { PartnerProgram } from './program.js';
import type { Webhook } from './webhook.js';

export interface Stage {
  readonly emulator: MarketEmulator;
  readonly ledger: Ledger;
  readonly program: PartnerProgram;
  readonly commands: PartnerCommands;
  /** `undefined` without `--webhook`. */
  readonly webhook: Webhook | undefined;
  /** How long a sale may take to end, after the last fault. */
  readonly patienceMs: number;
  readonly outageMs: number;
  /** Whether so many sales were left open that no other needs to be waited for so long. */
  readonly hasStopped: () => boolean;
  readonly signal: AbortSignal;
}

/** Arms a fault of calls; the result removes it. */
export function arm(
  { faults }: MarketEmulator,
  match: FaultMatcher,
  fault: Fault | readonly Fault[],
  options: FaultOptions = {},
): () => void {
  faults.on(match, fault, options);
  const armed = faults.list().findLast(({ target }) => target === 'calls');
  return () => {
    if (armed !== undefined) faults.remove(armed.id);
  };
}
