/** The checked options of a rehearsal. */

import type { Profile } from '../../client/profile/profile.js';

export interface RehearsalOptions {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** How the service answers; the program gets its file as MARKET_PROFILE. */
  readonly profile: Profile | undefined;
  readonly sell: string;
  readonly ask: string | undefined;
  readonly withdraw: string | undefined;
  readonly webhook: string | undefined;
  /** A command that empties the program's database; then each case plays by itself. */
  readonly beforeEach: string | undefined;
  readonly port: number;
  /** The names of the cases to play; all of them if it is empty. */
  readonly only: readonly string[];
  readonly seed: number;
  readonly repeat: number;
  readonly patienceMs: number;
  readonly outageMs: number;
  readonly startWithinMs: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}
