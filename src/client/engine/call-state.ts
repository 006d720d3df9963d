/** CallState: the mutable state of one call: attempts, outcome, corrections, deadline. */

import { randomUUID } from 'node:crypto';
import type { CallContext } from '../errors/create-error.js';
import type { CallOutcome } from '../errors/market-error.js';
import type { Config } from '../options/config.js';
import type { Attempt } from './attempt.js';
import type { ClientState } from './client-state.js';
import type { CredentialInUse } from './credentials.js';
import { contextOf, type PreparedCall } from './prepare.js';
import type { FailedAttempt } from './retry/attempt-result.js';
import { backoffMs, type RetryReason, type RetryState } from './retry/decide-retry.js';
import { outcomeOfAttempt, worstOutcome } from './retry/outcome.js';
import { Deadline } from '../../core/time/deadline.js';

export class CallState {
  readonly call: PreparedCall;
  readonly deadline: Deadline;
  /** One for each attempt that was started. */
  readonly nonces: string[] = [];
  /** The worst outcome of its attempts. */
  outcome: CallOutcome = 'not_sent';
  /** What the next attempt is signed with. */
  credential: CredentialInUse;
  /** What no error may show: the call's own secrets and those of each credential that it used. */
  secrets: readonly string[];
  readonly #config: Config;
  readonly #client: ClientState;
  #clockCorrected = false;
  #nonceReplaced = false;
  #spentBudget = false;
  /** What the last attempt was signed with. */
  #triedCredential: CredentialInUse | undefined;
  /** Milliseconds waited since the last attempt. */
  #waitedMs = 0;
  /** While an attempt of this call probes a rate limit: when its hold on the other calls ends. */
  #probeUntilMs: number | undefined;

  constructor(call: PreparedCall, config: Config, client: ClientState) {
    this.call = call;
    this.credential = client.credentials.current;
    this.secrets = call.secrets;
    this.deadline = new Deadline(config);
    this.#config = config;
    this.#client = client;
  }

  get attempts(): number {
    return this.nonces.length;
  }

  get remainingMs(): number {
    return this.call.limits.deadlineMs - this.deadline.elapsedMs();
  }

  /** Milliseconds for which the rate limit holds this call. */
  get heldMs(): number {
    return this.credential.rateLimit.remainingMs(this.deadline.nowMs());
  }

  /** Signs the next attempt with this credential. */
  useCredential(credential: CredentialInUse): void {
    const { secret = '' } = credential;
    if (!this.secrets.includes(secret)) this.secrets = [...this.secrets, secret];
    this.credential = credential;
  }

  /** Waits before a retry. */
  sleep(ms: number): Promise<void> {
    this.#waitedMs += ms;
    return this.deadline.sleep(ms, this.call.signal);
  }

  /** Ends early when the hold is lifted. */
  async sleepWhileHeld(ms: number): Promise<void> {
    const { rateLimit } = this.credential;
    const startedMs = this.deadline.nowMs();
    await this.deadline.sleep(ms, this.call.signal, (wake) => rateLimit.onLift(wake));
    this.#waitedMs += this.deadline.nowMs() - startedMs;
  }

  /** The jittered pause after this many attempts. */
  backoffMs(attempts = this.attempts): number {
    return backoffMs(attempts, this.#config.random);
  }

  /** @param remainingMs - what is left of the deadline. */
  beginAttempt(remainingMs: number): Attempt {
    const { call, credential } = this;
    const sentAtMs = this.#client.clock.nowMs();
    const { method, path, query, bodySha256 } = call;
    const timestamp = String(Math.floor(sentAtMs / 1000));
    const lines = { method, path, query, timestamp, nonce: randomUUID(), bodySha256 };
    const timeoutMs = Math.min(call.limits.timeoutMs, remainingMs);
    const delayMs = this.#waitedMs;
    this.#waitedMs = 0;
    this.#probeUntilMs = credential.rateLimit.beginAttempt(this.deadline.nowMs(), timeoutMs);
    this.#triedCredential = credential;
    this.nonces.push(lines.nonce);
    return {
      lines,
      credential,
      secrets: this.secrets,
      timeoutMs,
      limitedByDeadline: remainingMs <= timeoutMs,
      sentAtMs,
      delayMs,
    };
  }

  recordSuccess(): void {
    this.#client.budget.earn(this.#spentBudget);
    if (this.#probeUntilMs !== undefined) this.credential.rateLimit.lift();
  }

  /** Lets the next call probe. @returns whether the last attempt was a probe. */
  endProbe(): boolean {
    const probeUntilMs = this.#probeUntilMs;
    if (probeUntilMs === undefined) return false;
    this.#probeUntilMs = undefined;
    this.credential.rateLimit.endProbe(probeUntilMs);
    return true;
  }

  /** @returns by how much the clock was corrected, in milliseconds, if it was. */
  recordFailure(result: FailedAttempt): number | undefined {
    this.outcome = worstOutcome(this.outcome, outcomeOfAttempt(result, this.call.method));
    const isProbe = this.endProbe();
    if (result.kind !== 'error_response') return undefined;

    const { rateLimited, retryAfterMs, serverDateMs } = result;
    const { rateLimit } = this.credential;
    if (rateLimited && retryAfterMs !== undefined) {
      rateLimit.block(this.deadline.nowMs(), retryAfterMs, this.#config.maxRateLimitHoldMs);
    } else if (isProbe && !rateLimited) rateLimit.lift();

    // Runs even when this call stops here, so that the next call uses the corrected time.
    if (result.code !== 'invalid_timestamp' || serverDateMs === undefined) return undefined;
    const offByMs = serverDateMs - this.#client.clock.nowMs();
    this.#client.clock.correct(serverDateMs);
    return offByMs;
  }

  /**
   * Records a retry: it uses the retry budget, or one of the one-time corrections. A credential is
   * tried once by itself: the attempt makes it the one that was tried.
   */
  recordRetry(reason: RetryReason): void {
    if (reason === 'clock') this.#clockCorrected = true;
    else if (reason === 'nonce') this.#nonceReplaced = true;
    else if (reason !== 'credential') {
      this.#client.budget.spend();
      this.#spentBudget = true;
    }
  }

  get retryState(): RetryState {
    return {
      repeatable: this.call.endpoint.repeatable,
      attempts: this.attempts,
      maxRetries: this.call.limits.maxRetries,
      clockCorrected: this.#clockCorrected,
      nonceReplaced: this.#nonceReplaced,
      hasUntriedCredential: this.credential !== this.#triedCredential,
      remainingMs: this.remainingMs,
      backoffMs: this.backoffMs(),
      budgetAllows: this.#client.budget.allowsRetry,
      maxRateLimitHoldMs: this.#config.maxRateLimitHoldMs,
    };
  }

  /** @param stopReason - why there is no further attempt, if there could have been one. */
  errorContext(stopReason?: string): CallContext {
    const { outcome, secrets } = this;
    return { ...contextOf(this.call), nonces: [...this.nonces], outcome, secrets, stopReason };
  }
}
