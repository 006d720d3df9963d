/** The attributes of an attempt's span, following the semantic conventions for HTTP clients 1.44. */

import type { AttemptSpan, TracedAttempt } from '../client/tracing.js';
import type { Attributes } from './api.js';
import { serverAttributes, setDefined, withContext } from './call-attributes.js';

export function attemptAttributes({ span, origin, url }: TracedAttempt): Attributes {
  const attributes = withContext(span.context, serverAttributes(origin));
  attributes['http.request.method'] = span.method;
  attributes['url.full'] = url;
  attributes['url.template'] = span.path;
  if (span.attempt > 1) attributes['http.request.resend_count'] = span.attempt - 1;
  return attributes;
}

export function attemptEndAttributes({ status, failure, requestId }: AttemptSpan): Attributes {
  const failedStatus = status !== undefined && status >= 400 ? String(status) : undefined;
  const attributes: Attributes = {};
  setDefined(attributes, 'http.response.status_code', status);
  setDefined(attributes, 'market.request_id', requestId);
  setDefined(attributes, 'error.type', failure ?? failedStatus);
  return attributes;
}
