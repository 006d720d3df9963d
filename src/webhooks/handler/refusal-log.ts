/** RefusalLog: writes why deliveries were refused, at most once a minute for each reason. */

import type { WebhookErrorReason } from '../verification-error.js';

const intervalMs = 60_000;

type Reason = WebhookErrorReason | 'other';

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
    this.#warn(`Deliveries were refused (${count} ${reason}): ${message}`);
    Object.assign(refused, { count: 0, nextLineMs: nowMs + intervalMs });
  }
}
