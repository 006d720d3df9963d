/**
 * One call's life: attempt, judge, wait, until there is an answer or nothing more to try. This and
 * the modules beside it are the only ones that know time, waiting and failure.
 */

import {
  abortedError,
  connectionError,
  heldError,
  refusalError,
  timeoutError,
  unexpectedError,
  type FailedCall,
} from '../errors/of-call.js';
import { ConfigurationError } from '../errors/before-sending.js';
import type { CallOutcome, MarketError } from '../errors/market-error.js';
import type { Config } from '../config.js';
import { explainLines } from '../protocol/explain.js';
import { describeFailure } from '../transport/describe.js';
import { attempt, type AttemptResult, type SignedAttempt } from './attempt.js';
import type { Answered } from './call-promise.js';
import { happeningOf, type FailedAttempt } from './happening.js';
import { silent } from './logger.js';
import { outcomeOf, worse } from './outcome.js';
import type { PreparedCall } from './prepare.js';
import { backoffMs, decideRetry, type Decision } from './retry.js';
import type { Runtime } from './runtime.js';
import { answerDateMs } from './service-clock.js';
import { attemptSpan, callSpan, factsOf } from './span-facts.js';
import { Stopwatch } from './stopwatch.js';
import { channels, isWatched, trace, type AttemptSpan, type CallSpan } from './trace.js';

type Success = Extract<AttemptResult, { kind: 'success' }>;

export function runCall(call: PreparedCall, config: Config, runtime: Runtime): Promise<Answered> {
  if (!isWatched(channels.call)) return new CallLife(call, config, runtime, undefined).run();
  const span = callSpan(call);
  return trace(channels.call, span, () => new CallLife(call, config, runtime, span).run());
}

const endOfTurn = Promise.resolve();

class CallLife {
  readonly #call: PreparedCall;
  readonly #config: Config;
  readonly #runtime: Runtime;
  /** There only where somebody watches. */
  readonly #span: CallSpan | undefined;
  readonly #watch: Stopwatch;
  #attempts = 0;
  #outcome: CallOutcome = 'not_sent';
  #clockCorrected = false;
  #nonceReplaced = false;
  #paidForRetry = false;
  /** Whether the attempt's time is what the deadline leaves, not `timeoutMs`. */
  #lastOfDeadline = false;

  constructor(call: PreparedCall, config: Config, runtime: Runtime, span: CallSpan | undefined) {
    this.#call = call;
    this.#config = config;
    this.#runtime = runtime;
    this.#span = span;
    this.#watch = new Stopwatch(config);
  }

  async run(): Promise<Answered> {
    const { connection, budget } = this.#runtime;
    connection.enter();
    try {
      this.#refuseWhenClosed();
      for (let delayMs = 0; ;) {
        if (this.#heldMs() > 0) delayMs += await this.#passGate();
        // Whoever gives a call up in the turn in which it was made sends nothing.
        else if (this.#call.signal !== undefined) await endOfTurn;
        const { result, lines } = await this.#attempt(delayMs);
        if (result.kind === 'success') {
          budget.earn(this.#paidForRetry);
          return this.#answered(result);
        }
        this.#outcome = worse(this.#outcome, outcomeOf(result, this.#call.method));
        if (result.kind === 'refusal' && result.code === 'invalid_signature') {
          this.#log('debug', 'the signature was refused', () => ({
            explanation: explainLines(lines, this.#call.body?.length ?? 0),
          }));
        }
        delayMs = await this.#beforeNext(result);
      }
    } catch (error) {
      if (this.#span !== undefined) {
        this.#span.attempts = this.#attempts;
        this.#span.outcome = this.#outcome;
      }
      throw error;
    } finally {
      connection.leave();
    }
  }

  #answered({ status, headers, body, requestId }: Success): Answered {
    const { idempotencyKey } = this.#call;
    const attempts = this.#attempts;
    const response = { status, headers, body, requestId, attempts, idempotencyKey };
    return { call: this.#call, response };
  }

  #refuseWhenClosed(): void {
    if (!this.#runtime.connection.closed) return;
    const { method, path, idempotencyKey } = this.#call;
    throw new ConfigurationError(
      `${method} ${path}: the client was closed: make a new MarketClient. Nothing was sent.`,
      { method, path, attempts: 0, idempotencyKey, outcome: 'not_sent' },
    );
  }

  /** Waits while a Retry-After holds the client's calls; fails now where that wait does not fit. */
  async #passGate(): Promise<number> {
    for (let waitedMs = 0; ;) {
      const heldMs = this.#heldMs();
      if (heldMs === 0) return waitedMs;
      const remainingMs = this.#remainingOrRefuse();
      // Spread out, so that the held calls do not all arrive at the moment at which the gate opens.
      const delayMs = heldMs + backoffMs(1, this.#config.random);
      if (delayMs >= remainingMs) throw heldError(this.#failed(), heldMs);
      this.#log('warn', 'waiting: the service asked this client to slow down', () => ({ delayMs }));
      await this.#wait(delayMs);
      waitedMs += delayMs;
    }
  }

  #heldMs(): number {
    return this.#runtime.gate.remainingMs(this.#watch.nowMs());
  }

  /** No attempt starts for a caller who gave up, or after the deadline: a wait can end late. */
  #remainingOrRefuse(): number {
    if (this.#call.signal?.aborted === true) throw this.#aborted();
    const remainingMs = this.#remainingMs();
    if (remainingMs > 0) return remainingMs;
    throw timeoutError(this.#failed(), 'deadline', this.#call.limits, undefined);
  }

  #attempt(delayMs: number): Promise<SignedAttempt> {
    const { timeoutMs } = this.#call.limits;
    const remainingMs = this.#remainingOrRefuse();
    const leftMs = Math.min(timeoutMs, remainingMs);
    this.#lastOfDeadline = remainingMs <= timeoutMs;
    this.#attempts += 1;
    if (!isWatched(channels.attempt)) {
      const isTold = this.#span !== undefined || this.#config.logger.debug !== silent;
      return isTold ? this.#sendAndTell(leftMs) : this.#send(leftMs);
    }
    const span = attemptSpan(this.#call, this.#attempts, delayMs);
    return trace(channels.attempt, span, () => this.#sendAndTell(leftMs, span));
  }

  #send(timeoutMs: number): Promise<SignedAttempt> {
    const { connection, clock } = this.#runtime;
    return attempt(this.#call, this.#config, connection.transport, clock, timeoutMs);
  }

  /** Sends an attempt, and tells the spans and the log what came of it. */
  async #sendAndTell(timeoutMs: number, span?: AttemptSpan): Promise<SignedAttempt> {
    const startedMs = this.#watch.nowMs();
    const signed = await this.#send(timeoutMs);
    const facts = () => factsOf(signed.result, this.#call);
    if (span !== undefined) Object.assign(span, facts());
    if (this.#span !== undefined) {
      // The call's span has the last answer; what an earlier attempt met is on that attempt's own.
      const { status, requestId } = facts();
      Object.assign(this.#span, { attempts: this.#attempts, status, requestId });
    }
    this.#log('debug', 'attempt', () => ({
      ...facts(),
      durationMs: this.#watch.nowMs() - startedMs,
    }));
    return signed;
  }

  /** Judges a failed attempt: waits for the next and gives the delay, or throws the call's error. */
  async #beforeNext(result: FailedAttempt): Promise<number> {
    const happening = happeningOf(result, this.#runtime.clock.nowMs(), this.#lastOfDeadline);
    const answer = happening.kind === 'answer' ? happening : undefined;
    const retryAfterMs = answer?.retryAfterMs;
    // The limit is the credential's; a failing gateway's Retry-After is this call's alone.
    if (retryAfterMs !== undefined && (answer?.status === 429 || answer?.code === 'rate_limited')) {
      this.#runtime.gate.holdUntil(this.#watch.nowMs() + retryAfterMs);
    }
    const decision = decideRetry(happening, {
      repeatable: this.#call.endpoint.repeatable,
      attempts: this.#attempts,
      maxRetries: this.#call.limits.maxRetries,
      clockCorrected: this.#clockCorrected,
      nonceReplaced: this.#nonceReplaced,
      remainingMs: this.#remainingMs(),
      backoffMs: backoffMs(this.#attempts, this.#config.random),
      budgetAllows: this.#runtime.budget.allowsRetry,
    });
    this.#correctClock(result);
    if (!decision.retry) throw this.#error(result, decision, retryAfterMs);

    const { reason, delayMs } = decision;
    this.#clockCorrected ||= reason === 'clock';
    this.#nonceReplaced ||= reason === 'nonce';
    if (reason !== 'clock' && reason !== 'nonce') {
      this.#runtime.budget.spend();
      this.#paidForRetry = true;
    }
    this.#log('warn', 'retrying', () => ({ reason, delayMs, ...factsOf(result, this.#call) }));
    if (delayMs > 0) await this.#wait(delayMs);
    return delayMs;
  }

  /** Also where no attempt follows: the next call is then right at once. */
  #correctClock(result: FailedAttempt): void {
    if (result.kind !== 'refusal' || result.code !== 'invalid_timestamp') return;
    const dateMs = answerDateMs(result.headers);
    if (dateMs === undefined) return;
    const offByMs = dateMs - this.#runtime.clock.nowMs();
    this.#runtime.clock.correct(dateMs);
    this.#log('info', "the clock was corrected by the service's", () => ({ offByMs }));
  }

  #error(
    result: FailedAttempt,
    decision: Extract<Decision, { retry: false }>,
    retryAfterMs: number | undefined,
  ): MarketError {
    const call = this.#failed(gaveUp[decision.because]);
    if (result.kind === 'refusal') return refusalError(call, result, retryAfterMs);
    if (result.kind === 'stranger') return unexpectedError(call, result, result.what);
    const { failure, cut } = result;
    if (cut === 'abort') return this.#aborted();
    if (cut === 'time') {
      const which = this.#lastOfDeadline ? 'deadline' : 'attempt';
      return timeoutError(call, which, this.#call.limits, failure.head);
    }
    return connectionError(call, describeFailure(failure), failure.cause, failure.head);
  }

  async #wait(ms: number): Promise<void> {
    try {
      await this.#watch.wait(ms, this.#call.signal);
    } catch (error) {
      if (this.#call.signal?.aborted === true) throw this.#aborted();
      throw error;
    }
  }

  #remainingMs(): number {
    return this.#call.limits.deadlineMs - this.#watch.passedMs();
  }

  #aborted(): MarketError {
    return abortedError(this.#failed(), this.#call.signal?.reason);
  }

  #failed(gaveUpBecause?: string): FailedCall {
    const { endpoint, method, path, idempotencyKey } = this.#call;
    return {
      name: endpoint.keyed ? 'orders.create' : endpoint.name,
      method,
      path,
      repeatable: endpoint.repeatable,
      scopes: endpoint.scopes,
      idempotencyKey,
      attempts: this.#attempts,
      outcome: this.#outcome,
      gaveUp: gaveUpBecause,
    };
  }

  #log(
    level: 'debug' | 'info' | 'warn',
    message: string,
    fields: () => Record<string, unknown>,
  ): void {
    const write = this.#config.logger[level];
    if (write === silent) return;
    const { endpoint, method, idempotencyKey } = this.#call;
    write(`${endpoint.name}: ${message}`, {
      call: endpoint.name,
      method,
      path: endpoint.path,
      attempt: this.#attempts,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...fields(),
    });
  }
}

const gaveUp: Record<Extract<Decision, { retry: false }>['because'], string | undefined> = {
  final: undefined,
  not_repeatable: 'not repeated, since a second one could do harm',
  no_retries_left: undefined,
  no_budget: 'not repeated: too many calls of this client are failing',
  no_time: 'not repeated: no time is left for another attempt',
};
