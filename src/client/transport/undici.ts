/**
 * undiciTransport: sends through undici's `dispatch` with a handler of our own: less than half the
 * cost of `undici.request`, and the only way to know whether a request was started. A request that
 * is cancelled before it started is never sent; a response is read to its end, or its socket is
 * destroyed.
 */

import type { Dispatcher } from 'undici';
import { afterTurn } from '../../core/time/after-turn.js';
import { Agents, maxConnections } from './agents.js';
import type { Cancellation } from './cancellation.js';
import { classifyError } from './classify-error.js';
import { decodeResponse, isEncoded } from './decode-body.js';
import { Places } from './places.js';
import {
  BodyCollector,
  TransportError,
  type ResponseHead,
  type Transport,
  type TransportResult,
  type TransportRequest,
} from './transport.js';

/**
 * The part of undici 7's dispatchers that is used, as our own type: our types need neither
 * undici's nor Node's. An `Agent`, `Pool`, `ProxyAgent` or `MockAgent` fits.
 */
export interface DispatcherLike {
  dispatch(options: never, handler: never): boolean;
}

/** The ways to the service by undici: the caller's dispatcher, a proxy, or neither. */
interface UndiciOptions {
  readonly dispatcher?: DispatcherLike | undefined;
  readonly proxy?: string | undefined;
}

export function undiciTransport({ dispatcher, proxy }: UndiciOptions): Transport {
  return dispatcher === undefined ? agentTransport(proxy) : dispatcherTransport(dispatcher);
}

/** The caller's dispatcher: the caller limits it and closes it. */
function dispatcherTransport(dispatcher: DispatcherLike): Transport {
  return {
    send(request, cancellation, done) {
      const exchange = new UndiciExchange(cancellation, done);
      // undici of before 7.30 does not wait for a turn before it writes to an idle connection.
      afterTurn(() => {
        cancellation.connected();
        exchange.dispatch(dispatcher, request);
      });
    },
    close: () => Promise.resolve(),
  };
}

/** The client's own connections, opened by the first request. */
function agentTransport(proxy: string | undefined): Transport {
  const agents = new Agents(proxy);
  const places = new Places(maxConnections);
  return {
    send(request, cancellation, done) {
      const exchange = new UndiciExchange(cancellation, done, () => places.leave());
      const dispatch = (agent: Dispatches) => exchange.dispatch(agent, request);
      exchange.stopWaiting = places.enter(() => {
        cancellation.connected();
        const agent = agents.get(request.origin);
        if (agent !== undefined) dispatch(agent);
        else agents.open(request.origin).then(dispatch, (error: unknown) => exchange.fail(error));
      });
    },
    close: () => agents.close(),
  };
}

/** The part of undici's dispatchers that is used. */
type Dispatches = Pick<Dispatcher, 'dispatch'>;

/** One request, as undici's handler. */
class UndiciExchange implements Dispatcher.DispatchHandler {
  readonly #cancellation: Cancellation;
  readonly #done: (outcome: TransportResult) => void;
  readonly #onFree: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #head: ResponseHead | undefined;
  #body: BodyCollector | undefined;
  #settled = false;
  /** Called when the request is cancelled. */
  stopWaiting: (() => void) | undefined;

  /** @param onFree - called once the dispatcher is done with the request, whatever became of it */
  constructor(
    cancellation: Cancellation,
    done: (result: TransportResult) => void,
    onFree?: () => void,
  ) {
    this.#cancellation = cancellation;
    this.#done = done;
    this.#onFree = onFree;
    cancellation.onCancel(() => this.#cancel());
  }

  /** Sends the request, unless it was cancelled while it waited. */
  dispatch(dispatcher: Dispatches, request: TransportRequest): void {
    if (this.#settled) {
      this.#onFree?.();
      return;
    }
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
      this.fail(error);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#cancellation.progress += 1;
    const isCopy = this.#controller !== undefined;
    this.#controller = controller;
    // undici 8 sends a request again that an HTTP/2 server refused, and a RetryAgent any that failed:
    // with the same nonce, and without being counted. The client's own retry has a new nonce.
    if (isCopy) this.#settleFailed(copyError());
    // Cancelled while the connection was being made, or a copy: stop before the first byte.
    if (this.#settled) controller.abort(new Error('cancelled before it was sent'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // A 1xx response announces the real one.
    if (status < 200) return;
    this.#cancellation.progress += 1;
    this.#head = { status, headers: flattenRecord(headers) };
    this.#body = new BodyCollector(this.#head);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#cancellation.progress += 1;
    if (this.#settled || this.#body?.add(chunk) !== true) return;
    this.#settleBody(this.#body);
    controller.abort(new Error('the rest of the body is not read'));
  }

  onResponseEnd(): void {
    this.#onFree?.();
    if (this.#body === undefined)
      this.#settleFailed(new Error('the response ended before it began'));
    else this.#settleBody(this.#body);
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.fail(error);
  }

  /** The dispatcher is done with the request, or never had it. */
  fail(error: unknown): void {
    this.#onFree?.();
    this.#settleFailed(error);
  }

  #settleFailed(error: unknown): void {
    if (this.#settled) return;
    this.#settle(classifyError(error, this.#controller !== undefined, this.#head));
  }

  #settleBody(body: BodyCollector): void {
    if (this.#settled) return;
    const result = body.result();
    if (result instanceof TransportError || !isEncoded(result)) this.#settle(result);
    else {
      decodeResponse(result).then(
        (decoded) => {
          if (!this.#settled) this.#settle(decoded);
        },
        (error: unknown) => this.#settleFailed(error),
      );
    }
  }

  #cancel(): void {
    if (this.#settled) return;
    this.stopWaiting?.();
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
    this.#settled = true;
    this.#done(result);
  }
}

function copyError(): TransportError {
  const cause = new Error('the dispatcher was about to send the request a second time by itself');
  return new TransportError('connection_lost', { cause, retryable: true });
}

/** The parsed headers themselves if each value is one string, as in most responses. */
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
