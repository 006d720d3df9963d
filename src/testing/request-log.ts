import type { ArrivedRequest } from './http/exchange.js';

/** A request as it arrived, and what became of it. */
export interface RecordedRequest {
  /** HTTP method as sent. */
  readonly method: string;
  /** The path as it stood in the request line, nothing decoded. */
  readonly rawPath: string;
  /** The path without the gateway's prefix. */
  readonly path: string;
  /** The raw query, without the question mark. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as sent. */
  readonly body: Uint8Array;
  /** The body parsed as JSON; `undefined` where it is none. */
  readonly json: unknown;
  /** The service's clock at its arrival, in Unix milliseconds. */
  readonly receivedAt: number;
  /**
   * `'accepted'` where signature and scope were right, else the code of the refusal:
   * `'invalid_signature'`, `'replay_detected'`, `'forbidden'`, … `'public'` for a page that needs
   * no signature. A fault does not change the verdict.
   */
  readonly verdict: string;
  /** Why the request was not accepted, in a sentence. */
  readonly reason: string | undefined;
  /** The status that was answered; `undefined` where the connection was reset. */
  readonly status: number | undefined;
  /** The endpoint in the specification's spelling: `'GET /orders/{public_id}'`. */
  readonly endpoint: string | undefined;
  /** The X-Request-Id of the answer. */
  readonly requestId: string;
  /** Kinds of the faults that struck. */
  readonly faults: readonly string[];
}

/** Builds the entry; the body is parsed only if somebody looks. */
export function recorded(
  request: ArrivedRequest,
  facts: Pick<
    RecordedRequest,
    'path' | 'receivedAt' | 'verdict' | 'reason' | 'status' | 'endpoint' | 'requestId' | 'faults'
  >,
): RecordedRequest {
  const { method, rawPath, rawQuery, headers, body } = request;
  return {
    method,
    rawPath,
    query: rawQuery,
    headers,
    body,
    ...facts,
    get json() {
      return parsed(body);
    },
  };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
