/**
 * `recordFields`: every field of a response's record that this version knows, the assumed ones included, with its
 * kind. docs/assumptions.md lists the same names.
 */

/** What a field holds. An amount is a whole number of minor units; a date is ISO 8601. */
export type KnownKind =
  'text' | 'amount' | 'count' | 'number' | 'boolean' | 'date' | 'object' | 'list' | 'any';

const listing = {
  domain: 'text',
  available: 'boolean',
  price_cents: 'amount',
  floor_price_cents: 'amount',
  currency: 'text',
  metadata: 'object',
} as const;

const order = {
  public_id: 'text',
  domain: 'text',
  status: 'text',
  sale_price_cents: 'amount',
  currency: 'text',
  created_at: 'date',
  updated_at: 'date',
  quote_id: 'text',
  external_payment_ref: 'text',
} as const;

export const recordFields = {
  domain: listing,
  availability: { domain: 'text', available: 'boolean', price_cents: 'amount', currency: 'text' },
  pricing: {
    domain: 'text',
    buy_now_price_cents: 'amount',
    floor_price_cents: 'amount',
    currency: 'text',
  },
  quote: {
    quote_id: 'text',
    quote_token: 'text',
    domain: 'text',
    price_cents: 'amount',
    currency: 'text',
    expires_at: 'date',
  },
  order,
  detail: { ...order, timeline: 'list', transfer: 'object' },
  refund: {
    refund_id: 'text',
    public_id: 'text',
    status: 'text',
    amount_cents: 'amount',
    currency: 'text',
    created_at: 'date',
  },
  settlement: {
    settlement_id: 'text',
    period_start: 'date',
    period_end: 'date',
    gross_sold_cents: 'amount',
    commission_retained_cents: 'amount',
    amount_owed_cents: 'amount',
    currency: 'text',
    status: 'text',
  },
  transaction: {
    transaction_id: 'text',
    public_id: 'text',
    domain: 'text',
    status: 'text',
    payment_model: 'text',
    sale_price_cents: 'amount',
    commission_cents: 'amount',
    currency: 'text',
    created_at: 'date',
  },
  totals: {
    gmv_cents: 'amount',
    commission_cents: 'amount',
    currency: 'text',
    by_currency: 'list',
  },
  payout: {
    payout_id: 'text',
    amount_cents: 'amount',
    currency: 'text',
    source: 'text',
    paid_at: 'date',
  },
  session: { checkout_url: 'text', session_id: 'text', domain: 'text', expires_at: 'date' },
  eligibility: { domain: 'text', eligible: 'boolean', reason: 'text' },
  case: {
    case_id: 'text',
    domain: 'text',
    status: 'text',
    tier: 'text',
    budget: 'number',
    buyer_email: 'text',
    progress_url: 'text',
    outcome: 'text',
    created_at: 'date',
    timeline: 'list',
  },
  link: {
    link_id: 'text',
    type: 'text',
    url: 'text',
    domain: 'text',
    product: 'text',
    clicks: 'count',
    sales: 'count',
    created_at: 'date',
  },
  clicks: { total: 'count', from: 'date', to: 'date' },
  sale: {
    sale_id: 'text',
    link_id: 'text',
    buyer: 'any',
    domain: 'text',
    amount_cents: 'amount',
    commission_cents: 'amount',
    currency: 'text',
    sold_at: 'date',
  },
  commission: {
    commission_id: 'text',
    sale_id: 'text',
    status: 'text',
    amount_cents: 'amount',
    running_balance_cents: 'amount',
    currency: 'text',
    created_at: 'date',
  },
  referral_payout: {
    payout_id: 'text',
    amount_cents: 'amount',
    currency: 'text',
    paid_at: 'date',
  },
  analytics: {
    from: 'date',
    to: 'date',
    clicks: 'count',
    checkouts: 'count',
    sales: 'count',
    gmv_cents: 'amount',
    commission_cents: 'amount',
    currency: 'text',
  },
  webhook: { url: 'text', active: 'boolean', created_at: 'date' },
  event: { id: 'text', type: 'text', created_at: 'date', partner_id: 'text', data: 'object' },
} as const satisfies Record<string, Readonly<Record<string, KnownKind>>>;

export type RecordName = keyof typeof recordFields;

/** The fields of a record, each with its kind. */
export function fieldsOf(record: RecordName): Readonly<Record<string, KnownKind>> {
  return recordFields[record];
}

/** How many fields of a record a value has that may be one. */
export function countKnownFields(value: object, record: RecordName): number {
  let count = 0;
  for (const name in recordFields[record]) if (Object.hasOwn(value, name)) count += 1;
  return count;
}

/** Whether a value has any field of a record. */
export function hasKnownField(value: object, record: RecordName): boolean {
  for (const name in recordFields[record]) if (Object.hasOwn(value, name)) return true;
  return false;
}
