/**
 * undiciTransport: sends through undici's `dispatch` with a handler of our own: less than half the
 * cost of `undici.request`, and the only way to know whether a request was started. A request that
 * is cancelled before it started is never sent; a response is read to its end, or its socket is
 * destroyed.
 */

import { setMaxListeners } from 'node:events';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import type { Cancellation } from './cancellation.js';
import { classifyError } from './classify-error.js';
import { RequestGate } from './request-gate.js';
import {
  BodyCollector,
  TransportError,
  type ResponseHead,
  type Transport,
  type TransportResult,
  type TransportRequest,
} from './transport.js';

/**
 * The part of undici 7's dispatchers that is used, as a type of our own: our types need neither
 * undici's nor Node's. An `Agent`, `Pool`, `ProxyAgent` or `MockAgent` fits.
 */
export interface DispatcherLike {
  dispatch(options: never, handler: never): boolean;
}

/** Requests at once per client: plenty for a service that responds in tens of milliseconds. */
const maxRequests = 64;

export function undiciTransport(dispatcher: DispatcherLike | undefined): Transport {
  return dispatcher === undefined ? agentTransport() : dispatcherTransport(dispatcher);
}

/** The caller's dispatcher: its bounds and its end are the caller's. */
function dispatcherTransport(dispatcher: DispatcherLike): Transport {
  return {
    send(request, cancellation, done) {
      new UndiciExchange(cancellation, done).dispatch(dispatcher, request);
    },
    close: () => Promise.resolve(),
  };
}

/** An agent of the client's own, created by the first request. */
function agentTransport(): Transport {
  const gate = new RequestGate(maxRequests);
  const closing = new AbortController();
  let agent: Dispatcher | undefined;
  let opening: Promise<Dispatcher> | undefined;
  const open = async (): Promise<Dispatcher> => {
    try {
      return (agent = await openAgent(closing.signal));
    } catch (error) {
      // The next call tries again: a process can be out of files for a moment. Node keeps the failure
      // of a module that has begun to run, so not every cause can pass.
      opening = undefined;
      throw error;
    }
  };
  const send = (
    agent: Dispatcher,
    request: TransportRequest,
    cancellation: Cancellation,
    done: (result: TransportResult) => void,
  ) => {
    if (cancellation.cancelled) {
      done(new TransportError('not_sent', { cause: cancellation.reason, retryable: false }));
      return;
    }
    const exchange = new UndiciExchange(cancellation, (result) => {
      if (exchange.dispatched) gate.leave();
      else quit?.();
      done(result);
    });
    const quit = gate.enter(() => exchange.dispatch(agent, request));
  };
  return {
    send(request, cancellation, done) {
      if (agent !== undefined) {
        send(agent, request, cancellation, done);
        return;
      }
      opening ??= open();
      opening.then(
        (agent) => send(agent, request, cancellation, done),
        (error: unknown) => done(classifyError(error, false)),
      );
    },
    async close() {
      if (opening === undefined) return;
      const agent = await opening;
      // First the agent: it must not connect again for a socket that the signal ends.
      const destroyed = agent.destroy();
      // No call is left, but a socket may still be connecting: close() would wait for its timeout.
      closing.abort();
      await destroyed;
    },
  };
}

/** @param closing - ends every socket, also one that is still connecting. */
async function openAgent(closing: AbortSignal): Promise<Dispatcher> {
  const [Agent, buildConnector] = await Promise.all([loadAgent(), loadBuildConnector()]);
  // Each socket listens, and Node warns of a leak above ten.
  setMaxListeners(0, closing);
  const connect = buildConnector({ signal: closing, timeout: connectTimeoutMs });
  return new Agent({
    // Node revives a socket that is connected after its signal fired: it would stay open for ever.
    connect: (options, callback) => {
      if (closing.aborted) callback(new Error('the client is closed'), null);
      else connect(options, callback);
    },
  });
}

/** undici's own default, which it gives to its own connector alone. */
const connectTimeoutMs = 10_000;

async function loadBuildConnector(): Promise<typeof buildConnector> {
  try {
    return (await import('undici/lib/core/connect.js')).default;
  } catch {
    return (await import('undici')).buildConnector;
  }
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

/** The part of undici's dispatchers that is used. */
type Dispatches = Pick<Dispatcher, 'dispatch'>;

/** One request, as undici's handler. */
class UndiciExchange implements Dispatcher.DispatchHandler {
  readonly #cancellation: Cancellation;
  readonly #done: (outcome: TransportResult) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #head: ResponseHead | undefined;
  #body: BodyCollector | undefined;
  settled = false;
  /** Whether undici has had the request: not while it waits for a place. */
  dispatched = false;

  constructor(cancellation: Cancellation, done: (result: TransportResult) => void) {
    this.#cancellation = cancellation;
    this.#done = done;
    cancellation.onCancel(() => this.#cancel());
  }

  /** Sends the request, unless it was cancelled before. */
  dispatch(dispatcher: Dispatches, request: TransportRequest): void {
    if (this.settled) return;
    this.dispatched = true;
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
        this,
      );
    } catch (error) {
      this.onResponseError(undefined, error);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Cancelled while the connection was being made: stop before the first byte.
    if (this.settled) controller.abort(new Error('cancelled before it was sent'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // A 1xx response announces the real one.
    if (status < 200) return;
    this.#head = { status, headers: flattenRecord(headers) };
    this.#body = new BodyCollector(this.#head);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.settled || this.#body?.add(chunk) !== true) return;
    this.#settle(this.#body.result());
    controller.abort(new Error('the rest of the body is not read'));
  }

  onResponseEnd(): void {
    if (this.#body === undefined) {
      this.onResponseError(undefined, new Error('the response ended before it began'));
      return;
    }
    if (!this.settled) this.#settle(this.#body.result());
  }

  onResponseError(_controller: unknown, error: unknown): void {
    if (this.settled) return;
    this.#settle(classifyError(error, this.#controller !== undefined, this.#head));
  }

  #cancel(): void {
    if (this.settled) return;
    const { reason } = this.#cancellation;
    const sent = this.#controller !== undefined;
    this.#settle(
      new TransportError(sent ? 'connection_lost' : 'not_sent', {
        cause: reason,
        retryable: false,
        head: this.#head,
      }),
    );
    this.#controller?.abort(reason instanceof Error ? reason : new Error('aborted'));
  }

  #settle(result: TransportResult): void {
    this.settled = true;
    this.#done(result);
  }
}

/** The parsed headers themselves where each value is one string, as in most answers. */
function flattenRecord(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string> {
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
