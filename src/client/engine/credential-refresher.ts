/** CredentialRefresher: gives one call the credentials that the option `credentials` returns. */

import { ConfigurationError } from '../errors/configuration-error.js';
import { abortedError, timeoutError } from '../errors/create-error.js';
import type { Config } from '../options/config.js';
import { assertNotLive } from '../options/credentials.js';
import type { CallState } from './call-state.js';
import { assertNotSent } from './check-arguments.js';
import type { CredentialSource } from './credentials.js';
import type { FailedAttempt } from './retry/attempt-result.js';
import { isCredentialRefused } from './retry/outcome.js';
import { raceWithAbort, reasonOf } from '../../core/time/signals.js';
import { systemTime } from '../../core/time/sleep.js';
import { runWithin } from '../../core/time/timeout.js';

export class CredentialRefresher {
  readonly #state: CallState;
  readonly #source: CredentialSource;
  readonly #liveKeysForbiddenBy: Config['liveKeysForbiddenBy'];
  #mayReplace = true;

  constructor(state: CallState, source: CredentialSource, { liveKeysForbiddenBy }: Config) {
    this.#state = state;
    this.#source = source;
    this.#liveKeysForbiddenBy = liveKeysForbiddenBy;
  }

  /** Gives the call its credential. Runs before each attempt: the last one may have expired. */
  async refresh(): Promise<void> {
    const { endpoint, secrets } = this.#state.call;
    const credential = await withinCall(this.#source.get(), this.#state);
    assertNotLive(credential, 'credentials', this.#liveKeysForbiddenBy);
    for (const field of endpoint.secretFields ?? []) {
      for (const value of secrets) assertNotSent(field, value, credential.secret ?? '');
    }
    this.#state.useCredential(credential);
  }

  /**
   * Asks again after a refusal, once in a call. Another call may have replaced the credential already.
   *
   * @returns why there is no other credential. It is not thrown: the call's own error is the refusal.
   */
  async replaceRefused(result: FailedAttempt): Promise<ConfigurationError | undefined> {
    if (!this.#mayReplace || !isCredentialRefused(result)) return undefined;
    this.#mayReplace = false;
    this.#source.invalidate(this.#state.credential);
    try {
      await this.refresh();
      return undefined;
    } catch (error) {
      if (error instanceof ConfigurationError) return error;
      throw error;
    }
  }
}

/** The caller's function may take longer than the call. */
async function withinCall<T>(work: T | Promise<T>, state: CallState): Promise<T> {
  const { signal, limits } = state.call;
  const timedOut = () => timeoutError(state.errorContext(), 'deadline', limits, {});
  const race = () => raceWithAbort(Promise.resolve(work), signal);
  try {
    return await runWithin(systemTime, state.remainingMs, race, timedOut);
  } catch (error) {
    if (signal?.aborted !== true || error !== reasonOf(signal)) throw error;
    throw abortedError(state.errorContext(), signal.reason);
  }
}
