import { endpoints, type Endpoint } from '../../../src/client/endpoints.js';
import { parseResponse } from '../../../src/client/responses/parse-response.js';
import { apiErrorFor, type CallContext } from '../../../src/client/errors/create-error.js';

export const idempotencyKey = '0b5f8a52-6f0e-4a43-9d7c-1f3f6c2b7a10';

/** The facts that an error carries as fields. */
export function factsOf(error: Error): Record<string, unknown> {
  return Object.fromEntries(Object.entries(error));
}

/** The nonces of a call of so many attempts. */
export const nonces = (count: number) =>
  Array.from({ length: count }, (_, index) => `nonce-${index + 1}`);

/** A call of an endpoint that failed, as the engine tells of it. */
export function failed(endpoint: Endpoint, more: Partial<CallContext> = {}): CallContext {
  return {
    method: endpoint.method,
    path: endpoint.path.replace(/\{\w+\}/, 'x_1'),
    repeatable: endpoint.repeatable,
    placesOrder: endpoint.idempotencyKey === 'required',
    scopes: endpoint.scopes,
    needsAffiliateAccount: endpoint.needsAffiliateAccount,
    lookUpHint: endpoint.lookUpHint,
    idempotencyKey: endpoint.idempotencyKey === 'required' ? idempotencyKey : undefined,
    keyFromCaller: false,
    nonces: nonces(1),
    secrets: [],
    outcome: 'rejected',
    ...more,
  };
}

/** The error of a call that the service answered with this status and body. */
export function refused(
  status: number,
  body: unknown,
  {
    call = failed(endpoints.orders.create),
    headers = {},
    retryAfterMs,
  }: {
    call?: CallContext;
    headers?: Record<string, string>;
    retryAfterMs?: number;
  } = {},
) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  // As for a read: of a write, an error without a code is no error response.
  const answer = parseResponse({ status, headers, body: bytes }, { method: 'GET' }, []);
  if (answer.kind !== 'error_response') throw new Error(`a ${answer.kind}, not a refusal`);
  return apiErrorFor(call, answer, retryAfterMs);
}
