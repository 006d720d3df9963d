/** One attempt: sign, send, read; within its time, and gone at once when the caller's signal fires. */

import { randomUUID } from 'node:crypto';
import type { Config } from '../config.js';
import type { CanonicalLines } from '../protocol/canonical-string.js';
import { Cutoff, type CutoffCause } from '../transport/cutoff.js';
import { WireFailure, type Transport } from '../transport/transport.js';
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

export async function attempt(
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

  const cutoff = new Cutoff();
  const timer = setTimeout(runOutOfTime, timeoutMs, cutoff);
  const { signal } = call;
  const stopListening = signal && whenAborted(signal, () => cutoff.fire('abort', signal.reason));
  try {
    const answer = await transport.send(request, cutoff);
    const emptyAllowed = call.endpoint.name === 'request';
    return { result: readAnswer(answer, call.secrets, emptyAllowed), lines };
  } catch (error) {
    if (!(error instanceof WireFailure)) throw error;
    return { result: { kind: 'failure', failure: error, cut: cutoff.why }, lines };
  } finally {
    clearTimeout(timer);
    stopListening?.();
  }
}

function runOutOfTime(cutoff: Cutoff): void {
  cutoff.fire('time', new Error('the attempt ran out of time'));
}
