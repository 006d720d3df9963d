/** The webhook secrets that a handler accepts: one, or several during a rotation. */

import { WebhookVerificationError } from './verification-error.js';

/** One webhook secret, or several while rotating: a delivery is accepted if it matches any of them. */
export type WebhookSecret = string | readonly string[];

/**
 * The secrets as strings. An empty secret is an error: it usually comes from an environment variable
 * that is not set, and anyone can sign with an empty key.
 */
export function secretStrings(secret: unknown): readonly string[] {
  if (typeof secret === 'string' && secret !== '') return [secret];
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  if (secrets.length === 0) throw missing('"secret" is an empty list');
  return secrets.map((each, at) => {
    const label = Array.isArray(secret) ? `"secret[${at}]"` : '"secret"';
    if (typeof each !== 'string') {
      if (typeof (each as { then?: unknown } | null | undefined)?.then === 'function') {
        throw missing(`${label} is a promise: "await" is missing before it`);
      }
      throw missing(`${label} is ${each === null ? 'null' : typeof each}, not a string`);
    }
    if (each === '') throw missing(`${label} is empty`);
    return each;
  });
}

/**
 * The `secret` function of a receiver without a secret: its response is 500, and its error says why.
 */
export function secretNotSet(): never {
  throw missing('A delivery arrived, and the option "secret" is not set');
}

function missing(what: string): WebhookVerificationError {
  return new WebhookVerificationError(
    'missing_secret',
    `${what}. It must be the secret that the webhook was registered with ` +
      '(PUT /api/partner/webhooks); is the environment variable set in this process?',
  );
}
