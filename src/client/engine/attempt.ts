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
import type { ExpectedResponse } from '../responses/parse-response.js';
import type { PreparedCall } from './prepare.js';
import { toAttemptResult, type AttemptResult, type SentAttempt } from './retry/attempt-result.js';
import type { Deadline } from '../../core/time/deadline.js';
import { afterReading, afterTurn } from '../../core/time/after-turn.js';
import { onAbort } from '../../core/time/signals.js';

/** What one attempt adds to its call. */
export interface Attempt extends SentAttempt {
  /** The six lines that are signed. */
  readonly lines: CanonicalLines;
  readonly credential: Credential;
  readonly deadline: Deadline;
  /** How much of the deadline must be left when the attempt has its connection. */
  readonly leastMs: number;
  /** Milliseconds that the call waited before this attempt. */
  readonly delayMs: number;
}

type TimeoutCause = 'timeout' | 'deadline';

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
  let timer: NodeJS.Timeout | undefined;
  const endAfter = (ms: number, cause: TimeoutCause) => {
    clearTimeout(timer);
    timer = setTimeout(onTimeout, Math.max(0, ms), cancellation, performance.now() + ms, cause);
  };
  const remainingMs = () => call.limits.deadlineMs - attempt.deadline.elapsedMs();
  let isDone = false;
  const startTimer = () => {
    if (isDone) return;
    const { timeoutMs } = call.limits;
    const leftMs = remainingMs();
    if (leftMs < attempt.leastMs) timeOut(cancellation, 'deadline');
    else if (leftMs <= timeoutMs) endAfter(leftMs, 'deadline');
    else endAfter(timeoutMs, 'timeout');
  };
  // Time in the client's own queue is not the service's: the deadline alone bounds it.
  const cancellation = new Cancellation(startTimer);
  const stopListening = onAbort(signal, () => cancellation.cancel('abort', signal?.reason));
  const release = () => {
    isDone = true;
    clearTimeout(timer);
    stopListening();
  };
  return new Promise((resolve, reject) => {
    const done = (result: TransportResult) => {
      release();
      resolve(toAttemptResult(result, cancellation, attempt, expectedOf(call)));
    };
    const send = (signed: string) =>
      afterTurn(() => {
        // Not before: a loop that is busy from here on must not end what it has kept from being sent.
        transport.send(signedRequest(call, attempt, config, headers, signed), cancellation, done);
        if (cancellation.isConnected || isDone) return;
        cancellation.isQueued = true;
        endAfter(remainingMs(), 'deadline');
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

function expectedOf({ endpoint, profile }: PreparedCall): ExpectedResponse {
  return profile === undefined ? endpoint : { ...endpoint, profile };
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
function onTimeout(cancellation: Cancellation, dueMs: number, cause: TimeoutCause): void {
  if (performance.now() > dueMs) readOn(cancellation, maxLateReads, cause);
  else timeOut(cancellation, cause);
}

/** A read gives 16 kB of a TLS connection: enough for any page, and an endless response still ends. */
const maxLateReads = 64;

function readOn(cancellation: Cancellation, reads: number, cause: TimeoutCause): void {
  const { progress } = cancellation;
  const goOn = () => {
    if (cancellation.progress > progress && reads > 0) readOn(cancellation, reads - 1, cause);
    else timeOut(cancellation, cause);
  };
  // What was not sent yet must not be sent now.
  if (progress === 0) timeOut(cancellation, cause);
  else afterReading(goOn);
}

function timeOut(cancellation: Cancellation, cause: TimeoutCause): void {
  cancellation.cancel(cause, new Error('the attempt timed out'));
}
