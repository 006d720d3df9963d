/** The routes that arm and remove faults. */

import type { Duration } from '../clock.js';
import type { DeliveryFault } from '../faults/delivery-faults.js';
import type { FaultOptions } from '../faults/fault-options.js';
import { EmulatorError } from '../service-error.js';
import { readFaults } from './fault-input.js';
import type { Values } from './fields.js';
import { write, type ControlTarget, type Route } from './route.js';
import { viewFault } from './views.js';

export const faultRoutes: readonly Route[] = [
  write('/faults/next', { fault: 'any', times: 'any?', chance: 'any?' }, ({ target, body }) => {
    target.faults.next(readFaults(body.fault), frequencyOf(body));
    return armed(target);
  }),
  write(
    '/faults/on',
    { match: 'string', fault: 'any', times: 'any?', chance: 'any?' },
    ({ target, body }) => {
      target.faults.on(body.match as string, readFaults(body.fault), frequencyOf(body));
      return armed(target);
    },
  ),
  write('/faults/clear', {}, ({ target }) => target.faults.clear()),
  write('/faults/{id}/remove', {}, ({ target, params: { id } }) => {
    if (target.faults.remove(id)) return;
    throw new EmulatorError(`There is no armed fault ${id}.`, 'not_found');
  }),
  write(
    '/faults/deliveries/next',
    { fault: 'any', type: 'string?', times: 'any?', chance: 'any?' },
    ({ target, body }) => {
      const options = { ...typeOf(body), ...frequencyOf(body) };
      target.faults.deliveries.next(body.fault as DeliveryFault, options);
      return armed(target);
    },
  ),
  write(
    '/faults/history/late',
    { duration: 'any', type: 'string?', times: 'any?', chance: 'any?' },
    ({ target, body }) => {
      const options = { ...typeOf(body), ...frequencyOf(body) };
      target.faults.history.late(body.duration as Duration, options);
      return armed(target);
    },
  ),
  write(
    '/faults/orderList/late',
    { duration: 'any', times: 'any?', chance: 'any?' },
    ({ target, body }) => {
      target.faults.orderList.late(body.duration as Duration, frequencyOf(body));
      return armed(target);
    },
  ),
];

function armed(target: ControlTarget) {
  return target.faults.list().map(viewFault);
}

function typeOf({ type }: Values): { type?: string } {
  return type === undefined ? {} : { type: type as string };
}

function frequencyOf({ times, chance }: Values): FaultOptions {
  return {
    // JSON has no Infinity.
    ...(times === undefined ? {} : { times: times === null ? Infinity : (times as number) }),
    ...(chance === undefined ? {} : { chance: chance as number }),
  };
}
