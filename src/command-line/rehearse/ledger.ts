/** Ledger: what the emulator saw and recorded for each sale. A domain that was refunded may be sold again. */

import type { DeliveryAttempt } from '../../testing/deliveries/delivery-attempt.js';
import type { FaultRequest } from '../../testing/faults/match.js';
import type { EmulatorEvent } from '../../testing/market/events.js';
import type { RecordedRequest } from '../../testing/request-log.js';
import type { SeenRequest } from './findings.js';

/** An order of the emulator, as its events report it. */
export interface LedgerOrder {
  readonly publicId: string;
  readonly priceCents: number;
  /** Neither refunded nor canceled. */
  readonly isStanding: boolean;
}

interface EventOrder {
  readonly public_id: string;
  readonly domain: string;
  readonly status: string;
  readonly sale_price_cents: number;
}

const endedStatuses = ['REFUNDED', 'CANCELLED'];

/** No attempt is under way for so long: one that was signed earlier is an old signature, used again. */
const oldestSignatureMs = 45_000;

export class Ledger {
  /** The latency that a fault is about to give to the call that is being answered. */
  nextLateMs = 0;
  /** How many events the program gets in a page. */
  pageSize = 100;
  readonly #requests: SeenRequest[] = [];
  readonly #deliveries: DeliveryAttempt[] = [];
  /** When something last happened to a sale: a request, or a delivery of its event. */
  readonly #changes = new Map<string, number>();
  readonly #nonces = new Set<string>();
  readonly #sentSecrets = new Map<string, string>();
  /** The sale, by its payment, that a key was first used for, that an order is of, and of which a domain is now. */
  readonly #saleOfKey = new Map<string, string>();
  readonly #saleOfOrder = new Map<string, string>();
  readonly #saleOfDomain = new Map<string, string>();
  readonly #listeners = new Set<(request: SeenRequest) => void>();
  readonly #deliveryListeners = new Set<(attempt: DeliveryAttempt) => void>();
  readonly #events: () => readonly EmulatorEvent[];
  readonly #secretsIn: (text: string) => readonly string[];

  /**
   * @param events - every event of the emulator, oldest first
   * @param secretsIn - the names of the secrets in a text
   */
  constructor(
    events: () => readonly EmulatorEvent[],
    secretsIn: (text: string) => readonly string[],
  ) {
    this.#events = events;
    this.#secretsIn = secretsIn;
  }

  /** The names of the secrets that were sent, each with a call in which it was. */
  get sentSecrets(): ReadonlyMap<string, string> {
    return this.#sentSecrets;
  }

  /** For `onRequest` of the emulator. */
  readonly addRequest = (request: RecordedRequest): void => {
    const { 'idempotency-key': key } = request.headers;
    const json = Object(request.ownJson) as object;
    const sale = this.#saleOfRequest(request);
    if (key !== undefined && sale !== undefined && !this.#saleOfKey.has(key))
      this.#saleOfKey.set(key, sale);
    const { quote_id: quoteId, expected_price: expectedPrice } = json as {
      readonly quote_id?: unknown;
      readonly expected_price?: unknown;
    };
    const seen: SeenRequest = {
      requestId: request.requestId,
      at: request.receivedAt,
      call: request.endpoint ?? `${request.method} ${request.path}`,
      status: request.status,
      errorCode: request.errorCode,
      reason: request.reason ?? request.errorMessage,
      faults: request.faults,
      key,
      signing: this.#signingOf(request),
      body: JSON.stringify(Object.entries(json).sort()),
      quoteId: typeof quoteId === 'string' ? quoteId : undefined,
      expectedPrice,
      lateMs: request.faults.includes('latency') ? this.nextLateMs : 0,
      sale,
    };
    if (seen.call === 'GET /events') {
      this.pageSize = Number(new URLSearchParams(request.query).get('limit')) || this.pageSize;
    }
    this.#requests.push(seen);
    // The webhook's own secret is sent once, where it is registered.
    const isRegistration = request.method === 'PUT';
    const sent = [...Object.values(request.headers), request.query, JSON.stringify(request.json)];
    for (const name of isRegistration ? [] : this.#secretsIn(sent.join('\n'))) {
      this.#sentSecrets.set(name, seen.call);
    }
    if (sale !== undefined) {
      this.#changes.set(sale, Date.now());
      // From now on its order is that sale's, whatever becomes of the domain.
      this.eventsOf(sale);
    }
    for (const listener of this.#listeners) listener(seen);
  };

  /** For `onDelivery` of the emulator. */
  readonly addDelivery = (attempt: DeliveryAttempt): void => {
    this.#deliveries.push(attempt);
    const event = this.#events().findLast(({ id }) => id === attempt.eventId);
    const sale = event && this.#saleOf(event);
    if (sale !== undefined) this.#changes.set(sale, Date.now());
    for (const listener of this.#deliveryListeners) listener(attempt);
  };

  /** Calls a listener when the service has acted, before it responds. */
  onRequest(listener: (request: SeenRequest) => void): void {
    this.#listeners.add(listener);
  }

  /** Calls a listener as soon as the receiver responds to a delivery. */
  onDelivery(listener: (attempt: DeliveryAttempt) => void): void {
    this.#deliveryListeners.add(listener);
  }

  /** The domain is sold for this payment from now on. */
  sell(domain: string, payment: string): void {
    this.#saleOfDomain.set(domain, payment);
  }

  /** When something last happened to a sale, in Unix milliseconds; 0 if nothing did. */
  changedAt(payment: string): number {
    return this.#changes.get(payment) ?? 0;
  }

  /** The requests about a sale, or those about none, oldest first. */
  requestsOf(payment: string | undefined): SeenRequest[] {
    return this.#requests.filter(({ sale }) => sale === payment);
  }

  /** The requests that would record an order of a sale. */
  orderRequestsOf(payment: string): SeenRequest[] {
    return this.requestsOf(payment).filter(({ call }) => call === 'POST /orders');
  }

  /** The payment of the first order that a key was for. */
  saleOfKey(key: string): string | undefined {
    return this.#saleOfKey.get(key);
  }

  /** The orders of a sale, oldest first. */
  ordersOf(payment: string): LedgerOrder[] {
    const byId = new Map<string, LedgerOrder>();
    for (const event of this.eventsOf(payment)) {
      const order = orderOf(event);
      if (order === undefined) continue;
      byId.set(order.public_id, {
        publicId: order.public_id,
        priceCents: order.sale_price_cents,
        isStanding: !endedStatuses.includes(order.status),
      });
    }
    return [...byId.values()];
  }

  /** The events of the orders of a sale, oldest first. */
  eventsOf(payment: string): EmulatorEvent[] {
    return this.#events().filter((event) => this.#saleOf(event) === payment);
  }

  deliveriesOf(eventId: string): DeliveryAttempt[] {
    return this.#deliveries.filter((attempt) => attempt.eventId === eventId);
  }

  /** The deliveries since a moment that got no response in time. */
  lateDeliveriesSince(at: number): DeliveryAttempt[] {
    return this.#deliveries.filter(
      (attempt) => attempt.at >= at && attempt.error?.startsWith('no response within') === true,
    );
  }

  #signingOf({ headers, receivedAt }: RecordedRequest): string | undefined {
    const { 'x-market-nonce': nonce, 'x-market-timestamp': timestamp } = headers;
    if (nonce !== undefined && this.#nonces.has(nonce)) return 'had a nonce that was used before';
    if (nonce !== undefined) this.#nonces.add(nonce);
    const ageMs = receivedAt - Number(timestamp) * 1_000;
    if (!(ageMs > oldestSignatureMs)) return undefined;
    return `had the timestamp of ${Math.round(ageMs / 1_000)} seconds before`;
  }

  #saleOfRequest(request: RecordedRequest): string | undefined {
    const json: unknown = request.ownJson;
    const refund = Object(json) as { public_id?: unknown; order_id?: unknown };
    const inPath = /\/orders\/([^/]+)$/.exec(request.path)?.[1];
    const named = this.#saleOfOrder.get(String(inPath ?? refund.public_id ?? refund.order_id));
    const { query: rawQuery, path } = request;
    return named ?? this.#saleOfDomain.get(domainOf({ json, rawQuery, path }) ?? '');
  }

  #saleOf(event: EmulatorEvent): string | undefined {
    const order = orderOf(event);
    if (order === undefined) return undefined;
    const sale = this.#saleOfOrder.get(order.public_id) ?? this.#saleOfDomain.get(order.domain);
    if (sale !== undefined) this.#saleOfOrder.set(order.public_id, sale);
    return sale;
  }
}

/** The domain that a request names in its body, its query or its path. */
export function domainOf({
  json,
  rawQuery,
  path,
}: Pick<FaultRequest, 'json' | 'rawQuery' | 'path'>): string | undefined {
  const { domain } = Object(json) as { domain?: unknown };
  if (typeof domain === 'string') return domain.toLowerCase();
  const inQuery = new URLSearchParams(rawQuery).get('domain');
  return (inQuery ?? /\/domains\/([^/]+\.[^/]+)$/.exec(path)?.[1])?.toLowerCase();
}

function orderOf({ data }: EmulatorEvent): EventOrder | undefined {
  return data.order as EventOrder | undefined;
}
