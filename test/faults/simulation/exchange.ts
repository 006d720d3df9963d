/** A network without sockets: an undici dispatcher that plays one fault for each request. */

import type { DispatcherLike } from 'market-partner-sdk';
import type { Random } from './random.js';
import type { SimulatedTime } from './simulated-time.js';

/** A request as it went over the wire. */
export interface WireRequest {
  readonly method: string;
  /** Path and query, exactly as sent. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Works on a request and gives the response that it would send. */
export type Service = (request: WireRequest) => WireResponse;

/** What happens to one request. */
export type Fault = (exchange: Exchange) => void;

/** The part of undici's dispatch options that the client sets. */
interface DispatchOptions {
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

/** The part of undici 7's handler that the client implements. */
interface DispatchHandler {
  onRequestStart?(controller: Controller, context: object): void;
  onResponseStart?(
    controller: Controller,
    status: number,
    headers: Record<string, string>,
    statusText: string,
  ): void;
  onResponseData?(controller: Controller, chunk: Uint8Array): void;
  onResponseEnd?(controller: Controller, trailers: object): void;
  onResponseError?(controller: Controller, error: Error): void;
}

export interface NetworkOptions {
  readonly time: SimulatedTime;
  readonly random: Random;
  readonly service: Service;
  /** Chooses what happens to a request. */
  readonly faultFor: (request: WireRequest) => Fault;
}

export class SimulatedNetwork implements DispatcherLike {
  /** Every request whose bytes may have left, in order. */
  readonly sent: WireRequest[] = [];
  /** The process behind this network has died: nothing leaves it, and nothing reaches it. */
  crashed = false;
  readonly #options: NetworkOptions;

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  dispatch(options: never, handler: never): boolean {
    if (this.crashed) return true;
    const { path, method, headers, body } = options as DispatchOptions;
    const request: WireRequest = {
      method,
      target: path,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      body: body === null ? '' : Buffer.from(body).toString('utf8'),
    };
    const fault = this.#options.faultFor(request);
    fault(new Exchange(this, this.#options, request, handler));
    return true;
  }
}

/** One request and what comes back for it. A fault plays it. */
export class Exchange {
  readonly request: WireRequest;
  readonly random: Random;
  readonly time: SimulatedTime;
  readonly #network: SimulatedNetwork;
  readonly #service: Service;
  readonly #handler: DispatchHandler;
  readonly #controller: Controller;

  constructor(
    network: SimulatedNetwork,
    { time, random, service }: NetworkOptions,
    request: WireRequest,
    handler: DispatchHandler,
  ) {
    this.request = request;
    this.random = random;
    this.time = time;
    this.#network = network;
    this.#service = service;
    this.#handler = handler;
    this.#controller = new Controller((reason) => {
      this.#whenOpen(() => handler.onResponseError?.(this.#controller, reason));
    });
  }

  after(ms: number, run: () => void): void {
    this.time.after(ms, run);
  }

  /** The connection stands and the bytes leave, unless the client gave up before. */
  start(): boolean {
    if (this.#network.crashed) return false;
    this.#handler.onRequestStart?.(this.#controller, {});
    if (this.#controller.aborted) return false;
    this.#network.sent.push(this.request);
    return true;
  }

  /** The client has left. */
  get gone(): boolean {
    return this.#controller.aborted;
  }

  /** The service works on the request, whether or not the client still waits. */
  work(request: WireRequest = this.request): WireResponse {
    return this.#service(request);
  }

  respond(response: WireResponse): void {
    this.head(response);
    this.data(response.body);
    this.end();
  }

  head({ status, headers }: WireResponse): void {
    this.#whenOpen(() =>
      this.#handler.onResponseStart?.(this.#controller, status, { ...headers }, ''),
    );
  }

  data(text: string): void {
    this.#whenOpen(() => {
      if (text !== '') this.#handler.onResponseData?.(this.#controller, Buffer.from(text));
    });
  }

  end(): void {
    this.#whenOpen(() => this.#handler.onResponseEnd?.(this.#controller, {}));
  }

  fail(error: Error): void {
    this.#whenOpen(() => this.#handler.onResponseError?.(this.#controller, error));
  }

  #whenOpen(run: () => void): void {
    if (!this.#network.crashed && !this.#controller.aborted) run();
  }
}

class Controller {
  readonly paused = false;
  aborted = false;
  reason: Error | null = null;
  readonly #onAbort: (reason: Error) => void;

  constructor(onAbort: (reason: Error) => void) {
    this.#onAbort = onAbort;
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.#onAbort(reason);
    this.aborted = true;
    this.reason = reason;
  }

  pause(): void {
    throw new Error('the client pauses no response');
  }

  resume(): void {
    throw new Error('the client resumes no response');
  }
}
