/** EmulatorState: takes, restores and resets the state of all parts of an emulator together. */

import type { Parts } from './parts.js';
import { EmulatorError } from './service-error.js';
import { checkSnapshot, type EmulatorSnapshot } from './snapshot.js';

export class EmulatorState {
  readonly #parts: Parts;
  readonly #onReplace: () => void;

  /** @param onReplace - called when another state has taken the place of the present one */
  constructor(parts: Parts, onReplace: () => void) {
    this.#parts = parts;
    this.#onReplace = onReplace;
  }

  snapshot(): EmulatorSnapshot {
    const parts = this.#parts;
    return structuredClone({
      version: 1,
      clockOffsetMs: parts.clock.offsetMs,
      identifiers: parts.identifiers.snapshot(),
      recordIdentifiers: parts.recordIdentifiers.snapshot(),
      credentials: parts.credentials.snapshot(),
      idempotencyKeys: parts.idempotencyKeys.snapshot(),
      market: parts.market.snapshot(),
      deliveries: parts.deliveryQueue.pending(),
    });
  }

  /** @throws {@link EmulatorError} when the value is no snapshot; nothing is changed then */
  restore(snapshot: EmulatorSnapshot): void {
    checkSnapshot(snapshot);
    const before = this.snapshot();
    try {
      this.#apply(structuredClone(snapshot));
    } catch (error) {
      this.#apply(before);
      throw new EmulatorError(`"snapshot" cannot be restored: ${String(error)}`);
    }
    this.#forgetLogs();
  }

  /** Credentials stay valid. */
  reset(): void {
    const { clock, idempotencyKeys, market, deliveryQueue } = this.#parts;
    idempotencyKeys.restore([]);
    market.reset();
    deliveryQueue.reset();
    clock.restoreOffset(0);
    this.#forgetLogs();
  }

  /** Last: a restore that fails must leave them as they were. */
  #forgetLogs(): void {
    const { faults, requests, deliveryQueue } = this.#parts;
    faults.clear();
    requests.clear();
    deliveryQueue.log.clear();
    this.#onReplace();
  }

  #apply(state: EmulatorSnapshot): void {
    const { market, ...parts } = this.#parts;
    parts.identifiers.restore(state.identifiers);
    parts.recordIdentifiers.restore(state.recordIdentifiers ?? state.identifiers);
    parts.credentials.restore(state.credentials);
    parts.idempotencyKeys.restore(state.idempotencyKeys);
    market.restore(state.market);
    const events = new Map(market.events.map((event) => [event.id, event]));
    parts.deliveryQueue.reset(
      state.deliveries.flatMap(({ eventId, partnerId, environment, ...delivery }) => {
        const event = events.get(eventId);
        const account = market.account(partnerId, environment);
        return event === undefined ? [] : [{ ...delivery, account, event }];
      }),
    );
    parts.clock.restoreOffset(state.clockOffsetMs);
  }
}
