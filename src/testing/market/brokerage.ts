import { EmulatorError } from '../emulator-error.js';
import { Refusal } from '../service/refusal.js';
import type { Account } from './account.js';
import type { Market } from './market.js';
import { requireCents } from './prices.js';

/** An acquisition that the service runs for the partner's user. */
export interface BrokerageCase {
  readonly seq: number;
  readonly case_id: string;
  readonly domain: string | undefined;
  status: 'OPEN' | 'COMPLETED' | 'CLOSED';
  readonly tier: string;
  readonly budget: number | undefined;
  readonly buyer_email: string;
  readonly progress_url: string;
  outcome: 'deal' | 'no_deal' | null;
  price_cents: number | undefined;
  paidOut: boolean;
  readonly created_at: string;
  readonly timeline: { readonly status: string; readonly at: string; readonly note: string }[];
}

export interface CaseInput {
  readonly tier: string;
  readonly buyer_email: string;
  readonly budget: number | undefined;
  readonly domain: string | undefined;
}

/** How a case ended. */
export interface CaseClosing {
  /** `'deal'` unless given. Only a deal is announced by an event. */
  readonly outcome?: 'deal' | 'no_deal';
  /** What the domain was bought for, in cents. */
  readonly price_cents?: number;
}

/** The two reasons of specification 4.5; anything else may be brokered. */
export function ineligibility(market: Market, domain: string): string | null {
  if (market.activeSites.has(domain)) return 'active_site';
  for (const { cases } of market.accounts()) {
    if (cases.some((each) => each.domain === domain && each.status === 'OPEN')) return 'in_case';
  }
  return null;
}

export function openCase(
  market: Market,
  account: Account,
  input: CaseInput,
  baseUrl: string,
): BrokerageCase {
  const reason = input.domain === undefined ? null : ineligibility(market, input.domain);
  if (reason !== null) {
    throw new Refusal(
      'validation_error',
      `"domain" ${input.domain ?? ''} is not eligible: ${reason}.`,
    );
  }
  const case_id = market.identifiers.next('case_');
  const now = market.timestamp();
  const { partnerId: partner_id, environment } = account;
  const opened: BrokerageCase = {
    seq: account.cases.length + 1,
    case_id,
    ...input,
    status: 'OPEN',
    progress_url: `${baseUrl}/brokerage/progress/${market.signToken({ case_id, partner_id, environment })}`,
    outcome: null,
    price_cents: undefined,
    paidOut: false,
    created_at: now,
    timeline: [{ status: 'OPEN', at: now, note: 'The case was opened.' }],
  };
  account.cases.push(opened);
  return opened;
}

export function closeCase(
  market: Market,
  account: Account,
  brokerage: BrokerageCase,
  { outcome = 'deal', price_cents }: CaseClosing,
): void {
  if (brokerage.status !== 'OPEN') {
    throw new EmulatorError(`case ${brokerage.case_id} is closed already`);
  }
  if (price_cents !== undefined) requireCents('price_cents', price_cents);
  brokerage.status = outcome === 'deal' ? 'COMPLETED' : 'CLOSED';
  brokerage.outcome = outcome;
  brokerage.price_cents = price_cents;
  const note = outcome === 'deal' ? 'The deal was closed.' : 'The case ended without a deal.';
  brokerage.timeline.push({ status: brokerage.status, at: market.timestamp(), note });
  // Specification, part 6: "A brokerage case closed with a deal", and no other end.
  if (outcome === 'deal') {
    const { case_id, domain, status } = brokerage;
    const price = price_cents === undefined ? {} : { price_cents, currency: 'USD' };
    market.emit(account, 'brokerage.case_completed', {
      case: { case_id, domain, status, outcome, ...price },
    });
  }
}

export function caseOnWire(brokerage: BrokerageCase) {
  const { case_id, domain, status, tier, budget, buyer_email, progress_url } = brokerage;
  const { outcome, price_cents, created_at, timeline } = brokerage;
  return {
    /** Identifier of the case. */
    case_id,
    /** The domain to acquire, where one was named. */
    domain,
    /** COMPLETED after a deal, CLOSED without one. */
    status,
    /** `managed` or `self_serve`. */
    tier,
    /** The buyer's budget, as given. */
    budget,
    /** The buyer's address. */
    buyer_email,
    /** The buyer's progress link, without a login. */
    progress_url,
    /** How it ended; `null` while it is open. */
    outcome,
    /** What the domain was bought for, in minor currency units. */
    price_cents,
    /** When it was opened, ISO 8601 UTC. */
    created_at,
    /** Its history, oldest first. */
    timeline,
  };
}
