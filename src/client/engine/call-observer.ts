/**
 * CallObserver: writes what happens to a call to the log and into its spans. It receives events and
 * runs nothing: a call goes the same way whether or not it is observed.
 */

import { describeCause } from '../../core/errors/cause.js';
import { redact } from '../../core/errors/redact.js';
import { noop, type SafeLogger } from '../../core/logger.js';
import type { CallOutcome } from '../errors/market-error.js';
import type { Config } from '../options/config.js';
import { explainLines } from '../protocol/explain.js';
import type { AttemptFailure, AttemptSpan, CallSpan } from '../tracing.js';
import type { Attempt } from './attempt.js';
import type { CallState } from './call-state.js';
import type { PreparedCall } from './prepare.js';
import type { AttemptResult, FailedAttempt } from './retry/attempt-result.js';
import type { RetryReason } from './retry/decide-retry.js';
import { isTraced } from './trace-call.js';

/** The observer of a call; `undefined` if nothing reads it, as for most calls, which pay nothing. */
export function createObserver(call: PreparedCall, config: Config): CallObserver | undefined {
  const { debug, info, warn } = config.logger;
  const isLogged = debug !== noop || info !== noop || warn !== noop;
  return isLogged || isTraced(config) ? new CallObserver(call, config.logger) : undefined;
}

export class CallObserver {
  readonly span: CallSpan;
  readonly #logger: SafeLogger;
  #attemptSpan: AttemptSpan | undefined;
  #attemptStartedMs = 0;

  constructor({ endpoint, method, context, idempotencyKey }: PreparedCall, logger: SafeLogger) {
    this.span = { call: endpoint.name, method, path: endpoint.path, context };
    if (idempotencyKey !== undefined) this.span.idempotencyKey = idempotencyKey;
    this.#logger = logger;
  }

  attemptStarted(state: CallState, { lines, delayMs }: Attempt): AttemptSpan {
    const { call, method, path, context } = this.span;
    this.#attemptStartedMs = state.deadline.nowMs();
    this.#attemptSpan = {
      call,
      method,
      path,
      context,
      attempt: state.attempts,
      delayMs,
      nonce: lines.nonce,
    };
    return this.#attemptSpan;
  }

  attemptEnded(state: CallState, result: AttemptResult): void {
    const fields = attemptFields(result, state);
    Object.assign(this.#attemptSpan ?? {}, fields);
    // The call's span reports the last attempt; earlier attempts have spans of their own.
    this.span.status = fields.status;
    this.span.requestId = fields.requestId;
    const startedMs = this.#attemptStartedMs;
    const durationMs = () => state.deadline.nowMs() - startedMs;
    this.#log('debug', 'attempt', state, () => ({ ...fields, durationMs: durationMs() }));
  }

  signatureRefused(state: CallState, { lines }: Attempt): void {
    const bodyLength = state.call.body?.length ?? 0;
    this.#log('debug', 'the signature was refused', state, () => ({
      explanation: explainLines(lines, bodyLength),
    }));
  }

  clockCorrected(state: CallState, offByMs: number): void {
    this.#log('info', "the clock was corrected by the service's", state, () => ({ offByMs }));
  }

  retrying(state: CallState, result: FailedAttempt, reason: RetryReason, delayMs: number): void {
    const fields = () => ({ reason, delayMs, ...attemptFields(result, state) });
    this.#log('warn', 'retrying', state, fields);
  }

  held(state: CallState, delayMs: number, until: Date): void {
    const iso = until.toISOString();
    const fields = () => ({ delayMs, until: iso });
    this.#log('warn', `held by the service's rate limit until ${iso}`, state, fields);
  }

  /** @param failure - the outcome of a call that failed. */
  ended({ attempts, nonces }: CallState, failure?: CallOutcome): void {
    this.span.attempts = attempts;
    this.span.nonces = [...nonces];
    if (failure !== undefined) this.span.outcome = failure;
  }

  #log(
    level: 'debug' | 'info' | 'warn',
    message: string,
    { attempts }: CallState,
    fields: () => Record<string, unknown>,
  ): void {
    const write = this.#logger[level];
    if (write === noop) return;
    const { call: name, method, path, context, idempotencyKey } = this.span;
    write(`${name}: ${message}`, {
      ...context,
      call: name,
      method,
      path,
      attempt: attempts,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...fields(),
    });
  }
}

type AttemptFields = Pick<AttemptSpan, 'status' | 'requestId' | 'failure' | 'error'>;

/** The result of an attempt, for its span and for the log. */
function attemptFields(result: AttemptResult, state: CallState): AttemptFields {
  if ('error' in result) {
    const error = describeCause(result.error.cause);
    return { failure: failureOf(result), error: error && withoutQuery(error, state) };
  }
  const { status, requestId } = result;
  return requestId === undefined ? { status } : { status, requestId };
}

function failureOf(result: Extract<AttemptResult, { error: unknown }>): AttemptFailure {
  if (result.kind === 'timeout') return 'timeout';
  return result.kind === 'aborted' ? 'abort' : result.error.kind;
}

/** Some runtimes print the whole address, and a query is not for logs. */
function withoutQuery(text: string, { call: { query }, secrets }: CallState): string {
  const safe = redact(text, secrets);
  return query === '' ? safe : safe.replaceAll(`?${query}`, '');
}
