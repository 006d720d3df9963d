/** EventBus: what happens in an emulator, for every part of it that wants to know. */

import type { EventEmitter } from 'node:events';
import type { DeliveryAttempt } from './deliveries/delivery-queue.js';
import type { Account } from './market/account.js';
import type { EmulatorEvent } from './market/events.js';
import type { RecordedRequest } from './request-log.js';

/**
 * One channel between the parts of an emulator. Those that report something do not know who listens,
 * so they can be built before the listeners, in any order.
 */
export type EventBus = EventEmitter<{
  /** The clock jumped. */
  jump: [];
  /** A webhook event was recorded in the history of an account. */
  event: [account: Account, event: EmulatorEvent];
  /** An attempt to deliver a webhook ended. */
  delivery: [attempt: DeliveryAttempt];
  /** A request was answered. */
  request: [entry: RecordedRequest];
  /** A snapshot was restored, or the emulator was reset. */
  replace: [];
}>;
