/** The attributes of the spans of deliveries, listeners and placed orders. */

import type { EventSpan, OrderSpan } from '../durable/tracing.js';
import type { WebhookSpan } from '../webhooks/handler/webhook-span.js';
import type { Attributes } from './api.js';
import { setDefined } from './call-attributes.js';

export function deliveryEndAttributes({ id, type, status, failure }: WebhookSpan): Attributes {
  const failedStatus = status !== undefined && status >= 400 ? String(status) : undefined;
  const attributes: Attributes = {};
  setDefined(attributes, 'market.event.id', id);
  setDefined(attributes, 'market.event.type', type);
  setDefined(attributes, 'http.response.status_code', status);
  setDefined(attributes, 'error.type', failure ?? failedStatus);
  return attributes;
}

export function eventAttributes({ consumer, id, type, ...span }: EventSpan): Attributes {
  return {
    'market.consumer': consumer,
    'market.event.id': id,
    'market.event.type': type,
    'market.event.lag_ms': span.lagMs,
    'market.attempt': span.attempt,
    'market.via_webhook': span.viaWebhook,
  };
}

/** @param key - the Idempotency-Key if spans include it */
export function orderAttributes(
  { consumer, attempt }: OrderSpan,
  key: string | undefined,
): Attributes {
  const attributes: Attributes = { 'market.consumer': consumer, 'market.attempt': attempt };
  setDefined(attributes, 'market.idempotency_key', key);
  return attributes;
}
