/** What the lists and the details of the other products have in common. */

import type { EmulatorView } from './wire.js';

export type SessionView = EmulatorView['sessions'][number];
export type CaseView = EmulatorView['cases'][number];
export type LinkView = EmulatorView['links'][number];

/** What it is about, for a row and a heading: a case and a link may have no domain. */
export function targetOf(item: SessionView | CaseView | LinkView): string {
  if (item.domain !== undefined) return item.domain;
  if ('case_id' in item) return 'no domain';
  return ('product' in item ? item.product : undefined) ?? 'any page';
}

export function checkoutState({ is_paid, expires_in_ms }: SessionView): string {
  if (is_paid) return 'paid';
  return expires_in_ms === 0 ? 'expired' : 'open';
}
