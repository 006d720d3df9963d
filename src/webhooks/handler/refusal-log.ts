/** RefusalLog: sums up refused deliveries in one line, at most once a minute. */

import type { WebhookErrorReason } from '../verification-error.js';

const intervalMs = 60_000;

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
  #nextLineMs = 0;

  constructor(warn: (line: string) => void) {
    this.#warn = warn;
  }

  add(reason: Reason, message: string): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
    this.#causes.set(reason, fixedCauses[reason] ?? message);
    const nowMs = performance.now();
    if (nowMs < this.#nextLineMs) return;
    this.#nextLineMs = nowMs + intervalMs;
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
