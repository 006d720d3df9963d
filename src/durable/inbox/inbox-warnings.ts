/** `InboxWarnings`: signs in the store of a wrong setup. Each is logged once. */

import type { SafeLogger } from '../../core/logger.js';
import { RecentEvents } from '../../webhooks/handler/deduplication/recent-events.js';
import type { MarketEvent } from '../../webhooks/events.js';
import type { Checkpoint, JobRecord } from '../queue/job.js';

interface WarningSettings {
  /** The listeners, by type. */
  readonly on: object;
  readonly onEvent?: unknown;
  readonly onUnknown?: unknown;
  readonly logger: SafeLogger;
}

export class InboxWarnings {
  /** The types that this process listens for; `*` stands for all others. */
  readonly types: readonly string[];
  readonly #logger: SafeLogger;
  readonly #compared = new RecentEvents();
  #hasWritten = false;
  #hasWarned = false;

  constructor({ on, onEvent, onUnknown, logger }: WarningSettings) {
    const others = onEvent === undefined ? [] : ['*'];
    const unknown = onUnknown === undefined ? [] : ['unknown'];
    this.types = [...Object.keys(on), ...others, ...unknown].sort();
    this.#logger = logger;
  }

  /** Events of a poll that were stored before, and were not compared yet. */
  uncompared(events: readonly MarketEvent[], added: readonly string[]): MarketEvent[] {
    for (const id of added) this.#compared.add(id);
    return events.filter(({ id }) => !this.#compared.has(id));
  }

  /** Reports an event whose id was stored with another event: it would be taken for that one. */
  compare(events: readonly MarketEvent[], stored: ReadonlyMap<string, JobRecord>): void {
    for (const { id, type, created_at } of events) {
      const record = stored.get(id);
      if (record === undefined || this.#compared.has(id)) continue;
      this.#compared.add(id);
      if (record.createdAt === created_at) continue;
      this.#logger.error(
        'Another event is stored under the id of this one, which is therefore not handled. Was the ' +
          'history replaced, as by an emulator that restarted? Use a new database or another "name".',
        { id, type, created_at, storedAs: record.createdAt },
      );
    }
  }

  recordWritten(): void {
    this.#hasWritten = true;
  }

  /** Reports another program that shares this queue, and listens for other events. */
  checkTypes(checkpoint: Checkpoint | undefined): void {
    const { types } = checkpoint ?? {};
    // Before the first write the checkpoint may be an earlier release's, which has ended.
    if (types === undefined || !this.#hasWritten || this.#hasWarned) return;
    if (types.join() === this.types.join()) return;
    this.#hasWarned = true;
    this.#logger.warn(
      "Another process with this inbox's name listens for other types of events. Each stores its own, but takes those " +
        'of the other, too, and can only put them back. Unless this is a deployment, give one of them another "name".',
      { here: this.types, there: types },
    );
  }
}
