/** Faults of reads: events and orders that exist, but are shown late. */

import { check, toMilliseconds, type Duration } from '../values.js';
import { ArmedFaults } from './armed-faults.js';
import type { DeliveryFaultOptions } from './delivery-faults.js';
import { eventFrequency, frequency, type FaultOptions } from './fault-options.js';

/**
 * Events that the history shows late: `emulator.faults.history.late('2 minutes')`. Webhooks are
 * delivered all the same.
 *
 * A late event keeps its place in the order: a reader whose cursor has passed a later event does not
 * get it. Until then its id is unknown to `after_id`.
 *
 * @example
 * ```ts
 * import { MarketEmulator } from 'market-partner-sdk/testing';
 *
 * const emulator = await MarketEmulator.start();
 * emulator.faults.history.late('2 minutes', { type: 'order.settled', times: 1 });
 * await emulator.stop();
 * ```
 */
export class HistoryFaults extends ArmedFaults<'late'> {
  /**
   * Arms a delay for the events of a type, or for all events that happen from now on.
   *
   * @param duration - time from the event to its place in the history, on the service's clock
   * @param options - `type`: only such events; `times`: this many of them, `Infinity` unless given
   */
  late(duration: Duration, options: DeliveryFaultOptions = {}): void {
    const { type, times = Infinity, chance } = check(eventFrequency, options);
    const lateMs = toMilliseconds(duration);
    this.arm({ kind: 'late', lateMs, type, chance, left: times });
  }
}

/**
 * Orders that the list shows late: `emulator.faults.orderList.late('2 seconds')`. `GET /orders/{public_id}`
 * shows them at once.
 */
export class OrderListFaults extends ArmedFaults<'late'> {
  /**
   * Arms a delay for orders that are recorded from now on.
   *
   * @param duration - time from the order to its place in the list, on the service's clock
   * @param options - `times`: this many orders, `Infinity` unless given
   */
  late(duration: Duration, options: FaultOptions = {}): void {
    const { times = Infinity, chance } = check(frequency, options);
    const lateMs = toMilliseconds(duration);
    this.arm({ kind: 'late', lateMs, type: undefined, chance, left: times });
  }
}
