/** Transport: sends one request and returns one whole response or one failure. */

import { ByteCollector } from '../../core/byte-collector.js';
import type { Cancellation } from './cancellation.js';

/** A signed request, ready to send. */
export interface TransportRequest {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query, exactly as signed. */
  readonly target: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

export interface ResponseHead {
  readonly status: number;
  /** Names in lower case, repeated ones joined with a comma. `set-cookie` is left out. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A response: the whole body of a success, the beginning of any other. */
export interface TransportResponse extends ResponseHead {
  readonly body: Uint8Array;
}

export type TransportResult = TransportResponse | TransportError;

/**
 * Sends requests. Calls `done` exactly once, no later than shortly after cancellation; sends nothing
 * if the cancellation has fired already. It throws nothing and leaves no socket half read; `done`
 * must not throw either.
 */
export interface Transport {
  send(
    request: TransportRequest,
    cancellation: Cancellation,
    done: (result: TransportResult) => void,
  ): void;
  /** Ends the connections that the transport itself opened, once they are idle. */
  close(): Promise<void>;
}

/**
 * What is known about a request without a whole response:
 * - `not_sent`: it never left; a repeat is always safe.
 * - `connection_lost`: it may have been worked on; the connection or the body broke off.
 * - `too_large`: a success was longer than any of this API's.
 * - `unknown`: an error that no network is known to cause. It is not retried.
 */
export type FailureKind = 'not_sent' | 'connection_lost' | 'too_large' | 'unknown';

/** Why there is no whole response; a cancellation is one reason. */
export class TransportError extends Error {
  readonly kind: FailureKind;
  /** Whether trying again can help: a refused connection yes, a certificate that is not trusted no. */
  readonly retryable: boolean;
  /** The head of the response whose body broke off. */
  readonly head: ResponseHead | undefined;

  constructor(
    kind: FailureKind,
    facts: {
      cause: unknown;
      retryable: boolean;
      head?: ResponseHead | undefined;
    },
  ) {
    super(`transport failure: ${kind}`, { cause: facts.cause });
    this.kind = kind;
    this.retryable = facts.retryable;
    this.head = facts.head;
  }
}

/** Longest success body that is read: far above any page of this API, far below a process's memory. */
const maxBodyBytes = 32 * 1024 * 1024;

/** How much of any other body is read: its beginning shows who sent it. */
const maxErrorBodyBytes = 64 * 1024;

/** A response's body as it arrives, up to a limit. */
export class BodyCollector {
  readonly #head: ResponseHead;
  readonly #limit: number;
  readonly #bytes = new ByteCollector();
  #hasForeignPart = false;

  constructor(head: ResponseHead) {
    this.#head = head;
    this.#limit = isSuccess(head) ? maxBodyBytes : maxErrorBodyBytes;
  }

  /** Returns whether that is enough: the rest need not be read. */
  add(part: Uint8Array): boolean {
    // A custom dispatcher or fetch may pass text: it cannot be read, and a repeat would be the same.
    if (!ArrayBuffer.isView(part)) {
      this.#hasForeignPart = true;
      return true;
    }
    this.#bytes.add(part);
    return this.#isOverLimit;
  }

  /** The response; a failure if the body of a success is too long. The body of an error is cut. */
  result(): TransportResult {
    if (this.#hasForeignPart) {
      const cause = new TypeError(
        'the dispatcher or fetch function returned a body that is not bytes',
      );
      return new TransportError('unknown', { cause, retryable: false, head: this.#head });
    }
    if (this.#isOverLimit && isSuccess(this.#head)) {
      const cause = new Error(`the body is longer than ${this.#limit} bytes`);
      return new TransportError('too_large', { cause, retryable: false, head: this.#head });
    }
    const { status, headers } = this.#head;
    const bytes = this.#bytes.toBytes();
    return { status, headers, body: this.#isOverLimit ? bytes.subarray(0, this.#limit) : bytes };
  }

  get #isOverLimit(): boolean {
    return this.#bytes.length > this.#limit;
  }
}

export function isSuccess({ status }: ResponseHead): boolean {
  return status >= 200 && status < 300;
}
