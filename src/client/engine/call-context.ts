/** contextOf: what the error of a call says of the call itself. */

import type { CallContext } from '../errors/create-error.js';
import type { PreparedCall } from './prepare.js';

export function contextOf(call: PreparedCall): Omit<CallContext, 'nonces' | 'outcome'> {
  const { endpoint, method, path, idempotencyKey, keyFromCaller, secrets } = call;
  const { repeatable, scopes, lookUpHint, needsAffiliateAccount } = endpoint;
  const placesOrder = endpoint.idempotencyKey === 'required';
  const about = { method, path, placesOrder, repeatable, scopes, lookUpHint };
  return { ...about, needsAffiliateAccount, idempotencyKey, keyFromCaller, secrets };
}
