/** DueQueue: what is due later, the earliest first. */

interface Entry<Item> {
  readonly due: number;
  /** Items that are due at the same time keep the order in which they were added. */
  readonly seq: number;
  readonly item: Item;
}

/** A binary heap: adding and taking one of `n` items costs log n steps. */
export class DueQueue<Item> {
  readonly #heap: Entry<Item>[] = [];
  #seq = 0;

  /** When the first item is due; `undefined` if there is none. */
  get nextDue(): number | undefined {
    return this.#heap[0]?.due;
  }

  add(due: number, item: Item): void {
    this.#seq += 1;
    const entry = { due, seq: this.#seq, item };
    let at = this.#heap.push(entry) - 1;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = this.#heap[parentAt];
      if (parent === undefined || isBefore(parent, entry)) break;
      this.#heap[at] = parent;
      at = parentAt;
    }
    this.#heap[at] = entry;
  }

  /** Takes out what is due by `now`, the earliest first. */
  takeDue(now: number): Item[] {
    const due: Item[] = [];
    for (let [first] = this.#heap; first !== undefined && first.due <= now; [first] = this.#heap) {
      due.push(first.item);
      this.#removeFirst();
    }
    return due;
  }

  clear(): void {
    this.#heap.length = 0;
  }

  /** Every item, the earliest first. */
  entries(): { readonly due: number; readonly item: Item }[] {
    return [...this.#heap].sort((a, b) => a.due - b.due || a.seq - b.seq);
  }

  #removeFirst(): void {
    const moved = this.#heap.pop();
    if (moved === undefined || this.#heap.length === 0) return;
    let at = 0;
    for (;;) {
      const smaller = this.#smallerChild(at);
      const child = this.#heap[smaller];
      if (child === undefined || isBefore(moved, child)) break;
      this.#heap[at] = child;
      at = smaller;
    }
    this.#heap[at] = moved;
  }

  #smallerChild(parentAt: number): number {
    const at = 2 * parentAt + 1;
    const [left, right] = [this.#heap[at], this.#heap[at + 1]];
    return left !== undefined && right !== undefined && isBefore(right, left) ? at + 1 : at;
  }
}

function isBefore(a: Entry<unknown>, b: Entry<unknown>): boolean {
  return a.due < b.due || (a.due === b.due && a.seq < b.seq);
}
