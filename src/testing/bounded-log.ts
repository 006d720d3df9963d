/**
 * The latest entries of an endless log. `entries` is always the same array, so a test may keep a
 * reference; the oldest entries leave it when the log exceeds a number of entries or of bytes.
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

  clear(): void {
    this.entries.length = 0;
    this.#bytes = 0;
  }

  add(entry: Entry): void {
    this.entries.push(entry);
    this.#bytes += this.#bytesOf(entry);
    while (this.entries.length > this.#maxEntries || this.#bytes > this.#maxBytes) {
      for (const oldest of this.entries.splice(0, 1)) this.#bytes -= this.#bytesOf(oldest);
    }
  }
}
