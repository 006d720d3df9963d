/** Forwarder: posts events to a receiver, and says once when it is down. */

import { connect } from 'node:net';
import { postWebhook } from '../../testing/deliveries/post-webhook.js';
import type { MarketEvent } from '../../webhooks/events.js';
import { signWebhook } from '../../webhooks/verify.js';
import type { CommandTerminal } from '../terminal.js';

const receiverTimeoutMs = 30_000;

/** The partner's receiver, and the secret that it expects. */
export interface Receiver {
  readonly forwardTo: string;
  readonly secret: string;
}

export class Forwarder {
  readonly #receiver: Receiver;
  readonly #terminal: CommandTerminal;
  #isDown = false;
  /** Each read of the history shows them again. */
  readonly #skipped = new Set<string>();

  constructor(receiver: Receiver, terminal: CommandTerminal) {
    this.#receiver = receiver;
    this.#terminal = terminal;
  }

  /** Says that nothing listens at the address, before the first event would show it. */
  async checkReceiver(): Promise<void> {
    const problem = await connectionProblem(new URL(this.#receiver.forwardTo));
    if (problem !== undefined) this.#reportDown(problem);
  }

  /**
   * Posts one event as the service does (specification, part 6), and prints the status. Without a
   * response it prints why, once until there is one again.
   *
   * @returns the receiver's status; `undefined` without a response
   */
  async forward(event: MarketEvent): Promise<number | undefined> {
    const { forwardTo, secret } = this.#receiver;
    // Without a `partner_id`, which the history does not state: an inbox stores it, and would refuse the
    // service's own deliveries.
    const body = JSON.stringify(event);
    const headers = {
      'content-type': 'application/json',
      'x-market-signature': signWebhook(body, secret),
    };
    const started = performance.now();
    const { stop } = this.#terminal;
    const { status, error } = await postWebhook(forwardTo, body, headers, receiverTimeoutMs, stop);
    const ms = Math.round(performance.now() - started);
    if (status === undefined) {
      this.#reportDown(error ?? 'no response', event);
      return undefined;
    }
    this.#isDown = false;
    this.#print(`${event.id} ${event.type} -> ${status} (${ms} ms)`);
    return status;
  }

  /** Says once that an event is not posted. */
  skip({ type, created_at: createdAt }: MarketEvent): void {
    const event = `${type} of ${createdAt}`;
    if (!this.#skipped.has(event)) this.#print(`The event ${event} has no id and is skipped.`);
    this.#skipped.add(event);
  }

  #reportDown(reason: string, event?: MarketEvent): void {
    if (this.#isDown || this.#terminal.stop.aborted) return;
    this.#isDown = true;
    if (event !== undefined) this.#print(`${event.id} ${event.type} -> ${reason}`);
    this.#print(`The receiver does not respond (${reason}). Events wait until it does.`);
  }

  #print(line: string): void {
    this.#terminal.row(line);
  }
}

/** Why no connection to an address can be made; `undefined` if one can. */
function connectionProblem({ hostname, port, protocol }: URL): Promise<string | undefined> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: Number(port || (protocol === 'https:' ? 443 : 80)) });
  return new Promise((resolve) => {
    socket.setTimeout(5_000, () => socket.destroy(new Error('no connection within 5 s')));
    socket.once('connect', () => resolve(undefined));
    socket.once('error', ({ message, ...rest }) =>
      resolve(message || String((rest as { code?: string }).code)),
    );
  }).finally(() => socket.destroy()) as Promise<string | undefined>;
}
