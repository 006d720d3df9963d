/** The attributes of a call's span. */

import type { CallSpan, TracedCall } from '../client/tracing.js';
import type { Attributes } from './api.js';

/** @param key - the Idempotency-Key, if spans show it */
export function callAttributes(call: TracedCall, key: string | undefined): Attributes {
  const attributes = withContext(call.span.context, describeCall(call));
  setDefined(attributes, 'market.idempotency_key', key);
  return attributes;
}

/** What the span and the metrics of a call share. */
export function describeCall({ span, origin, environment }: TracedCall): Attributes {
  const attributes = serverAttributes(origin);
  attributes['market.call'] = span.call;
  setDefined(attributes, 'market.environment', environment);
  return attributes;
}

/** The attributes at the end. A call that succeeded has no outcome and no error. */
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

/** The latest origin, parsed: parsing it for each call takes a tenth of a traced call's time. */
let server = { origin: '', address: '', port: 0 };

/** A new object, to which the caller adds: spreading one costs more than all the rest. */
export function serverAttributes(origin: string): Attributes {
  if (server.origin !== origin) {
    const { hostname, port, protocol } = new URL(origin);
    const defaultPort = protocol === 'https:' ? 443 : 80;
    const address = hostname.replace(/^\[|\]$/g, '');
    server = { origin, address, port: port === '' ? defaultPort : Number(port) };
  }
  return { 'server.address': server.address, 'server.port': server.port };
}

/** Adds the caller's `context`; the client's attributes win. Metrics go without it: a series for each order costs memory. */
export function withContext(context: CallSpan['context'], own: Attributes): Attributes {
  return context === undefined ? own : { ...context, ...own };
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
