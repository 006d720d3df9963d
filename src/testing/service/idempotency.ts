/** Responses that are replayed for a repeated Idempotency-Key. */

import { createHash } from 'node:crypto';
import type { IssuedCredential } from '../credentials.js';
import type { RawRequest, ServiceResponse } from '../http/messages.js';
import { ServiceError } from '../service-error.js';

/** A response without its headers, stored for a retry. */
export type StoredResponse = Omit<ServiceResponse, 'headers'>;

interface Entry {
  readonly response: StoredResponse;
  readonly fingerprint: string;
  /** The service's clock, in Unix milliseconds. */
  readonly storedAt: number;
}

/** The stored responses by credential and key. */
export type IdempotencySnapshot = readonly (readonly [name: string, entry: Entry])[];

/**
 * Statuses that are decisions about the operation, and so hold for every retry of it. An error from
 * before the operation began (400, 401, 403, 409, 429) is not one; nor is a 5xx: storing that would
 * make every retry useless.
 */
const storableStatuses: readonly number[] = [201, 404, 422];

/** The stored responses by credential and key (specification, 4.2, rules 1 to 3). */
export class IdempotencyKeys {
  readonly #entries = new Map<string, Entry>();
  readonly #memoryMs: number;
  readonly #now: () => number;

  constructor(memoryMs: number, now: () => number) {
    this.#memoryMs = memoryMs;
    this.#now = now;
  }

  /**
   * Replays the stored response of a key, or does the work and stores its response. Nothing between
   * look-up and storing is asynchronous, so two calls with one key cannot both do the work.
   *
   * @throws {@link ServiceError} missing_idempotency_key, or conflict for another body
   */
  replayOrRun(
    request: RawRequest,
    credential: IssuedCredential,
    work: () => StoredResponse,
  ): { readonly response: StoredResponse; readonly replayed: boolean } {
    const key = request.headers['idempotency-key'] ?? '';
    if (key === '') {
      throw new ServiceError(
        'missing_idempotency_key',
        'The header Idempotency-Key is required here.',
      );
    }
    const name = `${credential.keyId} ${key}`;
    const fingerprint = createHash('sha256').update(request.body).digest('base64');
    const stored = this.#find(name);
    if (stored !== undefined && stored.fingerprint !== fingerprint) {
      throw new ServiceError(
        'conflict',
        `Idempotency-Key ${JSON.stringify(key)} was used before with a different body. A retry sends the same bytes.`,
      );
    }
    if (stored !== undefined) return { response: stored.response, replayed: true };

    const response = work();
    if (storableStatuses.includes(response.status)) {
      this.#entries.set(name, { response, fingerprint, storedAt: this.#now() });
    }
    return { response, replayed: false };
  }

  snapshot(): IdempotencySnapshot {
    return [...this.#entries];
  }

  restore(snapshot: IdempotencySnapshot): void {
    this.#entries.clear();
    for (const [name, entry] of snapshot) this.#entries.set(name, entry);
  }

  #find(name: string): Entry | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined || this.#now() - entry.storedAt <= this.#memoryMs) return entry;
    this.#entries.delete(name);
    return undefined;
  }
}
