/** The attributes of a call's span. */

import type { CallSpan } from '../tracing/spans.js';
import type { TracedCall } from '../tracing/tracing.js';
import type { Attributes } from './api.js';

export function callAttributes(call: TracedCall, withKey: boolean): Attributes {
  const { span, origin, environment } = call;
  return defined({
    ...serverAttributes(origin),
    'market.call': span.call,
    'market.environment': environment,
    'market.idempotency_key': withKey ? span.idempotencyKey : undefined,
  });
}

/** What is known at the end. A call that succeeded has no outcome and no error. */
export function callEndAttributes(
  { attempts, requestId, outcome, status }: CallSpan,
  type: string | undefined,
): Attributes {
  return defined({
    'market.attempts': attempts ?? 0,
    'market.request_id': requestId,
    'market.outcome': outcome,
    'http.response.status_code': status,
    'error.type': type,
  });
}

export function serverAttributes(origin: string): Attributes {
  const { hostname, port, protocol } = new URL(origin);
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return {
    'server.address': hostname.replace(/^\[|\]$/g, ''),
    'server.port': port === '' ? defaultPort : Number(port),
  };
}

/** The error's class: few values, so that dashboards can group by it. */
export function errorType(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  const { name } = Object(error) as { name?: unknown };
  return typeof name === 'string' ? name : '_OTHER';
}

/** The caller's own abort is no failure of the service. */
export function isAborted(error: unknown): boolean {
  return errorType(error) === 'AbortedError';
}

/** Exporters show an undefined attribute as an empty one. */
export function defined(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
