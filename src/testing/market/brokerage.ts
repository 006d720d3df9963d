/** Brokerage cases (specification, 4.5). */

import type { Environment } from '../credentials.js';
import { oneOf, optional, withDefault } from '../../core/schema/options.js';
import { EmulatorError, ServiceError } from '../service-error.js';
import type { Account } from './account.js';
import type { caseFields, Input } from './input.js';
import type { Market } from './market.js';
import { addressAt, type StoredCase } from './records.js';
import { cents, check } from '../values.js';

/** How a case ended. */
export interface CloseCaseOptions {
  /** `'deal'` unless given. Only a deal emits an event. */
  readonly outcome?: 'deal' | 'no_deal' | undefined;
  /** What the domain was bought for, in cents. */
  readonly price_cents?: number | undefined;
}

export const closingFields = () => ({
  outcome: withDefault(oneOf('deal', 'no_deal'), 'deal'),
  price_cents: optional(cents()),
});

/** The two reasons of specification 4.5; anything else may be brokered. */
export function ineligibility(
  market: Market,
  environment: Environment,
  domain: string,
): string | null {
  if (market.activeSites.has(domain)) return 'active_site';
  const isInCase = market
    .accounts()
    .filter((account) => account.environment === environment)
    .some(({ cases }) => cases.some((each) => each.domain === domain && each.status === 'OPEN'));
  return isInCase ? 'in_case' : null;
}

export function openCase(
  market: Market,
  account: Account,
  input: Input<typeof caseFields>,
): StoredCase {
  const { partnerId: partner_id, environment } = account;
  const reason =
    input.domain === undefined ? null : ineligibility(market, environment, input.domain);
  if (reason !== null) {
    throw new ServiceError(
      'validation_error',
      `"domain" ${input.domain ?? ''} is not eligible: ${reason}.`,
    );
  }
  const case_id = market.identifiers.next('case_');
  const now = market.timestamp();
  const opened: StoredCase = {
    seq: account.cases.length + 1,
    case_id,
    ...input,
    status: 'OPEN',
    progress_url: `/brokerage/progress/${market.signToken({ case_id, partner_id, environment })}`,
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
  brokerage: StoredCase,
  closing: CloseCaseOptions,
): void {
  const { outcome, price_cents } = check(closingFields, closing);
  if (brokerage.status !== 'OPEN') {
    throw new EmulatorError(`case ${brokerage.case_id} is closed already`);
  }
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

export function serializeCase(brokerage: StoredCase, baseUrl: string) {
  const { case_id, domain, status, tier, budget, buyer_email, progress_url } = brokerage;
  const { outcome, price_cents, created_at, timeline } = brokerage;
  return {
    /** Identifier of the case. */
    case_id,
    /** The domain to acquire, if one was named. */
    domain,
    /** COMPLETED after a deal, CLOSED without one. */
    status,
    /** `managed` or `self_serve`. */
    tier,
    /** The buyer's budget. */
    budget,
    /** The buyer's address. */
    buyer_email,
    /** The buyer's progress link, without a login. */
    progress_url: addressAt(baseUrl, progress_url),
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
