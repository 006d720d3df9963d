/** The attributes of spans: of calls, of their attempts, and of deliveries, listeners and placed orders. */

import type { AttemptSpan, CallSpan, TracedAttempt, TracedCall } from '../client/tracing.js';
import type { EventSpan, OrderSpan } from '../durable/tracing.js';
import type { WebhookSpan } from '../webhooks/handler/webhook-span.js';
import type { Attributes } from './api.js';

/** @param key - the Idempotency-Key if spans include it */
export function callAttributes(call: TracedCall, key: string | undefined): Attributes {
  const attributes = withContext(call.span.context, describeCall(call));
  setDefined(attributes, 'market.idempotency_key', key);
  return attributes;
}

/** The attributes that the span and the metrics of a call share. */
export function describeCall({ span, origin, environment }: TracedCall): Attributes {
  const attributes = serverAttributes(origin);
  attributes['market.call'] = span.call;
  setDefined(attributes, 'market.environment', environment);
  return attributes;
}

/** The attributes when the call ends. A call that succeeded has no outcome and no error type. */
export function callEndAttributes(
  { attempts, requestId, outcome, status }: CallSpan,
  type: string | undefined,
): Attributes {
  const attributes: Attributes = { 'market.attempts': attempts ?? 0 };
  setDefined(attributes, 'market.request_id', requestId);
  setDefined(attributes, 'market.outcome', outcome);
  setDefined(attributes, 'http.response.status_code', status);
  setDefined(attributes, 'error.type', type);
  return attributes;
}

/** Following the semantic conventions for HTTP clients 1.44. */
export function attemptAttributes({ span, origin, url }: TracedAttempt): Attributes {
  const attributes = withContext(span.context, serverAttributes(origin));
  attributes['http.request.method'] = span.method;
  attributes['url.full'] = url;
  attributes['url.template'] = span.path;
  if (span.attempt > 1) attributes['http.request.resend_count'] = span.attempt - 1;
  return attributes;
}

export function attemptEndAttributes({ status, failure, requestId }: AttemptSpan): Attributes {
  const attributes: Attributes = {};
  setDefined(attributes, 'http.response.status_code', status);
  setDefined(attributes, 'market.request_id', requestId);
  setDefined(attributes, 'error.type', failure ?? failedStatus(status));
  return attributes;
}

export function deliveryEndAttributes({ id, type, status, failure }: WebhookSpan): Attributes {
  const attributes: Attributes = {};
  setDefined(attributes, 'market.event.id', id);
  setDefined(attributes, 'market.event.type', type);
  setDefined(attributes, 'http.response.status_code', status);
  setDefined(attributes, 'error.type', failure ?? failedStatus(status));
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

/**
 * The parsed form of the last origin: parsing it for each call takes a tenth of a traced call's time.
 */
let server = { origin: '', address: '', port: 0 };

/** Returns a new object for the caller to extend: spreading a shared one costs more than the rest. */
function serverAttributes(origin: string): Attributes {
  if (server.origin !== origin) {
    const { hostname, port, protocol } = new URL(origin);
    const defaultPort = protocol === 'https:' ? 443 : 80;
    const address = hostname.replace(/^\[|\]$/g, '');
    server = { origin, address, port: port === '' ? defaultPort : Number(port) };
  }
  return { 'server.address': server.address, 'server.port': server.port };
}

/**
 * Adds the caller's `context`; the client's attributes take precedence. Only for spans: in metrics,
 * each order would create its own time series.
 */
function withContext(context: CallSpan['context'], own: Attributes): Attributes {
  return context === undefined ? own : { ...context, ...own };
}

function failedStatus(status: number | undefined): string | undefined {
  return status !== undefined && status >= 400 ? String(status) : undefined;
}

/** The error's class: few values, so that dashboards can group by it. */
export function errorType(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  const { name } = Object(error) as { name?: unknown };
  return typeof name === 'string' ? name : '_OTHER';
}

/** The caller's own abort is not a failure of the service. */
export function isAborted(error: unknown): boolean {
  return errorType(error) === 'AbortedError';
}

/** Exporters show an undefined attribute as an empty one. */
export function setDefined(
  attributes: Attributes,
  name: string,
  value: string | number | undefined,
): void {
  if (value !== undefined) attributes[name] = value;
}
