/** Ledger: what the emulator saw and recorded for each sale, by domain. */

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
  readonly #requests: SeenRequest[] = [];
  readonly #deliveries: DeliveryAttempt[] = [];
  /** When something last happened to a domain: a request, or a delivery of its event. */
  readonly #changes = new Map<string, number>();
  readonly #nonces = new Set<string>();
  readonly #sentSecrets = new Map<string, string>();
  /** The domain that a key was first used for. */
  readonly #domainOfKey = new Map<string, string>();
  /** The domains that were sold under keys that differ only in them. */
  readonly #domainsOfPattern = new Map<string, Set<string>>();
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
    const domain = this.#domainOf(request);
    if (key !== undefined && domain !== undefined && !this.#domainOfKey.has(key)) {
      this.#domainOfKey.set(key, domain);
      const pattern = patternOf(key, domain);
      const domains = this.#domainsOfPattern.get(pattern) ?? new Set();
      this.#domainsOfPattern.set(pattern, domains.add(domain));
    }
    const { quote_id: quoteId, expected_price: expectedPrice } = Object(request.json) as {
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
      body: JSON.stringify(Object.entries(Object(request.json) as object).sort()),
      quoteId: typeof quoteId === 'string' ? quoteId : undefined,
      expectedPrice,
      domain,
    };
    this.#requests.push(seen);
    // The webhook's own secret is sent once, where it is registered.
    const isRegistration = request.method === 'PUT';
    const sent = [...Object.values(request.headers), request.query, JSON.stringify(request.json)];
    for (const name of isRegistration ? [] : this.#secretsIn(sent.join('\n'))) {
      this.#sentSecrets.set(name, seen.call);
    }
    if (domain !== undefined) this.#changes.set(domain, Date.now());
    for (const listener of this.#listeners) listener(seen);
  };

  /** For `onDelivery` of the emulator. */
  readonly addDelivery = (attempt: DeliveryAttempt): void => {
    this.#deliveries.push(attempt);
    const event = this.#events().findLast(({ id }) => id === attempt.eventId);
    const order = event && orderOf(event);
    if (order !== undefined) this.#changes.set(order.domain, Date.now());
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

  /** When something last happened to a domain, in Unix milliseconds; 0 if nothing did. */
  changedAt(domain: string): number {
    return this.#changes.get(domain) ?? 0;
  }

  /** The requests about a domain, or those about none, oldest first. */
  requestsOf(domain: string | undefined): SeenRequest[] {
    return this.#requests.filter((request) => request.domain === domain);
  }

  /** The requests that would record an order of a domain. */
  orderRequestsOf(domain: string): SeenRequest[] {
    return this.requestsOf(domain).filter(({ call }) => call === 'POST /orders');
  }

  /** The domain of the first order that a key was for. */
  domainOfKey(key: string): string | undefined {
    return this.#domainOfKey.get(key);
  }

  /** Whether nothing but the domain tells a key from that of another domain's order. */
  isKeyOfDomain(key: string, domain: string): boolean {
    return (this.#domainsOfPattern.get(patternOf(key, domain))?.size ?? 0) > 1;
  }

  /** The orders of a domain, oldest first. */
  ordersOf(domain: string): LedgerOrder[] {
    const byId = new Map<string, LedgerOrder>();
    for (const event of this.eventsOf(domain)) {
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

  /** The events of the orders of a domain, oldest first. */
  eventsOf(domain: string): EmulatorEvent[] {
    return this.#events().filter((event) => orderOf(event)?.domain === domain);
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

  #domainOf({ json, query, path }: RecordedRequest): string | undefined {
    const refund = Object(json) as { public_id?: unknown; order_id?: unknown };
    const publicId = /\/orders\/([^/]+)$/.exec(path)?.[1] ?? refund.public_id ?? refund.order_id;
    return domainOf({ json, rawQuery: query, path }) ?? this.#domainOfOrder(publicId);
  }

  #domainOfOrder(publicId: unknown): string | undefined {
    if (publicId === undefined) return undefined;
    return this.#events()
      .map(orderOf)
      .find((order) => order?.public_id === publicId)?.domain;
  }
}

function patternOf(key: string, domain: string): string {
  return key.toLowerCase().replaceAll(domain, '{domain}');
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
