/** createObserver: writes what a call does to the log and to the diagnostics channels. */

import type { Config } from '../options/config.js';
import { noop, type SafeLogger } from '../../logger.js';
import { explainLines } from '../protocol/explain.js';
import type { CompletedCall } from './completed-call.js';
import { attemptFields } from './attempt-fields.js';
import { silentObserver, type CallObserver, type SendAttempt } from './call-observer.js';
import type { CallState } from './call-state.js';
import { channels } from './diagnostics.js';
import type { AttemptSpan, CallSpan } from '../tracing.js';
import { hasSubscribers, runTraced, tracePromise } from '../../tracing.js';
import type { PreparedCall } from './prepare.js';
import type { AttemptResult, FailedAttempt } from './retry/attempt-result.js';
import type { Decision } from './retry/decide-retry.js';

export function createObserver(call: PreparedCall, config: Config): CallObserver {
  const { logger, tracing } = config;
  const isTraced = hasSubscribers(channels.call) || hasSubscribers(channels.attempt);
  const isLogged = logger.debug !== noop || logger.info !== noop || logger.warn !== noop;
  const isObserved = isTraced || isLogged || tracing !== undefined;
  return isObserved ? new ActiveObserver(call, config) : silentObserver;
}

class ActiveObserver implements CallObserver {
  readonly #call: PreparedCall;
  readonly #logger: SafeLogger;
  readonly #config: Config;
  readonly #span: CallSpan;

  constructor(call: PreparedCall, config: Config) {
    const { endpoint, method, context, idempotencyKey } = call;
    const span = { call: endpoint.name, method, path: endpoint.path, context };
    this.#call = call;
    this.#logger = config.logger;
    this.#config = config;
    this.#span = idempotencyKey === undefined ? span : { ...span, idempotencyKey };
  }

  call(run: () => Promise<CompletedCall>): Promise<CompletedCall> {
    const { tracing, origin, environment } = this.#config;
    const span = this.#span;
    const published = () =>
      hasSubscribers(channels.call) ? tracePromise(channels.call, span, run) : run();
    if (tracing === undefined) return published();
    return runTraced((traced) => tracing.call({ span, origin, environment }, traced), published);
  }

  attempt(state: CallState, delayMs: number, send: SendAttempt): Promise<AttemptResult> {
    const { endpoint, method, path, context } = this.#call;
    const span: AttemptSpan = {
      call: endpoint.name,
      method,
      path: endpoint.path,
      context,
      attempt: state.attempts,
      delayMs,
      nonce: state.nonces.at(-1) ?? '',
    };
    const { tracing, origin } = this.#config;
    const published = (headers?: Readonly<Record<string, string>>) => {
      const observed = () => this.#send(state, span, () => send(headers));
      return hasSubscribers(channels.attempt)
        ? tracePromise(channels.attempt, span, observed)
        : observed();
    };
    if (tracing?.attempt === undefined) return published();
    const traced = { span, origin, url: origin + path };
    return runTraced((run) => tracing.attempt?.(traced, run), published);
  }

  async #send(
    state: CallState,
    span: AttemptSpan,
    send: () => Promise<AttemptResult>,
  ): Promise<AttemptResult> {
    const startedMs = state.deadline.nowMs();
    const result = await send();
    const fields = attemptFields(result, this.#call);
    Object.assign(span, fields);
    // The call span reports the last attempt; earlier attempts have spans of their own.
    const callSpan = this.#span;
    callSpan.attempts = state.attempts;
    callSpan.nonces = [...state.nonces];
    callSpan.status = fields.status;
    callSpan.requestId = fields.requestId;
    const durationMs = () => state.deadline.nowMs() - startedMs;
    this.#log('debug', 'attempt', state, () => ({ ...fields, durationMs: durationMs() }));
    return result;
  }

  failedAttempt(state: CallState, result: FailedAttempt, offByMs: number | undefined): void {
    const { lines } = state;
    if (result.kind !== 'error_response') return;
    if (result.code === 'invalid_signature' && lines !== undefined) {
      this.#log('debug', 'the signature was refused', state, () => ({
        explanation: explainLines(lines, this.#call.body?.length ?? 0),
      }));
    }
    if (offByMs === undefined) return;
    this.#log('info', "the clock was corrected by the service's", state, () => ({ offByMs }));
  }

  retry(
    state: CallState,
    result: FailedAttempt,
    { reason, delayMs }: Extract<Decision, { retry: true }>,
  ): void {
    const fields = () => ({ reason, delayMs, ...attemptFields(result, this.#call) });
    this.#log('warn', 'retrying', state, fields);
  }

  held(state: CallState, delayMs: number, until: Date): void {
    const iso = until.toISOString();
    const fields = () => ({ delayMs, until: iso });
    this.#log('warn', `held by the service's rate limit until ${iso}`, state, fields);
  }

  failed({ attempts, nonces, outcome }: CallState): void {
    Object.assign(this.#span, { attempts, nonces: [...nonces], outcome });
  }

  #log(
    level: 'debug' | 'info' | 'warn',
    message: string,
    { attempts }: CallState,
    fields: () => Record<string, unknown>,
  ): void {
    const write = this.#logger[level];
    if (write === noop) return;
    const { call: name, method, path, context, idempotencyKey } = this.#span;
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
