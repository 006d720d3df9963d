/**
 * undici's `dispatch` with a handler of our own: less than half the cost of `undici.request`, and the
 * only way to know whether a request was ever started.
 *
 * The handler's promise: a request that was given up before it started is never sent, even if the
 * connection comes up later; an answer is read to its end or its socket is destroyed.
 */

import type { Agent, Dispatcher } from 'undici';
import type { Cutoff } from './cutoff.js';
import { toWireFailure } from './failure.js';
import {
  BodyParts,
  WireFailure,
  type AnswerHead,
  type Transport,
  type WireOutcome,
  type WireRequest,
} from './transport.js';

/**
 * What the client asks of a `dispatcher`: the shape of undici 7's, in our own words, so that our
 * types need neither undici's nor Node's. An `Agent`, `Pool`, `ProxyAgent` or `MockAgent` fits.
 */
export interface DispatcherLike {
  dispatch(options: never, handler: never): boolean;
}

/** Sockets per client: plenty for a service that answers in tens of milliseconds, and bounded. */
const maxConnections = 64;

/** A transport on the caller's dispatcher, or on an agent of its own that is made at first use. */
export function undiciTransport(given: DispatcherLike | undefined): Transport {
  let dispatcher = given as Dispatcher | undefined;
  let own: Promise<Dispatcher> | undefined;
  const openOwn = async (): Promise<Dispatcher> => {
    try {
      const Agent = await loadAgent();
      return (dispatcher = new Agent({ connections: maxConnections }));
    } catch (error) {
      // The next call tries again: a process can be out of files for a moment. Node keeps the failure
      // of a module that has begun to run, so not every cause can pass.
      own = undefined;
      throw error;
    }
  };
  return {
    send(request, cutoff, done) {
      if (dispatcher !== undefined) {
        dispatchOnce(dispatcher, request, cutoff, done);
        return;
      }
      own ??= openOwn();
      own.then(
        (agent) => dispatchOnce(agent, request, cutoff, done),
        (error: unknown) => done(toWireFailure(error, false)),
      );
    },
    async close() {
      if (own !== undefined) await (await own).close();
    },
  };
}

/**
 * The agent alone: undici's index also loads its fetch, WebSocket, caches and mocks, which takes
 * three times as long. Should undici move the module, the index still has it.
 */
async function loadAgent(): Promise<typeof Agent> {
  try {
    return (await import('undici/lib/dispatcher/agent.js')).default;
  } catch {
    return (await import('undici')).Agent;
  }
}

function dispatchOnce(
  dispatcher: Dispatcher,
  request: WireRequest,
  cutoff: Cutoff,
  done: (outcome: WireOutcome) => void,
): void {
  const exchange = new Exchange(cutoff, done);
  if (exchange.settled) return;
  try {
    dispatcher.dispatch(
      {
        origin: request.origin,
        path: request.target,
        method: request.method,
        headers: request.headers as Record<string, string>,
        body: request.body ?? null,
        // The engine's own timer covers the whole attempt; these two are per phase and coarse.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      exchange,
    );
  } catch (error) {
    exchange.onResponseError(undefined, error);
  }
}

/** One request's life as undici tells it. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #cutoff: Cutoff;
  readonly #done: (outcome: WireOutcome) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #head: AnswerHead | undefined;
  #body: BodyParts | undefined;
  settled = false;

  constructor(cutoff: Cutoff, done: (outcome: WireOutcome) => void) {
    this.#cutoff = cutoff;
    this.#done = done;
    cutoff.whenFired(() => this.#giveUp());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Given up while the connection was being made: this stops it before the first byte.
    if (this.settled) controller.abort(new Error('given up before it was sent'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // 1xx answers announce the real one.
    if (status < 200) return;
    this.#head = { status, headers: flatten(headers) };
    this.#body = new BodyParts(this.#head);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.settled || this.#body?.add(chunk) !== true) return;
    this.#settle(this.#body.outcome());
    controller.abort(new Error('the rest of the body is not read'));
  }

  onResponseEnd(): void {
    if (this.#body === undefined) {
      this.onResponseError(undefined, new Error('the answer ended before it began'));
      return;
    }
    if (!this.settled) this.#settle(this.#body.outcome());
  }

  onResponseError(_controller: unknown, error: unknown): void {
    if (this.settled) return;
    this.#settle(toWireFailure(error, this.#controller !== undefined, this.#head));
  }

  #giveUp(): void {
    if (this.settled) return;
    const { reason } = this.#cutoff;
    const sent = this.#controller !== undefined;
    this.#settle(
      new WireFailure(sent ? 'broken' : 'not_sent', {
        cause: reason,
        retriable: false,
        head: this.#head,
      }),
    );
    this.#controller?.abort(reason instanceof Error ? reason : new Error('aborted'));
  }

  #settle(outcome: WireOutcome): void {
    this.settled = true;
    this.#done(outcome);
  }
}

/** The parsed headers themselves where each value is one string, as in most answers. */
function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  if (isFlat(headers)) return headers;
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name === 'set-cookie') continue;
    flat[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return flat;
}

function isFlat(
  headers: Record<string, string | string[] | undefined>,
): headers is Record<string, string> {
  for (const name in headers) {
    if (typeof headers[name] !== 'string' || name === 'set-cookie') return false;
  }
  return true;
}
