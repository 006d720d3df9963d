/** The routes for the emulator itself: its clock, its credentials and its whole state. */

import type { Duration } from '../clock.js';
import type { EmulatorSnapshot } from '../snapshot.js';
import { EmulatorError } from '../service-error.js';
import { write, type Route } from './route.js';
import { viewClock } from './views.js';

export const emulatorRoutes: readonly Route[] = [
  write('/clock/advance', { duration: 'any' }, ({ target, body }) => {
    target.clock.advance(body.duration as Duration);
    return viewClock(target.clock);
  }),
  write('/clock/set', { time: 'any' }, ({ target, body: { time } }) => {
    target.clock.set(typeof time === 'string' ? new Date(time) : (time as number));
    return viewClock(target.clock);
  }),
  write(
    '/credentials',
    {
      scopes: 'any?',
      environment: 'string?',
      affiliate: 'boolean?',
      partnerId: 'string?',
      keyId: 'string?',
      secret: 'string?',
    },
    ({ target, body }) => {
      if (body.scopes !== undefined && !Array.isArray(body.scopes)) {
        throw new TypeError('"scopes" must be an array of scopes');
      }
      return target.credentials.issue(body);
    },
  ),
  write('/credentials/{keyId}/revealSecret', {}, ({ target, params: { keyId } }) => {
    const found = target.credentials.find(keyId);
    if (found !== undefined) return { keyId, secret: found.secret };
    throw new EmulatorError(`There is no credential ${keyId}.`, 'not_found');
  }),
  write('/idle', {}, ({ target }) => target.deliveryQueue.idle()),
  write('/reset', {}, ({ target }) => target.state.reset()),
  write('/snapshot', {}, ({ target }) => target.state.snapshot()),
  write('/restore', { snapshot: 'object' }, ({ target, body }) =>
    target.state.restore(body.snapshot as EmulatorSnapshot),
  ),
  write('/saveState', {}, async ({ target }) => {
    if (target.saveState === undefined) {
      throw new EmulatorError('There is no state file: start with --state FILE.');
    }
    await target.saveState();
  }),
];
