/** Acquisition of a domain that the service runs for the partner's user (specification, part 4.5). */

import type { TimelineEntry } from './orders.js';

/**
 * Who runs the acquisition (specification, part 2). Tiers that this version does not know pass through
 * in responses; the input of a case accepts only these two.
 *
 * @example
 * ```ts
 * import type { BrokerageTier } from 'market-partner-sdk';
 *
 * const label = (tier: BrokerageTier) => (tier === 'managed' ? 'run for you' : tier);
 * ```
 */
export type BrokerageTier = 'managed' | 'self_serve' | (string & {});

/**
 * Whether brokerage can be started for a domain. It cannot if the domain runs a live site or is
 * already in a case. The specification names no field of it, so every field is assumed and may be
 * absent.
 *
 * @see specification, part 4.5: GET /brokerage/eligibility
 *
 * @example
 * ```ts
 * import { MarketClient, type BrokerageEligibility } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const eligibility: BrokerageEligibility = await market.brokerage.checkEligibility('brew.example');
 * if (eligibility.eligible === false) console.log(eligibility.reason);
 * ```
 */
export interface BrokerageEligibility {
  /** The domain that was asked for. @assumed part 4.5 */
  domain?: string;
  /** Whether a case can be opened. @assumed part 4.5 */
  eligible?: boolean;
  /** Why no case can be opened. @assumed part 4.5 */
  reason?: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}

/**
 * A case to open for a user who opted in.
 *
 * @see specification, parts 2 and 4.5: POST /brokerage
 *
 * @example
 * ```ts
 * import type { BrokerageCaseInput } from 'market-partner-sdk';
 *
 * const input: BrokerageCaseInput = {
 *   tier: 'managed',
 *   buyer_email: 'ada@buyer.example',
 *   budget: 5000,
 *   domain: 'brew.example',
 * };
 * ```
 */
export interface BrokerageCaseInput {
  /** Who runs the acquisition. Any other word is refused, at run time too (part 2). */
  tier: 'managed' | 'self_serve';
  /** The buyer's e-mail address (part 2). */
  buyer_email: string;
  /** The buyer's budget: a number above zero. Its unit is not shown, so it is sent as given (part 2). */
  budget?: number | undefined;
  /** Domain to acquire. Sent in lower-case ASCII form. @assumed part 4.5 */
  domain?: string | undefined;
}

/**
 * A brokerage case, as it is opened, read by its id, or listed in the report. The specification names
 * no field of it, so every field is assumed and may be absent.
 *
 * @see specification, parts 4.4 and 4.5: POST /brokerage, GET /brokerage and GET /brokerage/{case_id}
 *
 * @example
 * ```ts
 * import { MarketClient, type BrokerageCase } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const opened: BrokerageCase = await market.brokerage.openCase({
 *   tier: 'self_serve',
 *   buyer_email: 'ada@buyer.example',
 *   domain: 'brew.example',
 * });
 * console.log(opened.case_id, opened.progress_url);
 * ```
 */
export interface BrokerageCase {
  /** Identifier of the case, as used in paths. @assumed part 4.5 */
  case_id?: string;
  /** The domain to acquire. @assumed part 4.5 */
  domain?: string;
  /** Status of the case. @assumed part 4.5 */
  status?: string;
  /** Who runs the acquisition. @assumed part 2 */
  tier?: BrokerageTier;
  /** The buyer's budget, in the unit in which it was sent. @assumed part 2 */
  budget?: number;
  /** The buyer's e-mail address. @assumed part 2 */
  buyer_email?: string;
  /** Page on which the buyer follows the case without a login. @assumed part 4.5 */
  progress_url?: string;
  /** How the case ended. @assumed part 4.4 */
  outcome?: string;
  /** Time of opening, ISO 8601 UTC. @assumed part 4.5 */
  created_at?: string;
  /** The steps so far. @assumed part 4.5 */
  timeline?: TimelineEntry[];
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}
