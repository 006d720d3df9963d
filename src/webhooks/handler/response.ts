/** The responses to a delivery: constants, so that a sender learns only the status. */

/**
 * The status of a response:
 * - 200: the event's listener has resolved, or the event was already done.
 * - 400: the signature is right but the body is not an event, or the sender closed the connection.
 * - 401: the signature is missing, malformed or wrong.
 * - 405: not a POST.
 * - 413: the body has more than `maxBytes` bytes.
 * - 500: the listener failed, or the handler is set up wrongly. The service delivers again.
 * - 503: no result within `timeoutMs`. The service delivers again.
 */
export type WebhookStatus = 200 | 400 | 401 | 405 | 413 | 500 | 503;

/** A response that every kind of server can send. */
export interface WebhookHttpResponse {
  /** HTTP status. */
  readonly status: WebhookStatus;
  /** Headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A constant text for each status. */
  readonly body: string;
}

const commonHeaders = Object.freeze({
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
});

const responses: Readonly<Record<WebhookStatus, WebhookHttpResponse>> = {
  200: response(200, 'OK'),
  400: response(400, 'Bad Request'),
  401: response(401, 'Unauthorized'),
  405: response(405, 'Method Not Allowed', { allow: 'POST' }),
  413: response(413, 'Content Too Large'),
  500: response(500, 'Internal Server Error'),
  503: response(503, 'Service Unavailable'),
};

/** @param closes - whether the connection must not be used again, because the receiver is stopping */
export function responseFor(status: WebhookStatus, closes = false): WebhookHttpResponse {
  const response = responses[status];
  if (!closes) return response;
  return { ...response, headers: { ...response.headers, connection: 'close' } };
}

function response(
  status: WebhookStatus,
  body: string,
  headers?: Readonly<Record<string, string>>,
): WebhookHttpResponse {
  return Object.freeze({ status, headers: Object.freeze({ ...commonHeaders, ...headers }), body });
}
