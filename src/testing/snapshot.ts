/** The whole state of an emulator as plain data, and the check of one that is restored. */

import * as z from 'zod/mini';
import { ruled } from '../core/schema/must.js';
import { checkOptions, lazily } from '../core/schema/options.js';
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

const wrong = ruled('is missing or wrong');
const object = () => z.record(z.string(), z.unknown(), wrong);
const list = () => z.array(z.unknown(), wrong);

/** Of its parts: what they hold is checked when it is restored. */
const snapshotSchema = lazily(() =>
  z.looseObject({
    clockOffsetMs: z.number(wrong),
    identifiers: object(),
    credentials: list(),
    idempotencyKeys: list(),
    market: object(),
    deliveries: list(),
  }),
);

/** @throws {@link EmulatorError} when a value is no snapshot of this version */
export function checkSnapshot(value: unknown): asserts value is EmulatorSnapshot {
  const { version } = Object(value) as { readonly version?: unknown };
  if (version !== 1) {
    throw new EmulatorError('"snapshot" must be a snapshot of version 1 of this emulator');
  }
  checkOptions(
    snapshotSchema,
    value,
    (name, rule) => new EmulatorError(`"snapshot.${name}" ${rule}`),
  );
}
