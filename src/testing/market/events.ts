/** An event of the history (specification, part 6). */
export interface EmulatorEvent {
  /** Identifier, and the cursor of the history. */
  readonly id: string;
  /** Type, for example `'order.recorded'`. */
  readonly type: string;
  /** ISO 8601 in UTC. */
  readonly created_at: string;
  /** The partner that the event is for. It is in deliveries, not in the history's answer. */
  readonly partner_id: string;
  /** The payload; for an event of an order, `order` with its five documented fields. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** The history of one account, oldest first. */
export class History {
  readonly events: EmulatorEvent[] = [];
  readonly #positions = new Map<string, number>();

  add(event: EmulatorEvent): void {
    this.#positions.set(event.id, this.events.length);
    this.events.push(event);
  }

  /** Events after a known one; `undefined` when the id is not of this history. */
  after(id: string | undefined, limit: number): EmulatorEvent[] | undefined {
    if (id === undefined) return this.events.slice(0, limit);
    const position = this.#positions.get(id);
    return position === undefined
      ? undefined
      : this.events.slice(position + 1, position + 1 + limit);
  }
}
