/** The routes of the control API: `/_emulator/v1` and these paths, named after the program's names. */

import { emulatorRoutes } from './emulator-routes.js';
import { faultRoutes } from './fault-routes.js';
import { readRoutes } from './read-routes.js';
import type { Route } from './route.js';
import { staffRoutes } from './staff-routes.js';

/** Every route; literal paths come before paths with a placeholder in the same position. */
export const routes: readonly Route[] = [
  ...readRoutes,
  ...staffRoutes,
  ...faultRoutes,
  ...emulatorRoutes,
];
