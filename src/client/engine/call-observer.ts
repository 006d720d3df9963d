/** CallObserver: what a call reports while it runs, and the silent observer of calls without readers. */

import { noop } from '../../logger.js';
import type { CallState } from './call-state.js';
import type { CompletedCall } from './completed-call.js';
import type { AttemptResult, FailedAttempt } from './retry/attempt-result.js';
import type { Decision } from './retry/decide-retry.js';

/** @param headers - what tracing adds to the request, such as `traceparent`. */
export type SendAttempt = (headers?: Readonly<Record<string, string>>) => Promise<AttemptResult>;

export interface CallObserver {
  call(run: () => Promise<CompletedCall>): Promise<CompletedCall>;
  /** @param delayMs - what was waited before the attempt. */
  attempt(state: CallState, delayMs: number, send: SendAttempt): Promise<AttemptResult>;
  /** @param offByMs - by how much the response corrected the clock, where it did. */
  failedAttempt(state: CallState, result: FailedAttempt, offByMs: number | undefined): void;
  retry(
    state: CallState,
    result: FailedAttempt,
    decision: Extract<Decision, { retry: true }>,
  ): void;
  held(state: CallState, delayMs: number, until: Date): void;
  failed(state: CallState): void;
}

/** Most calls have neither logger nor subscriber: nothing is built for them. */
export const silentObserver: CallObserver = {
  call: (run) => run(),
  attempt: (_state, _delayMs, send) => send(),
  failedAttempt: noop,
  retry: noop,
  held: noop,
  failed: noop,
};
