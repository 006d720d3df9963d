/** Faults of webhook deliveries. */

import * as z from 'zod/mini';
import { ruled } from '../../core/schema/must.js';
import { oneOf } from '../../core/schema/options.js';
import { check, duration, type Duration } from '../values.js';
import { ArmedFaults } from './armed-faults.js';
import { eventFrequency, type FaultOptions } from './fault-options.js';

/**
 * A fault of a webhook delivery: it arrives twice, never, after the next event, or later by a
 * duration of the service's clock.
 */
export type DeliveryFault = 'twice' | 'lost' | 'outOfOrder' | { readonly late: Duration };

/** The deliveries that a fault applies to. */
export interface DeliveryFaultOptions extends FaultOptions {
  /** Only events of this type. */
  readonly type?: string | undefined;
}

/** The delivery faults without a duration. */
export const deliveryFaults = ['twice', 'lost', 'outOfOrder'] as const;

export const deliveryFault = () =>
  z.union(
    [oneOf(...deliveryFaults), z.strictObject({ late: duration() })],
    ruled(`must be 'twice', 'lost', 'outOfOrder' or { late: duration }`),
  );

const ofFault = () => ({ fault: deliveryFault() });

/** The faults of webhook deliveries: `emulator.faults.deliveries.next('twice')`. */
export class DeliveryFaults extends ArmedFaults<(typeof deliveryFaults)[number] | 'late'> {
  /** Arms a fault for the next event, or for the next `times` events of a type. */
  next(fault: DeliveryFault, options: DeliveryFaultOptions = {}): void {
    const { type, times = 1, chance } = check(eventFrequency, options);
    const known = check(ofFault, { fault }).fault;
    const armed =
      typeof known === 'string'
        ? { kind: known, lateMs: 0 }
        : { kind: 'late' as const, lateMs: known.late };
    this.arm({ ...armed, type, chance, left: times });
  }
}
