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
import { backoffMs } from './retry/backoff.js';
import { isAskedWait, type Decision, type RetryState } from './retry/decide-retry.js';
import { isRead, outcomeOfAttempt, worstOutcome } from './retry/outcome.js';
import type { Pacer, Place } from './retry/pacer.js';
import type { RetryBudget } from './retry/retry-budget.js';
import { Deadline } from '../../core/time/deadline.js';
import { pause } from '../../core/time/sleep.js';

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
  readonly #isRead: boolean;
  readonly #budget: RetryBudget;
  #clockCorrected = false;
  #nonceReplaced = false;
  #spentBudget = false;
  /** What the last attempt was signed with. */
  #triedCredential: CredentialInUse | undefined;
  /** Milliseconds waited since the last attempt. */
  #waitedMs = 0;
  #failures = 0;
  /** Where this call waits for its turn, and with whose pacer. */
  #place: Place | undefined;
  #pacer: Pacer | undefined;
  /** The running attempt, as its pacer counts it. */
  #paced: { readonly pacer: Pacer; readonly begun: number } | undefined;

  constructor(call: PreparedCall, config: Config, client: ClientState) {
    this.call = call;
    this.credential = client.credentials.current;
    this.secrets = call.secrets;
    this.deadline = new Deadline(config);
    this.#config = config;
    this.#client = client;
    this.#isRead = isRead(call.method);
    this.#budget = client.budgets[this.#isRead ? 'reads' : 'writes'];
  }

  get attempts(): number {
    return this.nonces.length;
  }

  get remainingMs(): number {
    return this.call.limits.deadlineMs - this.deadline.elapsedMs();
  }

  /**
   * How much of its time an attempt needs at least: a write that is sent shortly before the deadline would have an unknown
   * outcome. One whose outcome is unknown already can only gain, and a caller may have set a deadline below timeoutMs.
   */
  get leastMs(): number {
    const { timeoutMs, deadlineMs } = this.call.limits;
    const takesAny = this.#isRead || this.outcome === 'unknown' || deadlineMs <= timeoutMs;
    return takesAny ? 0 : timeoutMs;
  }

  /** Milliseconds for which the service holds this call. */
  get heldMs(): number {
    return this.credential.pacer.heldMs(this.deadline.nowMs());
  }

  /** Whether no call of the credential waits. */
  get isFree(): boolean {
    return this.#place === undefined && this.credential.pacer.isOpen;
  }

  /** When this call should ask again: `0` if it may start, `Infinity` if it will be woken. From here on it waits. */
  waitMs(): number {
    const { pacer } = this.credential;
    if (this.#pacer !== pacer) this.leaveQueue();
    if (this.#place === undefined) {
      if (pacer.isOpen) return 0;
      const sinceMs = this.deadline.nowMs() - this.deadline.elapsedMs();
      this.#place = { isWrite: !this.#isRead, sinceMs, wake: () => undefined };
      this.#pacer = pacer;
      pacer.join(this.#place);
    }
    return pacer.waitMs(this.#place, this.deadline.nowMs());
  }

  /** The call starts, or gives up. */
  leaveQueue(): void {
    const place = this.#place;
    this.#place = undefined;
    if (place !== undefined) this.#pacer?.leave(place);
  }

  get isQueued(): boolean {
    return this.#place !== undefined;
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

  /** Waits for so long, or until it is woken, as long as there is time; with `Infinity` for being woken alone. */
  async sleepUntilTurn(ms: number): Promise<void> {
    const place = this.#place;
    const wake = (listener: () => void) => {
      if (place !== undefined) place.wake = listener;
      return () => undefined;
    };
    const startedMs = this.deadline.nowMs();
    // Another call wakes this one: no time passes in between that an injected sleep could skip.
    if (ms === Infinity) await pause(this.remainingMs, [this.call.signal], { wake });
    else await this.deadline.sleep(Math.min(ms, this.remainingMs), this.call.signal, wake);
    this.#waitedMs += this.deadline.nowMs() - startedMs;
  }

  /** The jittered pause after this many attempts. */
  backoffMs(attempts = this.attempts): number {
    return backoffMs(attempts, this.#config.random);
  }

  beginAttempt(): Attempt {
    const { call, credential, deadline, leastMs } = this;
    const sentAtMs = this.#client.clock.nowMs();
    const { method, path, query, bodySha256 } = call;
    const timestamp = String(Math.floor(sentAtMs / 1000));
    const lines = { method, path, query, timestamp, nonce: randomUUID(), bodySha256 };
    const delayMs = this.#waitedMs;
    this.#waitedMs = 0;
    const { pacer } = credential;
    this.#paced = { pacer, begun: pacer.begin(deadline.nowMs()) };
    this.leaveQueue();
    this.#triedCredential = credential;
    this.nonces.push(lines.nonce);
    return { lines, credential, secrets: this.secrets, deadline, leastMs, sentAtMs, delayMs };
  }

  recordSuccess(): void {
    this.#budget.earn(this.#spentBudget);
    this.endAttempt(true);
  }

  /** @param served - whether it got a response other than a rate limit */
  endAttempt(served = false): void {
    const paced = this.#paced;
    this.#paced = undefined;
    paced?.pacer.end(paced.begun, this.deadline.nowMs(), served);
  }

  /** @returns by how much the clock was corrected, in milliseconds, if it was. */
  recordFailure(result: FailedAttempt): number | undefined {
    this.outcome = worstOutcome(this.outcome, outcomeOfAttempt(result, this.call.method));
    if (!isAskedWait(result)) this.#failures += 1;
    const paced = this.#paced;
    const isResponse = result.kind === 'error_response';
    if (isResponse && result.rateLimited && isAskedWait(result)) {
      const { retryAfterMs = 0 } = result;
      paced?.pacer.block(paced.begun, this.deadline.nowMs(), retryAfterMs, this.#config);
    }
    this.endAttempt(isResponse && !result.rateLimited);
    if (!isResponse) return undefined;

    const { serverDateMs } = result;
    // Runs even when this call stops here, so that the next call uses the corrected time.
    if (result.code !== 'invalid_timestamp' || serverDateMs === undefined) return undefined;
    const offByMs = serverDateMs - this.#client.clock.nowMs();
    this.#client.clock.correct(serverDateMs);
    return offByMs;
  }

  /**
   * Records a retry: it uses the retry budget, or one of the one-time corrections, or waits as the service asked. A
   * credential is tried once by itself: the attempt makes it the one that was tried.
   */
  recordRetry({ reason, cost }: Extract<Decision, { retry: true }>): void {
    if (reason === 'clock') this.#clockCorrected = true;
    else if (reason === 'nonce') this.#nonceReplaced = true;
    if (cost !== 'budget') return;
    this.#budget.spend();
    this.#spentBudget = true;
  }

  get retryState(): RetryState {
    return {
      repeatable: this.call.endpoint.repeatable,
      failures: this.#failures,
      maxRetries: this.call.limits.maxRetries,
      clockCorrected: this.#clockCorrected,
      nonceReplaced: this.#nonceReplaced,
      hasUntriedCredential: this.credential !== this.#triedCredential,
      remainingMs: this.remainingMs,
      leastMs: this.leastMs,
      backoffMs: this.backoffMs(),
      budgetAllows: this.#budget.allowsRetry,
      maxRateLimitHoldMs: this.#config.maxRateLimitHoldMs,
    };
  }

  /** @param stopReason - why there is no further attempt, if there could have been one. */
  errorContext(stopReason?: string): CallContext {
    const { outcome, secrets } = this;
    return { ...contextOf(this.call), nonces: [...this.nonces], outcome, secrets, stopReason };
  }
}
