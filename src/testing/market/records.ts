/** The records of the market. `Stored…` is as the emulator keeps one; a response is made from it. */

/** Sequence number within its list, oldest first. Internal: never serialized. */
export interface Sequenced {
  readonly seq: number;
}

/** The whole address of a path of the emulator; a snapshot of an earlier release holds whole ones. */
export function addressAt(baseUrl: string, path: string): string {
  return path.startsWith('/') ? `${baseUrl}${path}` : path;
}

/** A domain to list: the fields of a listing that a test may choose. */
export interface ListingInput {
  /** Its name; any spelling that a domain name may have. */
  readonly domain: string;
  /** Buy-now price in minor currency units. */
  readonly price_cents: number;
  /** Lowest price, in minor currency units. Four fifths of the price unless given. */
  readonly floor_price_cents?: number | undefined;
  /** ISO 4217 code; `'USD'` unless given. */
  readonly currency?: string | undefined;
  /** What the listing's `metadata` has; `{}` unless given. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** A listed domain. */
export interface EmulatorListing {
  /** Its name in lower-case ASCII. */
  readonly domain: string;
  /** Buy-now price in minor currency units. */
  readonly price_cents: number;
  /** Lowest price, in minor currency units. */
  readonly floor_price_cents: number;
  /** Currency code, such as `USD`. */
  readonly currency: string;
  /** Further fields of the listing; the service does not specify them. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The partner for which a quote reserves it, and until when, in Unix milliseconds. */
  readonly reserved?: { readonly partnerId: string; readonly until: number } | undefined;
}

/** A firm price, held for ten minutes. */
export interface StoredQuote {
  readonly quote_id: string;
  readonly quote_token: string;
  readonly domain: string;
  readonly price_cents: number;
  readonly currency: string;
  readonly expires_at: string;
}

/** The statuses of an order; the last three are names that the specification leaves open. */
export type EmulatorOrderStatus =
  | 'EXTERNALLY_PAID'
  | 'TRANSFER_IN_PROGRESS'
  | 'TRANSFER_COMPLETED'
  | 'SETTLED'
  | 'MANUAL_REVIEW'
  | 'REFUNDED'
  | 'CANCELLED';

/** One step of an order's history. */
export interface StoredTimelineEntry {
  readonly status: EmulatorOrderStatus;
  readonly event: string | null;
  readonly at: string;
  readonly note: string;
}

/** A sale that the partner collected itself. */
export interface StoredOrder extends Sequenced {
  readonly public_id: string;
  readonly domain: string;
  status: EmulatorOrderStatus;
  readonly sale_price_cents: number;
  readonly currency: string;
  readonly created_at: string;
  updated_at: string;
  /** A refund that was asked for, while the order shows nothing of it. */
  refund?: 'waiting' | 'denied';
  readonly quote_id: string | undefined;
  readonly external_payment_ref: string | undefined;
  readonly timeline: StoredTimelineEntry[];
  /** From when on the list of orders shows it, in Unix milliseconds. */
  readonly visibleAt: number;
  /** The listing that returns to the inventory if the order is undone. */
  readonly listing: EmulatorListing;
}

/** A hosted checkout, and its sale once the buyer has paid. */
export interface StoredCheckoutSession {
  readonly session_id: string;
  /** A path, for {@link addressAt}; so are those of cases and links. */
  readonly checkout_url: string;
  readonly domain: string;
  readonly price_cents: number;
  readonly currency: string;
  readonly expires_at: string;
  readonly return_url: string | undefined;
  readonly cancel_url: string | undefined;
  sale: StoredTransaction | undefined;
}

/** One sale in the transaction history. */
export interface StoredTransaction extends Sequenced {
  readonly transaction_id: string;
  readonly public_id: string;
  readonly domain: string;
  readonly status: string;
  readonly payment_model: 'partner_collected' | 'hosted_checkout';
  readonly sale_price_cents: number;
  readonly commission_cents: number;
  readonly currency: string;
  readonly created_at: string;
}

/** The sums of one settlement period (specification, 4.4). Amounts are cents. */
export interface EmulatorStatement {
  /** Identifier of the statement. */
  readonly settlement_id: string;
  /** First moment of the period, ISO 8601 UTC. */
  readonly period_start: string;
  /** Last moment of the period, ISO 8601 UTC. */
  readonly period_end: string;
  /** Sum of the sale prices. */
  readonly gross_sold_cents: number;
  /** What the partner keeps of it. */
  readonly commission_retained_cents: number;
  /** What the partner owes the service. */
  readonly amount_owed_cents: number;
  /** Currency code: a statement has one. */
  readonly currency: string;
  /** The only documented status. */
  readonly status: 'CLOSED';
}

/** Money that the service has paid to the partner. */
export interface StoredPayout extends Sequenced {
  readonly payout_id: string;
  readonly amount_cents: number;
  readonly currency: string;
  readonly source: 'hosted_checkout' | 'brokerage';
  readonly paid_at: string;
}

/** An acquisition that the service runs for the partner's user. */
export interface StoredCase extends Sequenced {
  readonly case_id: string;
  readonly domain?: string | undefined;
  status: 'OPEN' | 'COMPLETED' | 'CLOSED';
  readonly tier: string;
  readonly budget?: number | undefined;
  readonly buyer_email: string;
  readonly progress_url: string;
  outcome: 'deal' | 'no_deal' | null;
  price_cents: number | undefined;
  paidOut: boolean;
  readonly created_at: string;
  readonly timeline: { readonly status: string; readonly at: string; readonly note: string }[];
}

/** A tracking link (specification, part 2, "Link types"). */
export interface StoredLink extends Sequenced {
  readonly link_id: string;
  readonly type: string;
  readonly url: string;
  readonly domain?: string | undefined;
  readonly product?: string | undefined;
  readonly created_at: string;
  clicks: number;
  sales: number;
}

/** A visit of a link, or a checkout begun through it. */
export interface StoredClick {
  readonly link_id: string;
  readonly at: number;
}

/** A sale that came through a tracking link (specification, 4.6). Amounts are cents. */
export interface EmulatorReferralSale {
  /** Identifier of the sale. */
  readonly sale_id: string;
  /** The link that the buyer came through. */
  readonly link_id: string;
  /** The buyer's address. */
  readonly buyer: string;
  /** The domain that was bought. */
  readonly domain: string;
  /** The price that the buyer paid. */
  readonly amount_cents: number;
  /** The partner's share of it. */
  readonly commission_cents: number;
  /** Currency code, such as `USD`. */
  readonly currency: string;
  /** Time of the sale, ISO 8601 UTC. */
  readonly sold_at: string;
}

/** The partner's share of a referral sale. */
export interface StoredCommission extends Sequenced {
  readonly commission_id: string;
  readonly sale_id: string;
  status: 'accrued' | 'pending' | 'paid_out' | 'reversed';
  readonly amount_cents: number;
  readonly currency: string;
  readonly created_at: string;
}

/** Commissions that were paid to the partner. */
export type StoredReferralPayout = Omit<StoredPayout, 'source'>;

/** The address that events are delivered to (specification, 4.7). */
export interface StoredWebhook {
  readonly url: string;
  readonly secret: string;
  readonly active: boolean;
  readonly created_at: string;
}
