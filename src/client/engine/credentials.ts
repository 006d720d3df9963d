/** CredentialSource: the credential that a client's calls share, and how a function's is loaded. */

import { ConfigurationError } from '../errors/configuration-error.js';
import type { Config } from '../options/config.js';
import { loadCredential, type Credential } from '../options/credentials.js';
import { Pacer } from './retry/pacer.js';
import type { ServiceClock } from './time/service-clock.js';

/** A rate limit is the key's: another key starts without one. */
export interface CredentialInUse extends Credential {
  readonly pacer: Pacer;
}

export class CredentialSource {
  current: CredentialInUse;
  readonly #config: Config;
  readonly #clock: ServiceClock;
  /** The running load, which calls share. After `untilMs` it counts as hung. */
  #loading: { readonly done: Promise<CredentialInUse>; readonly untilMs: number } | undefined;
  #begunLoads = 0;
  /** The number of the latest load that has returned a credential. */
  #latestLoad = 0;

  constructor(config: Config, clock: ServiceClock, pacer = new Pacer()) {
    this.current = { ...config.credential, pacer };
    this.#clock = clock;
    this.#config = config;
  }

  /** The cached credential, or the one that the function returns now. */
  get(): CredentialInUse | Promise<CredentialInUse> {
    const { monotonicClock, timeoutMs } = this.#config;
    if (this.#clock.nowMs() < this.current.expiresAtMs) return this.current;
    const nowMs = monotonicClock();
    if (this.#loading !== undefined && nowMs < this.#loading.untilMs) return this.#loading.done;
    const loading = { done: this.#load(), untilMs: nowMs + timeoutMs };
    this.#loading = loading;
    const clear = () => {
      if (this.#loading === loading) this.#loading = undefined;
    };
    loading.done.then(clear, clear);
    return loading.done;
  }

  /** The service refused it: the next call asks the function again. */
  invalidate(credential: CredentialInUse): void {
    credential.expiresAtMs = -Infinity;
  }

  /** An equal credential stays the same object: a call is repeated only with a different one. */
  async #load(): Promise<CredentialInUse> {
    const load = (this.#begunLoads += 1);
    const loaded = await loadCredential(this.#config.credentials as () => unknown);
    const { current } = this;
    // It counted as hung, and ends after a later one: its credential may have been replaced since.
    if (load < this.#latestLoad) return current;
    this.#latestLoad = load;
    const { keyId, secret, environment, expiresAtMs } = loaded;
    if (keyId === current.keyId && secret === current.secret) {
      current.expiresAtMs = expiresAtMs;
      return current;
    }
    if (current.keyId !== undefined && environment !== current.environment) {
      const rule = '"credentials" must stay in one environment: live, sandbox or test';
      throw new ConfigurationError(rule, { option: 'credentials' });
    }
    const isSameKey = keyId === current.keyId;
    this.current = { ...loaded, pacer: isSameKey ? current.pacer : new Pacer() };
    // Calls that wait for the old key's limit continue with the new key.
    if (!isSameKey) current.pacer.lift();
    return this.current;
  }
}
