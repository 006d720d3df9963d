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
import { sendAttempt, type Attempt } from './attempt.js';
import { createObserver, type CallObserver } from './call-observer.js';
import { CallState } from './call-state.js';
import type { ClientState } from './client-state.js';
import type { CompletedCall } from './completed-call.js';
import { CredentialRefresher } from './credential-refresher.js';
import { errorFor, refusedCredentialError, stopReasons } from './error-for.js';
import { withCallContext, type PreparedCall } from './prepare.js';
import type { AttemptResult, FailedAttempt } from './retry/attempt-result.js';
import { decideRetry } from './retry/decide-retry.js';
import { traceAttempt, traceCall } from './trace-call.js';

export function runCall(
  call: PreparedCall,
  config: Config,
  client: ClientState,
): Promise<CompletedCall> {
  const state = new CallState(call, config, client);
  const observer = createObserver(call, config);
  if (observer === undefined) return sendUntilDone(state, config, client, undefined);
  return traceCall(observer.span, config, () => sendUntilDone(state, config, client, observer));
}

const nextMicrotask = Promise.resolve();

async function sendUntilDone(
  state: CallState,
  config: Config,
  client: ClientState,
  observer: CallObserver | undefined,
): Promise<CompletedCall> {
  const { transport } = client;
  const refresher =
    config.credentials && new CredentialRefresher(state, client.credentials, config);
  transport.acquire();
  try {
    if (transport.closed) throw closedError(state.errorContext());
    // A signal that aborts in the same turn as the call prevents the request.
    if (state.call.signal !== undefined) await nextMicrotask;
    for (;;) {
      const mayStartNow = refresher === undefined && state.isFree;
      if (mayStartNow) requireTimeLeft(state);
      else await untilAllowed(state, config, refresher, observer);
      const attempt = state.beginAttempt();
      const result = await send(state, attempt, config, client, observer);
      if (result.kind === 'success') return complete(state, result, observer);

      recordFailure(state, attempt, result, observer);
      const notReplaced = await refresher?.replaceRefused(result);
      if (notReplaced !== undefined) throw refusedCredentialError(result, state, notReplaced);
      const decision = decideRetry(result, state.retryState);
      if (!decision.retry) throw errorFor(result, state, stopReasons[decision.reason]);

      state.recordRetry(decision);
      observer?.retrying(state, result, decision.reason, decision.delayMs);
      if (decision.cost !== 'paced' && decision.delayMs > 0) await state.sleep(decision.delayMs);
    }
  } catch (error) {
    observer?.ended(state, state.outcome);
    throw toCallError(error, state);
  } finally {
    state.endAttempt(); // one whose signer threw has no result
    state.leaveQueue();
    transport.release();
  }
}

/** Waits until there is a credential for the next attempt, and its pacer lets it start. */
async function untilAllowed(
  state: CallState,
  config: Config,
  refresher: CredentialRefresher | undefined,
  observer: CallObserver | undefined,
): Promise<void> {
  let loggedUntilMs = state.attempts === 0 ? -Infinity : Infinity; // its own response was logged
  for (;;) {
    requireTimeLeft(state); // do not call the credentials function for an aborted call
    // Once more after each wait, which may outlast a credential.
    if (refresher !== undefined) await refresher.refresh();
    const remainingMs = requireTimeLeft(state);
    const waitMs = state.waitMs();
    // In the same turn as the question: in a later one, a second call could go first too.
    if (waitMs === 0) return;
    const { heldMs } = state;
    const nowMs = config.clock();
    const until = new Date(nowMs + heldMs);
    if (heldMs >= remainingMs || heldMs + state.leastMs > remainingMs) {
      throw rateLimitHoldError(state.errorContext(), heldMs, until);
    }
    if (heldMs > 0 && nowMs + heldMs > loggedUntilMs) observer?.held(state, heldMs, until);
    loggedUntilMs = Math.max(loggedUntilMs, nowMs + heldMs);
    await state.sleepUntilTurn(waitMs);
  }
}

/** Sends one attempt. Without an observer it costs no promise of its own. */
function send(
  state: CallState,
  attempt: Attempt,
  config: Config,
  client: ClientState,
  observer: CallObserver | undefined,
): Promise<AttemptResult> {
  const { call } = state;
  const { transport } = client.transport;
  if (observer === undefined) return sendAttempt(call, attempt, config, transport);
  const span = observer.attemptStarted(state, attempt);
  return traceAttempt(span, call.path, config, async (headers) => {
    const result = await sendAttempt(call, attempt, config, transport, headers);
    observer.attemptEnded(state, result);
    return result;
  });
}

function recordFailure(
  state: CallState,
  attempt: Attempt,
  result: FailedAttempt,
  observer: CallObserver | undefined,
): void {
  const offByMs = state.recordFailure(result);
  if (observer === undefined || result.kind !== 'error_response') return;
  if (result.code === 'invalid_signature') observer.signatureRefused(state, attempt);
  if (offByMs !== undefined) observer.clockCorrected(state, offByMs);
}

function complete(
  state: CallState,
  { status, headers, body, requestId }: Extract<AttemptResult, { kind: 'success' }>,
  observer: CallObserver | undefined,
): CompletedCall {
  state.recordSuccess();
  observer?.ended(state);
  const { call, attempts, nonces, secrets } = state;
  const { idempotencyKey } = call;
  const response = { status, headers, body, requestId, attempts, idempotencyKey };
  return { call, response, nonces, secrets };
}

/** Milliseconds left. Throws when there are none, or the caller aborted; a sleep may overrun both. */
function requireTimeLeft(state: CallState): number {
  const { signal, limits } = state.call;
  if (signal?.aborted === true) throw abortedError(state.errorContext(), signal.reason);
  const { remainingMs } = state;
  if (remainingMs > 0 && remainingMs >= state.leastMs) return remainingMs;
  throw timeoutError(state.errorContext(), 'deadline', limits, {});
}

/** Adds the call's details to any error, so that even a failing injected `sleep` reports the idempotency key. */
function toCallError(thrown: unknown, state: CallState): MarketError {
  const { signal } = state.call;
  // First of all: the reason may be an error of this package, which says of another call what was sent.
  if (signal?.aborted === true && thrown === signal.reason) {
    return abortedError(state.errorContext(), thrown);
  }
  const error = withCallContext(state.call, thrown);
  if (error instanceof ConfigurationError && error.method === undefined) {
    return configurationError(state.errorContext(), error);
  }
  if (error instanceof MarketError) return error;
  if (signal?.aborted === true) return abortedError(state.errorContext(), signal.reason);
  return internalError(state.errorContext(), error);
}
