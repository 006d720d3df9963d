/** An in-process stand-in for the service, for tests of your own integration. */

export { MarketEmulator } from './emulator.js';
export { EmulatorError } from './emulator-error.js';
export { fault } from './faults/fault.js';
export type { Admin, EmulatorCase, EmulatorOrder } from './admin.js';
export type { Duration, EmulatorClock } from './clock.js';
export type { CredentialOptions, EmulatorCredential, Environment, Scope } from './credentials.js';
export type { DeliveryAttempt } from './deliveries/courier.js';
export type {
  DeliveryFault,
  DeliveryFaultOptions,
  DeliveryFaults,
} from './deliveries/delivery-faults.js';
export type { AnswerFaultOptions, Fault } from './faults/fault.js';
export type { Faults, FaultTimes } from './faults/faults.js';
export type { FaultMatch, FaultSubject } from './faults/match.js';
export type { CaseClosing } from './market/brokerage.js';
export type { EmulatorEvent } from './market/events.js';
export type { Listing, ListingInput } from './market/inventory.js';
export type { OrderStatus } from './market/orders.js';
export type { ReferralSale, ReferralSaleInput } from './market/referral.js';
export type { Statement } from './market/settlement.js';
export type { EmulatorOptions } from './options.js';
export type { RecordedRequest } from './request-log.js';
export type { ErrorShape, ListEnvelope } from './service/envelopes.js';
