/** The JSON that the control API sends, typed by the functions that build it. */

import type { viewState } from '../control/view-state.js';
import type { listFaults } from '../control/fault-input.js';
import type {
  viewListing,
  viewOrder,
  viewRequest,
  viewRequestWithResponse,
} from '../control/views.js';

export type EmulatorView = ReturnType<typeof viewState>;
export type RequestView = ReturnType<typeof viewRequest>;
export type OpenRequestView = ReturnType<typeof viewRequestWithResponse>;
export type ListingView = ReturnType<typeof viewListing>;
export type OrderView = ReturnType<typeof viewOrder>;
export type EventView = EmulatorView['events'][number];
export type DeliveryView = EmulatorView['deliveries'][number];
export type PendingDeliveryView = EmulatorView['pendingDeliveries'][number];
export type FaultView = EmulatorView['faults'][number];
export type ClockView = EmulatorView['clock'];
export type CredentialView = EmulatorView['credentials'][number];

/** What `GET /faults/options` lists. */
export interface FaultOptionsView {
  readonly calls: readonly string[];
  readonly faults: ReturnType<typeof listFaults>;
  readonly deliveryFaults: readonly string[];
  readonly eventTypes: readonly string[];
}
