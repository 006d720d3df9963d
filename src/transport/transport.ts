/** The wire as the engine sees it: one request out, one whole answer or one failure back. */

/** A signed request, ready to send. */
export interface WireRequest {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query, exactly as signed. */
  readonly target: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** An answer whose body was read to its end. */
export interface WireAnswer {
  readonly status: number;
  /** Names in lower case, repeated ones joined with a comma. `set-cookie` is left out. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A way to send. It settles at once when the signal fires, and leaves no socket half read. */
export interface Transport {
  send(request: WireRequest, signal: AbortSignal): Promise<WireAnswer>;
  /** Ends the connections that the transport itself opened, once they are idle. */
  close(): Promise<void>;
}

/**
 * What is known of a request that got no whole answer:
 * - `not_sent`: it never left; a repeat is always safe.
 * - `broken`: it may have been worked on; the connection or the body broke off.
 * - `too_large`: the answer was longer than any of this API's.
 * - `unknown`: an error that no network is known to cause. It is not retried.
 */
export type FailureKind = 'not_sent' | 'broken' | 'too_large' | 'unknown';

/** Rejections of {@link Transport.send} are of this class, except for the signal's own. */
export class WireFailure extends Error {
  readonly kind: FailureKind;
  /** Whether trying again can help: a refused connection yes, a certificate that is not trusted no. */
  readonly retriable: boolean;
  /** The head of the answer whose body broke off. */
  readonly head: Pick<WireAnswer, 'status' | 'headers'> | undefined;

  constructor(
    kind: FailureKind,
    facts: {
      cause: unknown;
      retriable: boolean;
      head?: Pick<WireAnswer, 'status' | 'headers'> | undefined;
    },
  ) {
    super(`wire failure: ${kind}`, { cause: facts.cause });
    this.kind = kind;
    this.retriable = facts.retriable;
    this.head = facts.head;
  }
}

/** Longest success body that is read: far above any page of this API, far below a process's memory. */
export const maxBodyBytes = 32 * 1024 * 1024;

/** Longest error body that is read. */
export const maxErrorBodyBytes = 64 * 1024;

export function bodyLimit(status: number): number {
  return status >= 200 && status < 300 ? maxBodyBytes : maxErrorBodyBytes;
}
