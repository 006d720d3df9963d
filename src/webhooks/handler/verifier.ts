/** createVerifier: verifies a body with a handler's secrets, and checks its event's partner and age. */

import { parseServiceTime } from '../../core/service-time.js';
import type { MarketEvent } from '../events.js';
import type { ReadEvent } from '../parse-event.js';
import { hmac } from '../node-crypto.js';
import { secretStrings } from '../secrets.js';
import { WebhookVerificationError } from '../verification-error.js';
import { verifyWithSecrets } from '../verify.js';
import { RequestedSecrets, type WebhookSecretSource } from './requested-secrets.js';

/** The clocks of the partner and the service differ by less than this (specification, part 5). */
const maxAheadMs = 300_000;

/** Returns the event of a signed body, or throws a {@link WebhookVerificationError}. */
type Verifier = (body: unknown, signature: string) => MarketEvent | Promise<MarketEvent>;

/** Which events a verifier accepts. */
interface VerifierOptions {
  readonly secret: WebhookSecretSource;
  readonly partnerId?: string | undefined;
  readonly maxAgeMs?: number | undefined;
  readonly read?: ReadEvent | undefined;
}

/** Checks the secrets, or prepares to get them from the `secret` function. */
export function createVerifier(options: VerifierOptions, timeoutMs: number): Verifier {
  const { secret } = options;
  const verify = (body: unknown, signature: string, secrets: readonly string[]) =>
    checkEvent(verifyWithSecrets(body, signature, secrets, options.read), options);
  if (typeof secret !== 'function') {
    const secrets = secretStrings(secret);
    // OpenSSL's FIPS module may refuse a short key: it must say so now, and not at the first delivery.
    for (const each of secrets) hmac('', each);
    return (body, signature) => verify(body, signature, secrets);
  }
  const requested = new RequestedSecrets(secret, timeoutMs);
  return async (body, signature) => {
    const current = await requested.current();
    try {
      return verify(body, signature, current);
    } catch (error) {
      const isMismatch =
        error instanceof WebhookVerificationError && error.reason === 'signature_mismatch';
      const newSecrets = isMismatch ? await requested.refresh() : undefined;
      if (newSecrets === undefined) throw error;
      return verify(body, signature, newSecrets);
    }
  };
}

function checkEvent(event: MarketEvent, { partnerId, maxAgeMs }: VerifierOptions): MarketEvent {
  if (partnerId !== undefined && event.partner_id !== partnerId) {
    throw refusedEvent('its "partner_id" is not the "partnerId" of this handler');
  }
  if (maxAgeMs !== undefined) checkAge(event, maxAgeMs);
  return event;
}

function checkAge({ created_at: createdAt }: MarketEvent, maxAgeMs: number): void {
  const ageMs = Date.now() - parseServiceTime(createdAt);
  if (Number.isNaN(ageMs)) throw refusedEvent('its "created_at" is not a date');
  if (ageMs > maxAgeMs) throw refusedEvent('its "created_at" is older than "maxAgeMs" allows');
  if (ageMs < -maxAheadMs) {
    throw refusedEvent('its "created_at" is more than 5 minutes in the future');
  }
}

function refusedEvent(cause: string): WebhookVerificationError {
  return new WebhookVerificationError(
    'invalid_event',
    `The signature is right, but the event is refused: ${cause}.`,
  );
}
