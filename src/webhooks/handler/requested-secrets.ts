/** RequestedSecrets: the secrets that a function returns, for example from a vault. */

import { secretStrings, type WebhookSecret } from '../secrets.js';
import { WebhookVerificationError } from '../verification-error.js';

/** How long a secret is used before the function is called again. */
const cacheMs = 60_000;

/**
 * How many mismatches a minute may call the function again: forged deliveries cost their sender
 * nothing.
 */
const maxRefreshesPerMinute = 10;

/** The webhook secret, or a function that returns it or a promise of it. */
export type WebhookSecretSource =
  WebhookSecret | (() => WebhookSecret | PromiseLike<WebhookSecret>);

type Secrets = readonly string[];

export class RequestedSecrets {
  readonly #getSecret: () => WebhookSecret | PromiseLike<WebhookSecret>;
  readonly #timeoutMs: number;
  #cached: { readonly secrets: Secrets; readonly untilMs: number } | undefined;
  /** The running call, which deliveries share. After `untilMs` it is considered hung. */
  #pending: { readonly secrets: Promise<Secrets>; readonly untilMs: number } | undefined;
  #refreshes = 0;
  #minuteEndsMs = 0;

  constructor(getSecret: () => WebhookSecret | PromiseLike<WebhookSecret>, timeoutMs: number) {
    this.#getSecret = getSecret;
    this.#timeoutMs = timeoutMs;
  }

  /** The secrets of the last minute, or those that the function returns now. */
  current(): Secrets | Promise<Secrets> {
    const cached = this.#cached;
    if (cached !== undefined && performance.now() < cached.untilMs) return cached.secrets;
    return this.#requestOnce();
  }

  /** Calls the function again after a mismatch; undefined if that happened too often in this minute. */
  refresh(): Promise<Secrets> | undefined {
    const nowMs = performance.now();
    if (nowMs >= this.#minuteEndsMs) {
      this.#minuteEndsMs = nowMs + 60_000;
      this.#refreshes = 0;
    }
    if (this.#refreshes >= maxRefreshesPerMinute) return undefined;
    this.#refreshes += 1;
    return this.#requestOnce();
  }

  #requestOnce(): Promise<Secrets> {
    const nowMs = performance.now();
    if (this.#pending !== undefined && nowMs < this.#pending.untilMs) return this.#pending.secrets;
    const pending = { secrets: this.#fetch(), untilMs: nowMs + this.#timeoutMs };
    this.#pending = pending;
    const end = () => {
      const isNewest = this.#pending === pending;
      if (isNewest) this.#pending = undefined;
      return isNewest;
    };
    pending.secrets.then((secrets) => {
      // One that was considered hung may return an older secret than the call after it.
      if (end()) this.#cached = { secrets, untilMs: performance.now() + cacheMs };
    }, end);
    return pending.secrets;
  }

  async #fetch(): Promise<Secrets> {
    try {
      return secretStrings(await this.#getSecret());
    } catch (cause) {
      if (cause instanceof WebhookVerificationError) throw cause;
      const message = 'The "secret" function failed.';
      throw new WebhookVerificationError('missing_secret', message, { cause });
    }
  }
}
