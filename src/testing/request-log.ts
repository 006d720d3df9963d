/** The entries of `emulator.requests`. */

import { parseJson } from '../core/json.js';
import type { RawRequest } from './http/messages.js';
import type { CanonicalComparison } from './verification/verify.js';

/** A response as the service wrote it. */
export interface RecordedResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request as it arrived, and its result. */
export interface RecordedRequest {
  /** HTTP method as sent. */
  readonly method: string;
  /** The path of the request line, nothing decoded. */
  readonly rawPath: string;
  /** The path without the gateway's prefix. */
  readonly path: string;
  /** The raw query, without the question mark. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as sent. */
  readonly body: Uint8Array;
  /** The body parsed as JSON; `undefined` if it is not JSON. */
  readonly json: unknown;
  /** @internal Its JSON in the default form, where a profile has another. */
  readonly ownJson: unknown;
  /** The service's clock at its arrival, in Unix milliseconds. */
  readonly receivedAt: number;
  /** Real milliseconds until its response, a fault's latency included; `Infinity`: it never comes. */
  readonly durationMs: number;
  /**
   * `'accepted'` if signature and scope were right, else the error code:
   * `'invalid_signature'`, `'replay_detected'`, `'forbidden'`, … `'public'` for a page that needs
   * no signature. A fault does not change the result.
   */
  readonly verdict: string;
  /** Why the request was not accepted, in a sentence. */
  readonly reason: string | undefined;
  /** The response's status; `undefined` if the connection was reset. */
  readonly status: number | undefined;
  /** The error code of the response, such as `'price_mismatch'`; `undefined` if it has none. */
  readonly errorCode: string | undefined;
  /** The error message of the response. */
  readonly errorMessage: string | undefined;
  /**
   * What the service wrote; `undefined` if a fault kept it from doing anything. A fault may have kept
   * it from the client: after `resetAfterWork` the response is here, and `status` is `undefined`.
   */
  readonly response: RecordedResponse | undefined;
  /**
   * The six lines of the canonical string as the service computed them and as the client signed
   * them; `undefined` if the request did not come as far as that check.
   */
  readonly canonical: CanonicalComparison | undefined;
  /** The endpoint in the specification's spelling: `'GET /orders/{public_id}'`. */
  readonly endpoint: string | undefined;
  /** The X-Request-Id of the response. */
  readonly requestId: string;
  /** Kinds of the faults that applied. */
  readonly faults: readonly string[];
}

type Raw = 'method' | 'rawPath' | 'query' | 'headers' | 'body' | 'json' | 'ownJson';
type Result = Omit<RecordedRequest, Raw> & { readonly toOwn: (json: unknown) => unknown };

/** Builds the entry; the body is parsed on each use of `json`. `toOwn` brings it into the default form. */
export function recordRequest(request: RawRequest, { toOwn, ...result }: Result): RecordedRequest {
  const { method, rawPath, rawQuery, headers, body } = request;
  return {
    method,
    rawPath,
    query: rawQuery,
    headers,
    body,
    ...result,
    get json() {
      return parseJson(body.toString('utf8'));
    },
    get ownJson() {
      return toOwn(this.json);
    },
  };
}
