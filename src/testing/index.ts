/** An in-process stand-in for the service, for tests of your own integration. */

export { MarketEmulator } from './emulator.js';
export { EmulatorError } from './service-error.js';
export { fault } from './faults/fault.js';
export type { Admin, EmulatorCase, EmulatorOrder } from './admin.js';
export type { EmulatorClock } from './clock.js';
export type { CredentialOptions, EmulatorCredential, Environment, Scope } from './credentials.js';
export type { DeliveryAttempt } from './deliveries/delivery-attempt.js';
export type {
  DeliveryFault,
  DeliveryFaultOptions,
  DeliveryFaults,
} from './faults/delivery-faults.js';
export type { Fault, ResponseFaultOptions } from './faults/fault.js';
export type { LatencyDistribution } from './faults/chance.js';
export type { ArmedFault, FaultOptions } from './faults/fault-options.js';
export type { Faults } from './faults/faults.js';
export type { LyingFault, PartialListWord, ReferenceChange } from './faults/lying-faults.js';
export type { FaultMatcher, FaultRequest } from './faults/match.js';
export type { HistoryFaults, OrderListFaults } from './faults/visibility-faults.js';
export type { CloseCaseOptions } from './market/brokerage.js';
export type { EmulatorEvent } from './market/events.js';
export type {
  EmulatorListing,
  EmulatorOrderStatus,
  EmulatorReferralSale,
  EmulatorStatement,
  ListingInput,
} from './market/records.js';
export type { ReferralSaleInput } from './market/referral.js';
export type { EmitEventOptions, PartnerReference } from './market/synthetic-event.js';
export type { EmulatorOptions } from './options.js';
export type { RecordedRequest, RecordedResponse } from './request-log.js';
export type { EmulatorSnapshot } from './snapshot.js';
export type { CanonicalLines } from './verification/canonical.js';
export type { CanonicalComparison } from './verification/verify.js';
export type { Duration } from './values.js';
