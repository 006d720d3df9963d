/** placeSampleOrder: an order as a partner's program places it, signed in the browser. */

import type { ControlClient } from './control-client.js';
import type { ClockView, ListingView } from './wire.js';

/** Finds a domain in every emulator that lists its usual ones. */
const sampleSearch = 'coffee';

/**
 * @param servicePath - the path of the emulator's base URL: a gateway's prefix, or `/`
 * @returns the id of the order
 * @throws {@link Error} when the browser does not sign, or the service refuses
 */
export async function placeSampleOrder(
  client: ControlClient,
  servicePath: string,
  { keyId, secret }: { readonly keyId: string; readonly secret: string },
): Promise<string> {
  const read = async (path: string) => (await client.get(path)).content;
  const [sample] = (await read(`/domains?limit=1&search=${sampleSearch}`)) as ListingView[];
  const [any] = (await read('/domains?limit=1')) as ListingView[];
  const listing = sample ?? any;
  if (listing === undefined) throw new Error('No domain is for sale.');
  const { domain, price_cents, currency } = listing;
  const { now } = (await read('/clock')) as ClockView;
  const path = `${servicePath.replace(/\/$/, '')}/api/partner/v1/orders`;
  const body = JSON.stringify({ domain, expected_price: price_cents, currency });
  const response = await fetch(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': `sample-${crypto.randomUUID()}`,
      ...(await signedHeaders({ path, body, keyId, secret, timestamp: Math.floor(now / 1000) })),
    },
    body,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The order was refused: ${text}`);
  return (JSON.parse(text) as { public_id: string }).public_id;
}

async function signedHeaders(call: {
  readonly path: string;
  readonly body: string;
  readonly keyId: string;
  readonly secret: string;
  readonly timestamp: number;
}): Promise<Record<string, string>> {
  const { path, body, keyId, secret, timestamp } = call;
  const bytes = (text: string) => new TextEncoder().encode(text);
  const nonce = crypto.randomUUID();
  const digest = hex(await crypto.subtle.digest('SHA-256', bytes(body)));
  const canonical = ['POST', path, '', timestamp, nonce, digest].join('\n');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes(secret), algorithm, false, ['sign']);
  const signature = hex(await crypto.subtle.sign('HMAC', key, bytes(canonical)));
  return {
    'x-market-key-id': keyId,
    'x-market-timestamp': String(timestamp),
    'x-market-nonce': nonce,
    'x-market-signature': `v1=${signature}`,
  };
}

function hex(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
