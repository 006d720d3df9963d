/** RequestedKeys: the HMAC keys of a secret that a function returns, for example from a vault. */

import type { SigningKey } from '../hmac.js';
import { signingKeys, type WebhookSecret } from '../secrets.js';
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

type Keys = readonly SigningKey[];

export class RequestedKeys {
  readonly #getSecret: () => WebhookSecret | PromiseLike<WebhookSecret>;
  readonly #timeoutMs: number;
  #cached: { readonly keys: Keys; readonly untilMs: number } | undefined;
  /** The running call, which deliveries share. After `untilMs` it is considered hung. */
  #pending: { readonly keys: Promise<Keys>; readonly untilMs: number } | undefined;
  #refreshes = 0;
  #minuteEndsMs = 0;

  constructor(getSecret: () => WebhookSecret | PromiseLike<WebhookSecret>, timeoutMs: number) {
    this.#getSecret = getSecret;
    this.#timeoutMs = timeoutMs;
  }

  /** The keys of the last minute, or those that the function returns now. */
  current(): Keys | Promise<Keys> {
    const cached = this.#cached;
    if (cached !== undefined && performance.now() < cached.untilMs) return cached.keys;
    return this.#requestOnce();
  }

  /** Calls the function again after a mismatch; undefined if that happened too often in this minute. */
  refresh(): Promise<Keys> | undefined {
    const nowMs = performance.now();
    if (nowMs >= this.#minuteEndsMs) {
      this.#minuteEndsMs = nowMs + 60_000;
      this.#refreshes = 0;
    }
    if (this.#refreshes >= maxRefreshesPerMinute) return undefined;
    this.#refreshes += 1;
    return this.#requestOnce();
  }

  #requestOnce(): Promise<Keys> {
    const nowMs = performance.now();
    if (this.#pending !== undefined && nowMs < this.#pending.untilMs) return this.#pending.keys;
    const pending = { keys: this.#fetch(), untilMs: nowMs + this.#timeoutMs };
    this.#pending = pending;
    const end = () => {
      const isNewest = this.#pending === pending;
      if (isNewest) this.#pending = undefined;
      return isNewest;
    };
    pending.keys.then((keys) => {
      // One that was considered hung may return an older secret than the call after it.
      if (end()) this.#cached = { keys, untilMs: performance.now() + cacheMs };
    }, end);
    return pending.keys;
  }

  async #fetch(): Promise<Keys> {
    try {
      return signingKeys(await this.#getSecret());
    } catch (cause) {
      if (cause instanceof WebhookVerificationError) throw cause;
      const message = 'The "secret" function failed.';
      throw new WebhookVerificationError('missing_secret', message, { cause });
    }
  }
}
