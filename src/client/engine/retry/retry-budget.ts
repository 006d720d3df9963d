/**
 * A token bucket that keeps an outage from being multiplied: when most calls fail, the client
 * soon sends each of them once. 100 retries can be made before any success; each success then
 * earns a fifth of one, and a retry that succeeds earns back its own cost.
 */

const capacity = 500;
const retryCost = 5;
const successGain = 1;

export class RetryBudget {
  #tokens = capacity;

  get allowsRetry(): boolean {
    return this.#tokens >= retryCost;
  }

  spend(): void {
    this.#tokens -= retryCost;
  }

  /** @param retried - whether the success took a retry that was paid for. */
  earn(retried: boolean): void {
    this.#tokens = Math.min(capacity, this.#tokens + (retried ? retryCost : successGain));
  }
}
