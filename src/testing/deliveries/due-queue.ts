/** DueQueue: what is due later, the earliest first. */

interface Entry<Item> {
  readonly due: number;
  readonly item: Item;
}

/** Sorted when it is read: two hundred thousand may be added, in any order, before the first is due. */
export class DueQueue<Item> {
  #entries: Entry<Item>[] = [];
  #nextDue: number | undefined;

  /** When the first item is due; `undefined` if there is none. */
  get nextDue(): number | undefined {
    return this.#nextDue;
  }

  add(due: number, item: Item): void {
    this.#entries.push({ due, item });
    this.#nextDue = Math.min(due, this.#nextDue ?? due);
  }

  /** Takes out what is due by `now`, the earliest first. */
  takeDue(now: number): Item[] {
    const entries = this.entries();
    this.#entries = entries.filter(({ due }) => due > now);
    this.#nextDue = this.#entries[0]?.due;
    return entries.slice(0, entries.length - this.#entries.length).map(({ item }) => item);
  }

  clear(): void {
    this.#entries = [];
    this.#nextDue = undefined;
  }

  /** Every item, the earliest first; those of one time in the order in which they were added. */
  entries(): Entry<Item>[] {
    return this.#entries.toSorted((a, b) => a.due - b.due);
  }
}
