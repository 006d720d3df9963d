/** One attempt: sign, send, read; within its time, and gone at once when the caller's signal fires. */

import { randomUUID } from 'node:crypto';
import type { Config } from '../config.js';
import type { CanonicalLines } from '../protocol/canonical-string.js';
import { Cutoff, type CutoffCause } from '../transport/cutoff.js';
import { toWireFailure } from '../transport/failure.js';
import { WireFailure, type Transport, type WireOutcome } from '../transport/transport.js';
import { readAnswer, type Reading } from './answer.js';
import { whenAborted } from './caller-signal.js';
import type { PreparedCall } from './prepare.js';
import type { ServiceClock } from './service-clock.js';

export type AttemptResult =
  | Reading
  | {
      readonly kind: 'failure';
      readonly failure: WireFailure;
      readonly cut: CutoffCause | undefined;
    };

/** The lines of the attempt, for the log of a signature that is refused. */
export interface SignedAttempt {
  readonly result: AttemptResult;
  readonly lines: CanonicalLines;
}

export function attempt(
  call: PreparedCall,
  config: Config,
  transport: Transport,
  clock: ServiceClock,
  timeoutMs: number,
): Promise<SignedAttempt> {
  const lines: CanonicalLines = {
    method: call.method,
    path: call.path,
    query: call.query,
    timestamp: clock.timestamp(),
    nonce: randomUUID(),
    bodySha256: call.bodySha256,
  };
  const request = {
    origin: config.origin,
    target: call.target,
    method: call.method,
    headers: {
      ...call.headers,
      'X-Market-Key-Id': config.signer.keyId,
      'X-Market-Timestamp': lines.timestamp,
      'X-Market-Nonce': lines.nonce,
      'X-Market-Signature': config.signer.signature(lines),
    },
    body: call.body,
  };

  const { signal } = call;
  const cutoff = new Cutoff();
  const timer = setTimeout(runOutOfTime, timeoutMs, cutoff);
  const stopListening = whenAborted(signal, () => cutoff.fire('abort', signal?.reason));
  return new Promise((resolve) => {
    transport.send(request, cutoff, (outcome) => {
      clearTimeout(timer);
      stopListening();
      resolve({ result: resultOf(outcome, call, cutoff), lines });
    });
  });
}

function resultOf(outcome: WireOutcome, call: PreparedCall, { why }: Cutoff): AttemptResult {
  if (outcome instanceof WireFailure) return { kind: 'failure', failure: outcome, cut: why };
  try {
    return readAnswer(outcome, call.secrets, call.endpoint.name === 'request');
  } catch (error) {
    // No answer does that, but a dispatcher or a fetch of the caller's may: an order may exist by now.
    return { kind: 'failure', failure: toWireFailure(error, true), cut: why };
  }
}

function runOutOfTime(cutoff: Cutoff): void {
  cutoff.fire('time', new Error('the attempt ran out of time'));
}
