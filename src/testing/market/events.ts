/** Events and the history of an account (specification, part 6). */

/** An event of the history (specification, part 6). */
export interface EmulatorEvent {
  /** Identifier, and the cursor of the history. */
  readonly id: string;
  /** Type, for example `'order.recorded'`. */
  readonly type: string;
  /** ISO 8601 in UTC. */
  readonly created_at: string;
  /** The partner that the event is for. It is in deliveries, not in the history's response. */
  readonly partner_id: string;
  /** The payload; for an event of an order, `order` with its five documented fields. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** An event and the moment from which the history shows it. */
interface HistoryEntry {
  readonly event: EmulatorEvent;
  /** From when on the history shows it, in Unix milliseconds. */
  readonly visibleAt: number;
}

/** The history of one account, oldest first. */
export class History {
  readonly #entries: HistoryEntry[] = [];
  readonly #positions = new Map<string, number>();
  readonly #retentionMs: number;

  constructor(retentionMs: number) {
    this.#retentionMs = retentionMs;
  }

  add(event: EmulatorEvent, visibleAt: number): void {
    this.#positions.set(event.id, this.#entries.length);
    this.#entries.push({ event, visibleAt });
  }

  /** The first visible events, or those after a visible one; `undefined` for any other id. */
  after(id: string | undefined, limit: number, now: number): EmulatorEvent[] | undefined {
    const position = id === undefined ? -1 : this.#positions.get(id);
    if (position === undefined) return undefined;
    const anchor = this.#entries[position];
    if (anchor !== undefined && !this.#isVisible(anchor, now)) return undefined;
    const events: EmulatorEvent[] = [];
    for (let at = position + 1; at < this.#entries.length && events.length < limit; at += 1) {
      const entry = this.#entries[at];
      if (entry !== undefined && this.#isVisible(entry, now)) events.push(entry.event);
    }
    return events;
  }

  /** Every event with its visibility, oldest first. */
  entries(): readonly HistoryEntry[] {
    return this.#entries;
  }

  /** Whether the history showed this event once and has dropped it. */
  hasExpired(id: string, now: number): boolean {
    const entry = this.#entries[this.#positions.get(id) ?? -1];
    return entry !== undefined && this.#isExpired(entry, now);
  }

  #isVisible(entry: HistoryEntry, now: number): boolean {
    return entry.visibleAt <= now && !this.#isExpired(entry, now);
  }

  #isExpired({ event }: HistoryEntry, now: number): boolean {
    return this.#retentionMs !== Infinity && Date.parse(event.created_at) + this.#retentionMs < now;
  }
}
