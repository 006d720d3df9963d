/** EventBus: what happens in an emulator, for every part that listens. */

import type { EventEmitter } from 'node:events';
import type { DeliveryAttempt } from './deliveries/delivery-attempt.js';
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
  /** A response was sent. */
  request: [entry: RecordedRequest];
  /** A snapshot was restored, or the emulator was reset. */
  replace: [];
}>;
