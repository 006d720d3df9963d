/** The answers to a delivery. Each is a constant: a sender learns the status and nothing else. */

/**
 * The status of an answer:
 * - 200: the event's handler has resolved, or the event was done before.
 * - 400: the signature is right and the body is no event, or the body broke off.
 * - 401: the signature is missing, malformed or wrong.
 * - 405: not a POST.
 * - 413: the body has more than `maxBytes` bytes.
 * - 500: the handler failed, or the receiver is set up wrongly. The service delivers again.
 * - 503: no answer within `timeoutMs`. The service delivers again.
 */
export type WebhookStatus = 200 | 400 | 401 | 405 | 413 | 500 | 503;

/** An answer, for whatever server there is. */
export interface WebhookAnswer {
  /** HTTP status. */
  readonly status: WebhookStatus;
  /** Headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A constant text for each status. */
  readonly body: string;
}

const TEXTS: Readonly<Record<WebhookStatus, string>> = {
  200: 'OK',
  400: 'Bad Request',
  401: 'Unauthorized',
  405: 'Method Not Allowed',
  413: 'Content Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** The answer with a status. */
export function answerWith(status: WebhookStatus): WebhookAnswer {
  return {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      ...(status === 405 ? { allow: 'POST' } : {}),
    },
    body: TEXTS[status],
  };
}
