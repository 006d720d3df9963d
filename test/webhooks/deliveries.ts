/** Deliveries that the tests send, made from the specification and not with the code under test. */

import { createHmac } from 'node:crypto';

export const SECRET = 'whsec_public';

export const order = {
  public_id: 'ord_1',
  domain: 'brew.example',
  status: 'SETTLED',
  sale_price_cents: 250_000,
  currency: 'USD',
};

/** The JSON of an event. */
export function eventJson(fields: Record<string, unknown> = {}): string {
  return JSON.stringify({
    id: 'evt_1',
    type: 'order.settled',
    created_at: '2026-11-21T08:00:00Z',
    partner_id: 'prt_1',
    data: { order },
    ...fields,
  });
}

/** The signature of the specification's part 6, by node's own means. */
export function signed(body: string | Uint8Array, secret: string | Uint8Array = SECRET): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** The headers of a signed delivery. */
export function signedHeaders(body: string | Uint8Array, secret?: string): Record<string, string> {
  return { 'content-type': 'application/json', 'X-Market-Signature': signed(body, secret) };
}
