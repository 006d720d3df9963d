/** runCall: sends a call until it succeeds, may not be repeated, or is out of time. */

import {
  abortedError,
  closedError,
  configurationError,
  internalError,
  rateLimitHoldError,
  timeoutError,
} from '../errors/create-error.js';
import { ConfigurationError } from '../errors/configuration-error.js';
import { MarketError } from '../errors/market-error.js';
import type { Config } from '../options/config.js';
import { sendAttempt } from './attempt.js';
import { CallState } from './call-state.js';
import type { CallObserver } from './call-observer.js';
import type { ClientState } from './client-state.js';
import type { CompletedCall } from './completed-call.js';
import { callCredential } from './call-credential.js';
import { errorFor, refusedCredentialError, stopReasons } from './error-for.js';
import { createObserver } from './observer.js';
import { withCallContext, type PreparedCall } from './prepare.js';
import type { AttemptResult } from './retry/attempt-result.js';
import { decideRetry } from './retry/decide-retry.js';

export function runCall(
  call: PreparedCall,
  config: Config,
  client: ClientState,
): Promise<CompletedCall> {
  const observer = createObserver(call, config);
  return observer.call(() => run(new CallState(call, config, client), config, client, observer));
}

const nextMicrotask = Promise.resolve();

async function run(
  state: CallState,
  config: Config,
  client: ClientState,
  observer: CallObserver,
): Promise<CompletedCall> {
  const { call } = state;
  const credential = config.credentials && callCredential(state, client.credentials, config);
  client.transport.acquire();
  try {
    if (client.transport.closed) throw closedError(state.errorContext());
    for (let delayMs = 0; ;) {
      // A signal that is aborted in the turn of the call prevents the request.
      if (call.signal !== undefined) await nextMicrotask;
      for (;;) {
        if (credential !== undefined) {
          requireTimeLeft(state); // do not call the credentials function for an aborted call
          await credential.use(); // again after a hold, which may outlast a credential
        }
        if (state.heldMs === 0) break;
        delayMs += await waitForRateLimit(state, config, observer);
      }

      const attempt = state.startAttempt(requireTimeLeft(state));
      const { transport } = client.transport;
      const result = await observer.attempt(state, delayMs, (traceHeaders) =>
        sendAttempt(call, attempt, config, transport, traceHeaders),
      );
      if (result.kind === 'success') return complete(state, result);

      const offByMs = state.fail(result);
      observer.failedAttempt(state, result, offByMs);
      const notReplaced = await credential?.replace(result);
      if (notReplaced !== undefined) throw refusedCredentialError(result, state, notReplaced);
      const decision = decideRetry(result, state.retryState);
      if (!decision.retry) throw errorFor(result, state, stopReasons[decision.reason]);

      state.recordRetry(decision.reason);
      observer.retry(state, result, decision);
      delayMs = decision.delayMs;
      if (delayMs > 0) await state.sleep(delayMs);
    }
  } catch (error) {
    observer.failed(state);
    throw toCallError(error, state);
  } finally {
    state.endProbe(); // one whose signer threw has no result
    client.transport.release();
  }
}

function complete(
  state: CallState,
  { status, headers, body, requestId }: Extract<AttemptResult, { kind: 'success' }>,
): CompletedCall {
  state.succeed();
  const { call, attempts, nonces } = state;
  const { idempotencyKey } = call;
  const response = { status, headers, body, requestId, attempts, idempotencyKey };
  return { call, response, nonces };
}

/** Waits while a Retry-After holds the client's calls; throws where that wait does not fit. */
async function waitForRateLimit(
  state: CallState,
  config: Config,
  observer: CallObserver,
): Promise<number> {
  const startedMs = state.deadline.nowMs();
  for (;;) {
    const { heldMs } = state;
    if (heldMs === 0) return state.deadline.nowMs() - startedMs;
    const remainingMs = requireTimeLeft(state);
    // Spread out, so that the held calls do not all arrive at the moment at which the hold ends.
    const delayMs = heldMs + state.backoffMs(1);
    const until = new Date(config.clock() + heldMs);
    if (delayMs >= remainingMs) throw rateLimitHoldError(state.errorContext(), heldMs, until);
    observer.held(state, delayMs, until);
    await state.sleepWhileHeld(delayMs);
  }
}

/** Milliseconds left. Throws when there are none, or the caller aborted; a sleep may overrun both. */
function requireTimeLeft(state: CallState): number {
  const { signal, limits } = state.call;
  if (signal?.aborted === true) throw abortedError(state.errorContext(), signal.reason);
  const { remainingMs } = state;
  if (remainingMs > 0) return remainingMs;
  throw timeoutError(state.errorContext(), 'deadline', limits, undefined);
}

/** Adds the call's details to any error, so that even a failing injected `sleep` reports the idempotency key. */
function toCallError(thrown: unknown, state: CallState): MarketError {
  const error = withCallContext(state.call, thrown);
  const { signal } = state.call;
  const isReason = signal?.aborted === true && error === signal.reason;
  if (error instanceof ConfigurationError && error.method === undefined) {
    return configurationError(state.errorContext(), error);
  }
  if (error instanceof MarketError && !isReason) return error;
  if (signal?.aborted === true) return abortedError(state.errorContext(), signal.reason);
  return internalError(state.errorContext(), error);
}
