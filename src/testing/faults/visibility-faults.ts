/** Faults of reads: events and orders that exist, but are shown late. */

import { toMilliseconds, type Duration } from '../clock.js';
import { ArmedFaults } from './armed-faults.js';
import type { ChanceSource } from './chance.js';
import { checkDeliveryFaultOptions, type DeliveryFaultOptions } from './delivery-faults.js';
import { checkFaultOptions, type ArmedFault, type FaultOptions } from './fault-options.js';

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
export class HistoryFaults {
  readonly #delays: ArmedFaults<'late'>;

  /** @internal */
  constructor(chances: ChanceSource) {
    this.#delays = new ArmedFaults('history', chances);
  }

  /**
   * Arms a delay for the events of a type, or for all events that happen from now on.
   *
   * @param duration - time from the event to its place in the history, on the service's clock
   * @param options - `type`: only such events; `times`: this many of them, `Infinity` unless given
   */
  late(duration: Duration, options: DeliveryFaultOptions = {}): void {
    armDelay(this.#delays, duration, checkDeliveryFaultOptions(options));
  }

  /** The armed faults as plain data. */
  list(): ArmedFault[] {
    return this.#delays.list();
  }

  /** Removes one armed fault; `false` if it has been used up already. */
  remove(id: string): boolean {
    return this.#delays.remove(id);
  }

  /** Removes the faults. Events that are late already stay late. */
  clear(): void {
    this.#delays.clear();
  }

  /** @internal Returns the delay of an event of this type and counts it as used. */
  consume(type: string): number {
    return this.#delays.consume(type)?.lateMs ?? 0;
  }
}

/**
 * Orders that the list shows late: `emulator.faults.orderList.late('2 seconds')`. `GET /orders/{public_id}`
 * shows them at once.
 */
export class OrderListFaults {
  readonly #delays: ArmedFaults<'late'>;

  /** @internal */
  constructor(chances: ChanceSource) {
    this.#delays = new ArmedFaults('orderList', chances);
  }

  /**
   * Arms a delay for orders that are recorded from now on.
   *
   * @param duration - time from the order to its place in the list, on the service's clock
   * @param options - `times`: this many orders, `Infinity` unless given
   */
  late(duration: Duration, options: FaultOptions = {}): void {
    armDelay(this.#delays, duration, checkFaultOptions(options));
  }

  /** The armed faults as plain data. */
  list(): ArmedFault[] {
    return this.#delays.list();
  }

  /** Removes one armed fault; `false` if it has been used up already. */
  remove(id: string): boolean {
    return this.#delays.remove(id);
  }

  /** Removes the faults. Orders that are late already stay late. */
  clear(): void {
    this.#delays.clear();
  }

  /** @internal Returns the delay of an order and counts it as used. */
  consume(): number {
    return this.#delays.consume()?.lateMs ?? 0;
  }
}

function armDelay(
  delays: ArmedFaults<'late'>,
  duration: Duration,
  { type, times = Infinity, chance = 1 }: DeliveryFaultOptions,
): void {
  const lateMs = toMilliseconds(duration, 'duration');
  delays.arm({ kind: 'late', lateMs, type, chance, left: times });
}
