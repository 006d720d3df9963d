import { toMilliseconds, type Duration } from '../clock.js';

/**
 * What happens to a webhook delivery: it comes twice; not at all; after the event that follows it;
 * or only once the service's clock has moved on by so much.
 */
export type DeliveryFault = 'twice' | 'lost' | 'outOfOrder' | { readonly late: Duration };

/** Which deliveries, and how many. */
export interface DeliveryFaultOptions {
  /** Only events of this type. */
  readonly type?: string;
  /** How many events; 1 unless given, `Infinity` is until cleared. */
  readonly times?: number;
}

/** A fault as it is applied. */
export interface AppliedDeliveryFault {
  readonly kind: 'twice' | 'lost' | 'outOfOrder' | 'late';
  readonly lateMs: number;
}

interface Rule extends AppliedDeliveryFault {
  readonly type: string | undefined;
  left: number;
}

/** The faults of webhook deliveries: `emulator.faults.deliveries.next('twice')`. */
export class DeliveryFaults {
  #rules: Rule[] = [];

  /** Strikes the next event, or the next of a type, or the next few. */
  next(fault: DeliveryFault, { type, times = 1 }: DeliveryFaultOptions = {}): void {
    if (!(times === Infinity || (Number.isInteger(times) && times > 0))) {
      throw new TypeError('"times" must be a whole number above zero, or Infinity');
    }
    if (typeof fault === 'string' && !['twice', 'lost', 'outOfOrder'].includes(fault)) {
      throw new TypeError(`"fault" must be 'twice', 'lost', 'outOfOrder' or { late: duration }`);
    }
    const kind = typeof fault === 'string' ? fault : 'late';
    const lateMs = typeof fault === 'string' ? 0 : toMilliseconds(fault.late, 'late');
    this.#rules.push({ kind, lateMs, type, left: times });
  }

  /** No delivery is disturbed any more. */
  clear(): void {
    this.#rules = [];
  }

  /** @internal The fault for an event of this type, if there is one; it is used up. */
  take(type: string): AppliedDeliveryFault | undefined {
    const rule = this.#rules.find((each) => each.type === undefined || each.type === type);
    if (rule === undefined) return undefined;
    rule.left -= 1;
    this.#rules = this.#rules.filter(({ left }) => left > 0);
    return rule;
  }
}
