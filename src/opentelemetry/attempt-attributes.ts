/** The attributes of an attempt's span, by the semantic conventions for HTTP clients 1.44. */

import type { AttemptSpan } from '../tracing/spans.js';
import type { TracedAttempt } from '../tracing/tracing.js';
import type { Attributes } from './api.js';
import { defined, serverAttributes } from './call-attributes.js';

export function attemptAttributes({ span, origin, url }: TracedAttempt): Attributes {
  return defined({
    ...serverAttributes(origin),
    'http.request.method': span.method,
    'url.full': url,
    'url.template': span.path,
    'http.request.resend_count': span.attempt > 1 ? span.attempt - 1 : undefined,
  });
}

export function attemptEndAttributes({ status, failure, requestId }: AttemptSpan): Attributes {
  const failedStatus = status !== undefined && status >= 400 ? String(status) : undefined;
  return defined({
    'http.response.status_code': status,
    'market.request_id': requestId,
    'error.type': failure ?? failedStatus,
  });
}
