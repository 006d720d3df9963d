/** The replayable history of events, and where they are delivered (specification, parts 4.7 and 6). */

import { endpoints } from '../endpoints.js';
import type { CallPromise } from '../results/call-promise.js';
import type { Engine } from '../engine/engine.js';
import type { EventsQuery, WebhookRegistrationInput, WebhookRegistration } from '../model/index.js';
import type { RequestOptions } from '../options/request-options.js';
import type { Page } from '../results/page.js';
import type { PagePromise } from '../results/page-promise.js';
import type { MarketEvent } from '../../webhooks/events.js';

/** `market.events`: read what happened, and have it delivered. */
export class Events {
  readonly #engine: Engine;

  /** @internal */
  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Reads the history of events, oldest first, after the event that you know. Scope: `webhook`.
   *
   * Store the `id` of the last event that you handled (or a page's `nextCursor`) and give it as
   * `after_id`: deliveries can be lost on the way to you, the history is not.
   *
   * @throws {@link InvalidRequestError} when `limit` is not a whole number from 1 up.
   * @see specification, parts 4.7 and 6: GET /events
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * let lastHandled = 'evt_1001';
   * for await (const event of market.events.list({ after_id: lastHandled, limit: 100 })) {
   *   if (event.type === 'order.settled') console.log(event.data.order.public_id);
   *   lastHandled = event.id;
   * }
   * ```
   */
  list(query: EventsQuery = {}, options?: RequestOptions): PagePromise<Page<MarketEvent>> {
    return this.#engine.callPages(endpoints.events.list, query, options);
  }

  /** @internal An event of a delivery, in the form that {@link list} gives it. */
  readDelivered(delivered: unknown): unknown {
    return this.#engine.readDelivered(delivered);
  }

  /**
   * Registers the endpoint that gets signed events, or replaces it and its signing secret.
   * Scope: `webhook`.
   *
   * The secret is yours to choose, long and random; `market-partner-sdk/webhooks` verifies with it.
   * It appears in no log and no error.
   *
   * @throws {@link InvalidRequestError} when `url` is not http(s) or `secret` is blank.
   * @see specification, parts 4.7 and 6: PUT /api/partner/webhooks
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const registration = await market.events.registerWebhook({
   *   url: 'https://shop.example/webhooks/market',
   *   secret: process.env.MARKET_WEBHOOK_SECRET ?? '',
   * });
   * console.log(registration.active, registration.created_at);
   * ```
   */
  registerWebhook(
    input: WebhookRegistrationInput,
    options?: RequestOptions,
  ): CallPromise<WebhookRegistration> {
    return this.#engine.call(endpoints.events.registerWebhook, { body: input }, options);
  }
}
