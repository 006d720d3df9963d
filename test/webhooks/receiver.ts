/** A handler that notes what it is called with and what it reports, and a way to deliver to it. */

import {
  createWebhookHandler,
  type MarketEvent,
  type WebhookHandlerOptions,
} from 'market-partner-sdk/webhooks';
import { eventJson, SECRET, signedHeaders } from './deliveries.js';

export function receiver(options: Partial<WebhookHandlerOptions> = {}) {
  const events: MarketEvent[] = [];
  const errors: unknown[] = [];
  const handler = createWebhookHandler({
    secret: SECRET,
    onEvent: (event) => void events.push(event),
    onError: (error) => void errors.push(error),
    ...options,
  });
  /** The status for an event with these fields. */
  const deliver = async (fields: Record<string, unknown> = {}, secret?: string) => {
    const body = eventJson(fields);
    return (await handler.handle({ headers: signedHeaders(body, secret), body })).status;
  };
  return { handler, events, errors, deliver };
}
