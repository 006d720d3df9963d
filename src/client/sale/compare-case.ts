/** `compareCase`: whether a listed brokerage case is the one whose response was lost. */

import { parseServiceTime } from '../../service-time.js';
import { clockSkewMs } from '../assumptions.js';
import type { BrokerageCase } from '../model/brokerage.js';
import { isOtherDomain } from './compare-fields.js';

/** A case that was sent. */
export interface CaseToFind {
  /** In lower-case ASCII form. */
  readonly domain: string;
  readonly buyerEmail: string;
  readonly startedAtMs: number;
}

/**
 * `'ours'` states the domain, the buyer and a date since the start. Whatever it does not state, or a
 * date up to 300 s before, which two clocks may explain, makes it `'possible'`.
 */
export function compareCase(
  { domain, buyerEmail, startedAtMs }: CaseToFind,
  { domain: statedDomain, buyer_email: statedEmail, created_at: createdAt }: BrokerageCase,
): 'ours' | 'possible' | 'other' {
  if (isOtherDomain(statedDomain, domain)) return 'other';
  const email = typeof statedEmail === 'string' ? statedEmail.trim().toLowerCase() : '';
  if (email !== '' && email !== buyerEmail.toLowerCase()) return 'other';
  const createdMs = parseServiceTime(createdAt);
  if (createdMs < startedAtMs - clockSkewMs) return 'other';
  const statesAll = typeof statedDomain === 'string' && statedDomain !== '' && email !== '';
  return statesAll && createdMs >= startedAtMs ? 'ours' : 'possible';
}
