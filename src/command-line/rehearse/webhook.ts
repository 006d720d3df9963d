/** Webhook: the program's receiver, as the service and as a forger see it. */

import { createHmac } from 'node:crypto';
import { postWebhook } from '../../testing/deliveries/post-webhook.js';
import type { MarketEmulator } from '../../testing/emulator.js';
import type { EmulatorEvent } from '../../testing/market/events.js';

/** A receiver has 5 seconds. */
const timeoutMs = 6_000;

export class Webhook {
  readonly url: string;
  readonly #emulator: MarketEmulator;
  readonly #secret: string;

  constructor(url: string, emulator: MarketEmulator, secret: string) {
    this.url = url;
    this.#emulator = emulator;
    this.#secret = secret;
  }

  /** Registers the address with the secret that the program has. */
  register(): void {
    this.#emulator.admin.registerWebhook(this.url, this.#secret);
  }

  /** The event as the service sends it. */
  bodyOf(event: EmulatorEvent): string {
    return this.#emulator.bodyOf(event);
  }

  /** Posts what the service did not send; `undefined` if no response came. */
  async post(body: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
    const json = { 'content-type': 'application/json', ...headers };
    const { signal } = new AbortController();
    return (await postWebhook(this.url, body, json, timeoutMs, signal)).status;
  }

  /** The service's signature; with another secret, that of a stranger. */
  sign(body: string, secret = this.#secret): Record<string, string> {
    return { 'x-market-signature': createHmac('sha256', secret).update(body).digest('hex') };
  }
}

const oldMs = 3_600_000;

/** Whether a receiver may take an event for one that is sent again by a stranger, at a moment. */
export function isOld({ created_at }: EmulatorEvent, at: number): boolean {
  return at - Date.parse(created_at) > oldMs;
}

/** An event in other bytes: white space, letters as escapes, and a field that has more than ASCII. */
export function otherBytesOf(event: EmulatorEvent, webhook: Webhook): string {
  const data = { ...event.data, note: 'Zürich, 東京' };
  return JSON.stringify(JSON.parse(webhook.bodyOf({ ...event, data })), null, 2).replace(
    /(?<="domain": ")[a-z]/,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
