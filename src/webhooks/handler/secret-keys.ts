/** AskedKeys: the HMAC keys of a secret that a function returns, a vault's for example. */

import type { SigningKey } from '../hmac.js';
import { signingKeys, type WebhookSecret } from '../secrets.js';
import { WebhookVerificationError } from '../verification-error.js';

/** How long a secret is used before the function is asked again. */
const cacheMs = 60_000;

/** How often a mismatch may ask again each minute: forged deliveries cost their sender nothing. */
const maxRefreshesPerMinute = 10;

/** The webhook secret, or a function that returns it or a promise of it. */
export type WebhookSecretSource =
  WebhookSecret | (() => WebhookSecret | PromiseLike<WebhookSecret>);

type Keys = readonly SigningKey[];

export class AskedKeys {
  readonly #ask: () => WebhookSecret | PromiseLike<WebhookSecret>;
  readonly #timeoutMs: number;
  #cached: { readonly keys: Keys; readonly untilMs: number } | undefined;
  /** The running call, which deliveries share. After `untilMs` it counts as hung. */
  #asking: { readonly keys: Promise<Keys>; readonly untilMs: number } | undefined;
  #refreshes = 0;
  #minuteEndsMs = 0;

  constructor(ask: () => WebhookSecret | PromiseLike<WebhookSecret>, timeoutMs: number) {
    this.#ask = ask;
    this.#timeoutMs = timeoutMs;
  }

  /** The keys of the last minute, or those that the function returns now. */
  current(): Keys | Promise<Keys> {
    const cached = this.#cached;
    if (cached !== undefined && performance.now() < cached.untilMs) return cached.keys;
    return this.#askOnce();
  }

  /** Asks again after a mismatch; undefined when that was done too often in this minute. */
  refresh(): Promise<Keys> | undefined {
    const nowMs = performance.now();
    if (nowMs >= this.#minuteEndsMs) {
      this.#minuteEndsMs = nowMs + 60_000;
      this.#refreshes = 0;
    }
    if (this.#refreshes >= maxRefreshesPerMinute) return undefined;
    this.#refreshes += 1;
    return this.#askOnce();
  }

  #askOnce(): Promise<Keys> {
    const nowMs = performance.now();
    if (this.#asking !== undefined && nowMs < this.#asking.untilMs) return this.#asking.keys;
    const asking = { keys: this.#fetch(), untilMs: nowMs + this.#timeoutMs };
    this.#asking = asking;
    const clear = () => {
      if (this.#asking === asking) this.#asking = undefined;
    };
    asking.keys.then(clear, clear);
    return asking.keys;
  }

  async #fetch(): Promise<Keys> {
    try {
      const keys = signingKeys(await this.#ask());
      this.#cached = { keys, untilMs: performance.now() + cacheMs };
      return keys;
    } catch (cause) {
      if (cause instanceof WebhookVerificationError) throw cause;
      const message = 'The "secret" function failed.';
      throw new WebhookVerificationError('missing_secret', message, { cause });
    }
  }
}
