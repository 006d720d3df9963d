/** The service's ledger: POST /orders and GET /orders as the specification has them (part 4.2). */

import { error, json } from '../simulation/faults.js';
import type { WireRequest, WireResponse } from '../simulation/exchange.js';
import type { SimulatedTime } from '../simulation/simulated-time.js';

export interface LedgerOrder {
  readonly public_id: string;
  readonly domain: string;
  readonly status: string;
  readonly sale_price_cents: number;
  readonly currency: string;
  readonly external_payment_ref: string | undefined;
  readonly created_at: string;
  /** Not on the wire: the key and the nonce of the request that placed it. */
  readonly key: string;
  readonly nonce: string;
  readonly placedAtMs: number;
}

/** How this service fills the specification's gaps. */
export interface ServiceTraits {
  /** How long an Idempotency-Key is remembered. */
  readonly idempotencyWindowMs: number;
  /** Whether a 404 or 422 is stored under the key, as an order is. */
  readonly storesRefusals: boolean;
  /** How late a new order appears in the list. */
  readonly listLagMs: number;
  /** Whether the list shows `external_payment_ref`. */
  readonly listShowsRef: boolean;
  /** Whether a domain stays listed after its sale, so that nothing but the key prevents a second one. */
  readonly sellsAgain: boolean;
}

interface StoredResponse {
  readonly body: string;
  readonly response: WireResponse;
  readonly atMs: number;
}

export class OrderService {
  readonly orders: LedgerOrder[] = [];
  /** Nonces of the requests that arrived, and whether one arrived twice. */
  readonly nonces = new Map<string, number>();
  /** What each key was sent with, for the rule that a repeat sends the same bytes. */
  readonly bodiesByKey = new Map<string, Set<string>>();
  readonly prices = new Map<string, number>();
  readonly #time: SimulatedTime;
  readonly #traits: ServiceTraits;
  readonly #stored = new Map<string, StoredResponse>();

  constructor(time: SimulatedTime, traits: ServiceTraits) {
    this.#time = time;
    this.#traits = traits;
  }

  readonly handle = (request: WireRequest): WireResponse => {
    const nonce = request.headers['x-market-nonce'] ?? '';
    const seen = this.nonces.get(nonce) ?? 0;
    this.nonces.set(nonce, seen + 1);
    if (seen > 0) return error(401, 'replay_detected');
    const url = new URL(request.target, 'https://market.example');
    if (url.pathname === '/api/partner/v1/quotes') return this.#quote(request.body);
    if (url.pathname !== '/api/partner/v1/orders') return error(404, 'not_found');
    return request.method === 'POST' ? this.#create(request, nonce) : this.#list(url);
  };

  /** The orders of a sale: of its key, and of the keys that a requote derives from it. */
  ordersOf(key: string): LedgerOrder[] {
    return this.orders.filter(
      (order) => order.key === key || order.key.startsWith(`${key}.requote-`),
    );
  }

  #quote(body: string): WireResponse {
    const { domain } = JSON.parse(body) as { domain: string };
    const price = this.prices.get(domain);
    if (price === undefined) return error(404, 'not_found');
    return json(201, { quote_id: 'q_1', domain, price_cents: price, currency: 'USD' });
  }

  #create(request: WireRequest, nonce: string): WireResponse {
    const key = request.headers['idempotency-key'];
    if (key === undefined) return error(400, 'missing_idempotency_key');
    const bodies = this.bodiesByKey.get(key) ?? new Set();
    this.bodiesByKey.set(key, bodies.add(request.body));

    const stored = this.#stored.get(key);
    if (stored !== undefined && this.#time.nowMs - stored.atMs < this.#traits.idempotencyWindowMs) {
      return stored.body === request.body ? stored.response : error(409, 'conflict');
    }
    const response = this.#place(request.body, key, nonce);
    if (response.status === 201 || this.#traits.storesRefusals) {
      this.#stored.set(key, { body: request.body, response, atMs: this.#time.nowMs });
    }
    return response;
  }

  #place(body: string, key: string, nonce: string): WireResponse {
    const input = JSON.parse(body) as Record<string, string | number | undefined>;
    const price = this.prices.get(String(input.domain));
    if (price === undefined) return error(404, 'not_found');
    if (price !== input.expected_price) return error(422, 'price_mismatch');
    const order: LedgerOrder = {
      public_id: `ord_${this.orders.length + 1}`,
      domain: String(input.domain),
      status: 'EXTERNALLY_PAID',
      sale_price_cents: price,
      currency: 'USD',
      external_payment_ref: input.external_payment_ref as string | undefined,
      created_at: new Date(this.#time.nowMs).toISOString(),
      key,
      nonce,
      placedAtMs: this.#time.nowMs,
    };
    this.orders.push(order);
    if (!this.#traits.sellsAgain) this.prices.delete(order.domain);
    return json(201, this.#onWire(order, true));
  }

  #list({ searchParams }: URL): WireResponse {
    const visible = this.orders.filter(
      (order) =>
        order.placedAtMs + this.#traits.listLagMs <= this.#time.nowMs &&
        (searchParams.get('domain') ?? order.domain) === order.domain,
    );
    const data = visible.map((order) => this.#onWire(order, this.#traits.listShowsRef)).reverse();
    return json(200, { data, next_cursor: null });
  }

  #onWire(order: LedgerOrder, showsRef: boolean): Record<string, unknown> {
    const { public_id, domain, status, sale_price_cents, currency, created_at } = order;
    const { external_payment_ref } = order;
    return {
      public_id,
      domain,
      status,
      sale_price_cents,
      currency,
      created_at,
      ...(showsRef ? { external_payment_ref } : {}),
    };
  }
}
