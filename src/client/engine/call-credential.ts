/** callCredential: gives a call the credentials that the option `credentials` returns. */

import { ConfigurationError } from '../errors/configuration-error.js';
import { abortedError, timeoutError } from '../errors/create-error.js';
import type { Config } from '../options/config.js';
import { assertNotLive } from '../options/credentials.js';
import type { CallState } from './call-state.js';
import { assertNotSent } from './check-arguments.js';
import type { CredentialSource } from './credentials.js';
import type { FailedAttempt } from './retry/attempt-result.js';
import { isCredentialRefused } from './retry/outcome.js';
import { onAbort } from '../../abort-signals.js';

export function callCredential(
  state: CallState,
  source: CredentialSource,
  { liveRefusedBy }: Config,
) {
  const { call } = state;
  const bodySecrets = call.secrets;
  let mayReplace = true;

  /** Before each attempt. */
  async function use(): Promise<void> {
    const credential = await withinCall(source.get(), state);
    assertNotLive(credential, 'credentials', liveRefusedBy);
    const { secret = '' } = credential;
    for (const field of call.endpoint.secretFields ?? []) {
      for (const value of bodySecrets) assertNotSent(field, value, secret);
    }
    if (!call.secrets.includes(secret)) call.secrets = [...call.secrets, secret];
    state.credential = credential;
  }

  /**
   * Asks again after a refusal, once in a call. Another call may have replaced it already.
   *
   * @returns why there is no other credential. It is not thrown: the refusal is what the call got.
   */
  async function replace(result: FailedAttempt): Promise<ConfigurationError | undefined> {
    if (!mayReplace || !isCredentialRefused(result)) return undefined;
    mayReplace = false;
    const refused = state.credential;
    refused.expiresAtMs = -Infinity;
    try {
      await use();
    } catch (error) {
      if (error instanceof ConfigurationError) return error;
      throw error;
    }
    state.credentialChanged = state.credential !== refused;
    return undefined;
  }

  return { use, replace };
}

/** The caller's function may take longer than the call. */
function withinCall<T>(work: T | Promise<T>, state: CallState): Promise<T> {
  const { signal, limits } = state.call;
  const cleanups: (() => void)[] = [];
  const ended = new Promise<never>((_resolve, reject) => {
    const onTimeout = () =>
      reject(timeoutError(state.errorContext(), 'deadline', limits, undefined));
    const timer = setTimeout(onTimeout, state.remainingMs);
    const onSignal = () => reject(abortedError(state.errorContext(), signal?.reason));
    cleanups.push(() => clearTimeout(timer), onAbort(signal, onSignal));
  });
  return Promise.race([work, ended]).finally(() => {
    for (const cleanup of cleanups) cleanup();
  });
}
