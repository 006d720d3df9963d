/** The whole state of an emulator as plain data, and the check of one that is restored. */

import { isRecord } from '../json.js';
import type { CredentialsSnapshot } from './credentials.js';
import type { ScheduledDelivery } from './deliveries/delivery-queue.js';
import { EmulatorError } from './service-error.js';
import type { IdentifiersSnapshot } from './identifiers.js';
import type { MarketSnapshot } from './market/snapshot.js';
import type { IdempotencySnapshot } from './service/idempotency.js';

/**
 * The state of an emulator: what `emulator.snapshot()` returns and `emulator.restore()` takes. It is
 * plain JSON. It holds the secrets of credentials and webhooks.
 */
export interface EmulatorSnapshot {
  /** Version of the format. */
  readonly version: 1;
  /** How far the clock is ahead of its source, in milliseconds. */
  readonly clockOffsetMs: number;
  /** @internal */
  readonly identifiers: IdentifiersSnapshot;
  /** @internal Absent in snapshots of earlier releases. */
  readonly recordIdentifiers?: IdentifiersSnapshot;
  /** @internal */
  readonly credentials: CredentialsSnapshot;
  /** @internal */
  readonly idempotencyKeys: IdempotencySnapshot;
  /** @internal */
  readonly market: MarketSnapshot;
  /** @internal */
  readonly deliveries: readonly ScheduledDelivery[];
}

const parts: readonly (readonly [
  name: keyof EmulatorSnapshot,
  isOfType: (value: unknown) => boolean,
])[] = [
  ['clockOffsetMs', Number.isFinite],
  ['identifiers', isRecord],
  ['credentials', Array.isArray],
  ['idempotencyKeys', Array.isArray],
  ['market', isRecord],
  ['deliveries', Array.isArray],
];

/** @throws {@link EmulatorError} when a value is no snapshot of this version */
export function checkSnapshot(value: unknown): asserts value is EmulatorSnapshot {
  if (!isRecord(value) || value.version !== 1) {
    throw new EmulatorError('"snapshot" must be a snapshot of version 1 of this emulator');
  }
  for (const [name, isOfType] of parts) {
    if (!isOfType(value[name])) throw new EmulatorError(`"snapshot.${name}" is missing or wrong`);
  }
}
