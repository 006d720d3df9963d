/** RefusalLog: sums up refused deliveries in one line, for each cause at most once a minute. */

import type { WebhookErrorReason } from '../verification-error.js';

const intervalMs = 60_000;

/** Anyone can send deliveries: causes beyond these are counted until the next line. */
const maxCauses = 100;

type Reason = WebhookErrorReason | 'other';

/** Used instead of the error's own message, which repeats what the sender wrote. */
const fixedCauses: Partial<Readonly<Record<Reason, string>>> = {
  malformed_signature:
    'X-Market-Signature is not 64 lower-case hexadecimal characters: the sender is not the service, ' +
    'or something on the way changed the header.',
  signature_mismatch:
    '"secret" is not the one that the webhook was registered with, or the body was changed before ' +
    'it was verified. explainWebhookMismatch() says which.',
};

/**
 * Counts refusals. A line has counts, reasons and causes: no stack, and nothing that the sender wrote.
 */
export class RefusalLog {
  readonly #warn: (line: string) => void;
  readonly #counts = new Map<Reason, number>();
  readonly #causes = new Map<Reason, string>();
  /** When each cause may have its next line: a stranger's refusals must not hide a fault of ours. */
  readonly #nextLineMs = new Map<string, number>();

  constructor(warn: (line: string) => void) {
    this.#warn = warn;
  }

  add(reason: Reason, message: string): void {
    const cause = fixedCauses[reason] ?? message;
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
    this.#causes.set(reason, cause);
    const nowMs = performance.now();
    if (nowMs < (this.#nextLineMs.get(cause) ?? 0)) return;
    for (const [each, nextMs] of this.#nextLineMs) {
      if (nextMs <= nowMs) this.#nextLineMs.delete(each);
    }
    if (this.#nextLineMs.size >= maxCauses) return;
    this.#nextLineMs.set(cause, nowMs + intervalMs);
    this.#write();
  }

  #write(): void {
    const parts = [...this.#counts].map(([reason, count]) => `${count} ${reason}`).join(', ');
    const causes = [...this.#causes].map(([reason, cause]) => `${reason}: ${cause}`).join(' ');
    this.#warn(`Deliveries were refused (${parts}). ${causes}`);
    this.#counts.clear();
    this.#causes.clear();
  }
}
