import { createHash } from 'node:crypto';
import type { IssuedCredential } from '../credentials.js';
import type { ArrivedRequest } from '../http/exchange.js';
import { Refusal } from './refusal.js';

/** An answer that is kept for a repeat. */
export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
}

interface Entry extends StoredAnswer {
  readonly fingerprint: string;
}

/**
 * Statuses that are decisions about the operation, and so stand for every repeat of it. What was
 * refused before the operation began (400, 401, 403, 409, 429) is not one; nor is a 5xx: storing
 * that would make every retry useless.
 */
const decisions: readonly number[] = [201, 404, 422];

/** The answers of keyed calls, per credential (specification, 4.2, rules 1 to 3). Never forgotten. */
export class IdempotencyKeys {
  readonly #entries = new Map<string, Entry>();

  /**
   * Answers a repeat from what is stored, else does the work and stores the answer. From the
   * look-up to the storing nothing waits, so two calls of one key cannot both do the work.
   *
   * @throws {Refusal} missing_idempotency_key, or conflict for another body
   */
  once(
    request: ArrivedRequest,
    credential: IssuedCredential,
    work: () => StoredAnswer,
  ): StoredAnswer & { readonly replayed: boolean } {
    const key = request.headers['idempotency-key'] ?? '';
    if (key === '') {
      throw new Refusal('missing_idempotency_key', 'The header Idempotency-Key is required here.');
    }
    const name = `${credential.keyId} ${key}`;
    const fingerprint = createHash('sha256').update(request.body).digest('base64');
    const stored = this.#entries.get(name);
    if (stored !== undefined && stored.fingerprint !== fingerprint) {
      throw new Refusal(
        'conflict',
        `Idempotency-Key ${JSON.stringify(key)} was used before with a different body. A retry sends the same bytes; another order needs another key.`,
      );
    }
    if (stored !== undefined) return { ...stored, replayed: true };

    const { status, body } = work();
    if (decisions.includes(status)) this.#entries.set(name, { status, body, fingerprint });
    return { status, body, replayed: false };
  }
}
