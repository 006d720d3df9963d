/** ViewProps: the props of every view. */

import type { Commands } from '../commands.js';
import type { PageState } from '../state.js';
import type { EmulatorView } from '../wire.js';

export interface ViewProps {
  readonly state: PageState;
  readonly emulator: EmulatorView;
  readonly commands: Commands;
}
