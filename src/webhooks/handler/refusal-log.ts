/** RefusalLog: writes why deliveries were refused, at most once a minute for each reason. */

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

/** Anyone can send deliveries. A line has nothing that the sender wrote, and counts what came since the last one. */
export class RefusalLog {
  readonly #warn: (line: string) => void;
  readonly #refused = new Map<Reason, { count: number; nextLineMs: number }>();

  constructor(warn: (line: string) => void) {
    this.#warn = warn;
  }

  add(reason: Reason, message: string): void {
    const nowMs = performance.now();
    const refused = this.#refused.get(reason) ?? { count: 0, nextLineMs: 0 };
    this.#refused.set(reason, refused);
    refused.count += 1;
    if (nowMs < refused.nextLineMs) return;
    const { count } = refused;
    this.#warn(`Deliveries were refused (${count} ${reason}): ${fixedCauses[reason] ?? message}`);
    Object.assign(refused, { count: 0, nextLineMs: nowMs + intervalMs });
  }
}
