/** `learnReads`: the reads that show how a service answers, at most 18, one after the other. */

import { randomBytes } from 'node:crypto';
import type { MarketClient } from '../../client/client.js';
import { AbortedError } from '../../client/errors/index.js';
import { readError } from '../../core/errors/read-error.js';

/** A response as received. */
export interface Seen {
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Its JSON; text where it is none; `undefined` where it is empty. */
  readonly body: unknown;
}

export type Query = Readonly<Record<string, string>>;

const mostReads = 18;

export class LearnReads {
  readonly #market: MarketClient;
  readonly #signal: AbortSignal;
  #count = 0;

  constructor(market: MarketClient, signal: AbortSignal) {
    this.#market = market;
    this.#signal = signal;
  }

  get count(): number {
    return this.#count;
  }

  /** `undefined` once all reads are used, or if no response came. */
  async get(path: string, query: Query = {}): Promise<Seen | undefined> {
    if (this.#count >= mostReads) return undefined;
    this.#count += 1;
    // As pairs: an object would be checked by the types of our own inputs.
    return this.#read('GET', path, { query: new URLSearchParams(query) });
  }

  /** The one write: a quote reserves a domain for ten minutes, and costs nothing. */
  post(path: string, body: object): Promise<Seen | undefined> {
    return this.#read('POST', path, { body });
  }

  async #read(
    method: 'GET' | 'POST',
    path: string,
    rest: { readonly query?: URLSearchParams; readonly body?: object },
  ): Promise<Seen | undefined> {
    try {
      const call = this.#market.request({ method, path, signal: this.#signal, ...rest });
      const { data, response } = await call.withResponse();
      const { status, headers } = response;
      return { path, status, headers, body: data };
    } catch (error) {
      if (error instanceof AbortedError) throw error;
      const { status, headers, body } = readError(error);
      if (typeof status !== 'number') return undefined;
      const known = (headers ?? {}) as Seen['headers'];
      return { path, status, headers: known, body: body === '' ? undefined : body };
    }
  }
}

/** A name that nobody lists, in a reserved zone. */
export function unlistedName(): string {
  return `doctor-${randomBytes(8).toString('hex')}.example`;
}
