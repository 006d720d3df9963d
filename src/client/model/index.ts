export type { Availability, DomainListing, Pricing } from './domains.js';
export type { Quote, QuoteInput } from './quotes.js';
export type {
  Buyer,
  Order,
  OrderDetail,
  OrderFilters,
  OrderInput,
  OrderStatus,
  PreparedInput,
  Refund,
  RefundInput,
  TimelineEntry,
} from './orders.js';
export type {
  Payout,
  SettlementStatement,
  Transaction,
  TransactionFilters,
  TransactionTotals,
} from './settlements.js';
export type { CheckoutInput, CheckoutSession } from './checkout.js';
export type {
  BrokerageCase,
  BrokerageCaseInput,
  BrokerageEligibility,
  BrokerageTier,
} from './brokerage.js';
export type {
  Commission,
  CommissionStatus,
  TrackingLinkInput,
  LinkType,
  ReferralAnalytics,
  ReferralClicks,
  ReferralPayout,
  ReferralSale,
  TrackingLink,
} from './referral.js';
export type {
  EventsQuery,
  WebhookRegistrationInput,
  WebhookRegistration,
} from './webhook-registration.js';
export type { DateRange, PageRequest } from './ranges.js';
export type { Scope } from './scope.js';
