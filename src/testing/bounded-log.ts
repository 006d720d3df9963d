/**
 * The latest entries of something that never ends. `entries` is one array for the log's whole life,
 * so that a test may hold on to it; the oldest entries leave it when the log is full, either by
 * number or by the bytes that they keep alive.
 */
export class BoundedLog<Entry> {
  readonly entries: Entry[] = [];
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #bytesOf: (entry: Entry) => number;
  #bytes = 0;

  constructor(maxEntries: number, maxBytes: number, bytesOf: (entry: Entry) => number) {
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
    this.#bytesOf = bytesOf;
  }

  add(entry: Entry): void {
    this.entries.push(entry);
    this.#bytes += this.#bytesOf(entry);
    while (this.entries.length > this.#maxEntries || this.#bytes > this.#maxBytes) {
      const oldest = this.entries.shift();
      if (oldest === undefined) return;
      this.#bytes -= this.#bytesOf(oldest);
    }
  }
}
