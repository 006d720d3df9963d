/** sendAttempt: signs a call's request and sends it once, within its timeout. */

import type { Config } from '../options/config.js';
import type { Credential } from '../options/credentials.js';
import type { CanonicalLines } from '../protocol/canonical-string.js';
import { Cancellation } from '../transport/cancellation.js';
import {
  TransportError,
  type Transport,
  type TransportRequest,
  type TransportResult,
} from '../transport/transport.js';
import type { PreparedCall } from './prepare.js';
import { toAttemptResult, type AttemptResult, type SentAttempt } from './retry/attempt-result.js';
import { afterReading, afterTurn } from '../../core/time/after-turn.js';
import { onAbort } from '../../core/time/signals.js';

/** What one attempt adds to its call. */
export interface Attempt extends SentAttempt {
  /** The six lines that are signed. */
  readonly lines: CanonicalLines;
  readonly credential: Credential;
  readonly timeoutMs: number;
  /** Milliseconds that the call waited before this attempt. */
  readonly delayMs: number;
}

/** @param traceHeaders - what tracing adds to the request; the call's own headers win. */
export function sendAttempt(
  call: PreparedCall,
  attempt: Attempt,
  config: Config,
  transport: Transport,
  traceHeaders?: Readonly<Record<string, string>>,
): Promise<AttemptResult> {
  const { signal } = call;
  const headers = traceHeaders === undefined ? call.headers : { ...traceHeaders, ...call.headers };
  const signature = attempt.credential.signature(attempt.lines);
  const cancellation = new Cancellation();
  const stopListening = onAbort(signal, () => cancellation.cancel('abort', signal?.reason));
  let timer: NodeJS.Timeout | undefined;
  const startTimer = () => {
    const dueMs = performance.now() + attempt.timeoutMs;
    timer = setTimeout(onTimeout, attempt.timeoutMs, cancellation, dueMs);
  };
  const release = () => {
    clearTimeout(timer);
    stopListening();
  };
  return new Promise((resolve, reject) => {
    const done = (result: TransportResult) => {
      release();
      resolve(toAttemptResult(result, cancellation, attempt, call.endpoint));
    };
    const send = (signed: string) =>
      afterTurn(() => {
        // Not before: a loop that is busy from here on must not end what it has kept from being sent.
        if (timer === undefined) startTimer();
        transport.send(signedRequest(call, attempt, config, headers, signed), cancellation, done);
      });
    // Only an asynchronous signer costs a promise; the client's own is synchronous.
    if (typeof signature === 'string') send(signature);
    else {
      startTimer();
      untilSigned(signature, cancellation).then(
        (signed) => (typeof signed === 'string' ? send(signed) : done(signed)),
        (error: unknown) => {
          release();
          reject(error);
        },
      );
    }
  });
}

function signedRequest(
  call: PreparedCall,
  { lines, credential }: Attempt,
  { origin }: Config,
  headers: Readonly<Record<string, string>>,
  signature: string,
): TransportRequest {
  return {
    origin,
    target: call.target,
    method: call.method,
    headers: {
      ...headers, // one spread, and first: V8 copies an object quickly only there
      'X-Market-Key-Id': credential.keyId ?? '',
      'X-Market-Timestamp': lines.timestamp,
      'X-Market-Nonce': lines.nonce,
      'X-Market-Signature': signature,
    },
    body: call.body,
  };
}

/** The signature, or the failure of an attempt that timed out while its signer was working. */
function untilSigned(
  signature: Promise<string>,
  cancellation: Cancellation,
): Promise<string | TransportError> {
  return new Promise((resolve, reject) => {
    signature.then(resolve, reject);
    cancellation.onCancel(() =>
      resolve(new TransportError('not_sent', { cause: cancellation.reason, retryable: true })),
    );
  });
}

/**
 * A timer that is late fires before the sockets are read, and a response may lie in one of them: a request
 * that was sent ends once a millisecond has brought nothing more of its response.
 */
function onTimeout(cancellation: Cancellation, dueMs: number): void {
  if (performance.now() > dueMs) readOn(cancellation, maxLateReads);
  else timeOut(cancellation);
}

/** A read gives 16 kB of a TLS connection: enough for any page, and an endless response still ends. */
const maxLateReads = 64;

function readOn(cancellation: Cancellation, reads: number): void {
  const { progress } = cancellation;
  const goOn = () => {
    if (cancellation.progress > progress && reads > 0) readOn(cancellation, reads - 1);
    else timeOut(cancellation);
  };
  // What was not sent yet must not be sent now.
  if (progress === 0) timeOut(cancellation);
  else afterReading(goOn);
}

function timeOut(cancellation: Cancellation): void {
  cancellation.cancel('timeout', new Error('the attempt timed out'));
}
