/** A service that answers every endpoint, and remembers which requests it has worked on. */

import { error, json } from '../simulation/faults.js';
import type { WireRequest, WireResponse } from '../simulation/exchange.js';

export class AnyService {
  /** Nonces of the requests that arrived. */
  readonly arrived = new Set<string>();
  /** Nonces of the requests that were worked on: those that changed something. */
  readonly worked: string[] = [];
  readonly #keys = new Set<string>();

  readonly handle = ({ method, headers }: WireRequest): WireResponse => {
    const nonce = headers['x-market-nonce'] ?? '';
    if (this.arrived.has(nonce)) return error(401, 'replay_detected');
    this.arrived.add(nonce);
    const key = headers['idempotency-key'];
    const isReplay = key !== undefined && this.#keys.has(key);
    if (key !== undefined) this.#keys.add(key);
    if (method !== 'GET' && !isReplay) this.worked.push(nonce);
    return json(200, record);
  };
}

/** Every documented field (specification, part 2), and one list: it fits every call. */
const record = {
  public_id: 'ord_1',
  domain: 'brew.example',
  status: 'EXTERNALLY_PAID',
  sale_price_cents: 250_000,
  currency: 'USD',
  checkout_url: 'https://pay.example/?pt=1',
  available: true,
  url: 'https://shop.example/hooks',
  active: true,
  created_at: '2026-11-21T08:00:00Z',
  items: [],
};
