/** The delivery endpoint and the history of events (specification, part 4.7). */

/**
 * The endpoint that events are delivered to. A partner has one: registering again replaces it,
 * and its secret.
 *
 * @see specification, parts 2 and 4.7: PUT /api/partner/webhooks
 *
 * @example
 * ```ts
 * import type { WebhookRegistrationInput } from 'market-partner-sdk';
 *
 * const input: WebhookRegistrationInput = {
 *   url: 'https://partner.example/market-events',
 *   secret: process.env['MARKET_WEBHOOK_SECRET'] ?? '',
 * };
 * ```
 */
export interface WebhookRegistrationInput {
  /** Absolute http or https address of the endpoint, without a user name or password (part 2). */
  url: string;
  /** Signing secret that you choose; not blank. It is sent, never returned, and no error repeats it (part 2). */
  secret: string;
}

/**
 * The registered endpoint. The secret is not in it.
 *
 * @see specification, parts 2 and 4.7: PUT /api/partner/webhooks
 *
 * @example
 * ```ts
 * import { MarketClient, type WebhookRegistration } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const registration: WebhookRegistration = await market.events.registerWebhook({
 *   url: 'https://partner.example/market-events',
 *   secret: process.env['MARKET_WEBHOOK_SECRET'] ?? '',
 * });
 * console.log(registration.active);
 * ```
 */
export interface WebhookRegistration {
  /** Address of the endpoint (part 2). */
  url: string;
  /** Whether events are delivered to it (part 2). */
  active: boolean;
  /** Time of registration, ISO 8601 UTC (part 2). */
  created_at: string;
  /** Fields that the specification does not name pass through. */
  [field: string]: unknown;
}

/**
 * Where in the history of events to begin. Unlike `PageRequest`, both parameters are documented.
 *
 * @see specification, parts 4.7 and 6: GET /events
 *
 * @example
 * ```ts
 * import { MarketClient, type EventsQuery } from 'market-partner-sdk';
 *
 * const query: EventsQuery = { after_id: 'evt_1001', limit: 100 };
 * const market = new MarketClient();
 * for await (const event of market.events.list(query)) console.log(event.type);
 * ```
 */
export interface EventsQuery {
  /** Identifier of the last known event; the history continues after it (part 4.7). */
  after_id?: string | undefined;
  /** Events on one page: a whole number from 1 up. The service's own bounds are not shown (parts 4.7 and 8). */
  limit?: number | undefined;
}
