/** The live stream of the control API: server-sent events with ids and replay. */

import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { BoundedLog } from '../bounded-log.js';

const maxEntries = 1_000;
const maxBytes = 8 * 1_048_576;
const maxStreams = 32;

/** A reader that is this far behind is disconnected; it reconnects and gets the rest by replay. */
const maxBacklogBytes = 4 * 1_048_576;

/** Proxies and browsers close a connection that is silent for a minute. */
const heartbeatMs = 15_000;

interface Entry {
  readonly seq: number;
  readonly text: string;
}

/** What happened, as it happens, to any number of readers. */
export class EventStream {
  /** Ids of another emulator, or from before a restart, must not be taken for our own. */
  readonly #instance = randomBytes(4).toString('hex');
  readonly #log = new BoundedLog<Entry>(maxEntries, maxBytes, ({ text }) => text.length);
  readonly #readers = new Set<ServerResponse>();
  #seq = 0;
  #isChangeDue = false;
  #heartbeat: NodeJS.Timeout | undefined;

  /** The id of the latest entry: a reader that starts after it misses nothing. */
  get lastId(): string {
    return `${this.#instance}.${this.#seq}`;
  }

  /** Adds an entry and sends it to every reader. */
  publish(kind: string, data: unknown): void {
    this.#seq += 1;
    const text = `id: ${this.lastId}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
    this.#log.add({ seq: this.#seq, text });
    for (const reader of this.#readers) this.#send(reader, text);
  }

  /** Tells subscribers that the state has changed, once for all changes of a turn. */
  publishChange(): void {
    if (this.#isChangeDue) return;
    this.#isChangeDue = true;
    setImmediate(() => {
      this.#isChangeDue = false;
      this.publish('change', {});
    });
  }

  /**
   * Sends the stream as the body of a response. A reader whose last id is no longer in the log
   * gets a `gap` first and must reload the state.
   *
   * @returns whether there was room for another reader
   */
  attach(response: ServerResponse, lastId: string | undefined): boolean {
    if (this.#readers.size >= maxStreams) return false;
    response.write('retry: 1000\n\n');
    if (lastId !== undefined) this.#replay(response, lastId);
    this.#readers.add(response);
    this.#heartbeat ??= setInterval(() => {
      for (const reader of this.#readers) this.#send(reader, ': still here\n\n');
    }, heartbeatMs).unref();
    response.once('close', () => this.#detach(response));
    return true;
  }

  /** Ends every stream. */
  close(): void {
    for (const reader of this.#readers) reader.end();
    this.#readers.clear();
    clearInterval(this.#heartbeat);
  }

  #replay(response: ServerResponse, lastId: string): void {
    const [instance, number] = lastId.split('.');
    const seq = Number(number);
    const [oldest] = this.#log.entries;
    const isKnown =
      instance === this.#instance && seq <= this.#seq && seq >= (oldest?.seq ?? this.#seq + 1) - 1;
    if (!isKnown) {
      response.write(`id: ${this.lastId}\nevent: gap\ndata: {}\n\n`);
      return;
    }
    for (const entry of this.#log.entries) if (entry.seq > seq) response.write(entry.text);
  }

  #send(reader: ServerResponse, text: string): void {
    if (reader.writableLength > maxBacklogBytes) reader.destroy();
    else reader.write(text);
  }

  #detach(reader: ServerResponse): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }
}
