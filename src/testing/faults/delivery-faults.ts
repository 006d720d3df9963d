/** Faults of webhook deliveries. */

import { checkOptions, oneOf, type OptionTable } from '../../options.js';
import { eventTypes } from '../../webhooks/event-types.js';
import { toMilliseconds, type Duration } from '../clock.js';
import { invalidOption } from '../invalid-option.js';
import { ArmedFaults } from './armed-faults.js';
import type { ChanceSource } from './chance.js';
import { faultRules, type ArmedFault, type FaultOptions } from './fault-options.js';

/**
 * A fault of a webhook delivery: it arrives twice, never, after the next event, or later by a
 * duration of the service's clock.
 */
export type DeliveryFault = 'twice' | 'lost' | 'outOfOrder' | { readonly late: Duration };

/** The deliveries that a fault applies to. */
export interface DeliveryFaultOptions extends FaultOptions {
  /** Only events of this type. */
  readonly type?: string;
}

const rules: OptionTable<DeliveryFaultOptions> = { ...faultRules, type: oneOf(...eventTypes) };

/** @throws {@link TypeError} that names the option and the rule that it breaks */
export function checkDeliveryFaultOptions(options: DeliveryFaultOptions): DeliveryFaultOptions {
  return checkOptions<DeliveryFaultOptions>(rules, options, invalidOption);
}

/** The delivery faults without a duration. */
export const deliveryFaults = ['twice', 'lost', 'outOfOrder'] as const;

/** A fault, ready to apply. */
interface AppliedDeliveryFault {
  readonly kind: (typeof deliveryFaults)[number] | 'late';
  readonly lateMs: number;
}

/** The faults of webhook deliveries: `emulator.faults.deliveries.next('twice')`. */
export class DeliveryFaults {
  readonly #armed: ArmedFaults<AppliedDeliveryFault['kind']>;

  /** @internal */
  constructor(chances: ChanceSource) {
    this.#armed = new ArmedFaults('deliveries', chances);
  }

  /** Arms a fault for the next event, or for the next `times` events of a type. */
  next(fault: DeliveryFault, options: DeliveryFaultOptions = {}): void {
    const { type, times = 1, chance = 1 } = checkDeliveryFaultOptions(options);
    checkFault(fault);
    const kind = typeof fault === 'string' ? fault : 'late';
    const lateMs = typeof fault === 'string' ? 0 : toMilliseconds(fault.late, 'late');
    this.#armed.arm({ kind, lateMs, type, chance, left: times });
  }

  /** The armed faults as plain data. */
  list(): ArmedFault[] {
    return this.#armed.list();
  }

  /** Removes one armed fault; `false` if it has been used up already. */
  remove(id: string): boolean {
    return this.#armed.remove(id);
  }

  /** Removes every fault of deliveries. */
  clear(): void {
    this.#armed.clear();
  }

  /** @internal Returns the fault for an event of this type and counts it as used. */
  consume(type: string): AppliedDeliveryFault | undefined {
    return this.#armed.consume(type);
  }
}

function checkFault(fault: unknown): void {
  const isKnown =
    typeof fault === 'string'
      ? deliveryFaults.some((known) => known === fault)
      : typeof fault === 'object' && fault !== null && 'late' in fault;
  if (!isKnown) {
    throw new TypeError(`"fault" must be 'twice', 'lost', 'outOfOrder' or { late: duration }`);
  }
}
