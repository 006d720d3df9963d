/**
 * An undici dispatcher that answers from msw handlers: msw itself sees fetch and node:http, not
 * undici. Nothing global is patched, so tests can run side by side.
 */

import { getResponse, type RequestHandler } from 'msw';
import { Dispatcher } from 'undici';

/** A request as it went over the wire. */
export interface SentRequest {
  readonly method: string;
  /** Path and query, exactly as sent. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export class MswDispatcher extends Dispatcher {
  /** Everything that was sent, in order. */
  readonly sent: SentRequest[] = [];
  /** Asked before each request; an error that it gives is one of connecting, and nothing is sent. */
  onConnect: () => Error | undefined = () => undefined;
  #handlers: RequestHandler[];

  constructor(...handlers: RequestHandler[]) {
    super();
    this.#handlers = handlers;
  }

  /** Puts handlers before the ones that are there. */
  use(...handlers: RequestHandler[]): void {
    this.#handlers = [...handlers, ...this.#handlers];
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    void this.#answer(options, handler);
    return true;
  }

  async #answer(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): Promise<void> {
    const controller = new Controller();
    const body = options.body as Uint8Array | null;
    const headers = options.headers as Record<string, string>;
    try {
      const refusal = this.onConnect();
      if (refusal !== undefined) throw refusal;
      handler.onRequestStart?.(controller, {});
      controller.throwIfAborted();
      this.sent.push({
        method: options.method,
        target: options.path,
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
        ),
        body: body === null ? '' : Buffer.from(body).toString('utf8'),
      });
      const request = new Request(String(options.origin) + options.path, {
        method: options.method,
        headers,
        ...(body === null ? {} : { body: Uint8Array.from(body) }),
      });
      const response = await controller.race(getResponse(this.#handlers, request));
      if (response === undefined)
        throw new Error(`no handler for ${options.method} ${options.path}`);
      // HttpResponse.error(): the connection went away.
      if (response.type === 'error') throw new ConnectionReset();
      handler.onResponseStart?.(controller, response.status, Object.fromEntries(response.headers));
      const reader = response.body?.getReader();
      for (;;) {
        const read = await controller.race(reader?.read());
        controller.throwIfAborted();
        if (read === undefined || read.done) break;
        handler.onResponseData?.(controller, Buffer.from(read.value as Uint8Array));
      }
      controller.throwIfAborted();
      handler.onResponseEnd?.(controller, {});
    } catch (error) {
      handler.onResponseError?.(controller, error as Error);
    }
  }
}

/** What the operating system says of a port where nobody listens. */
export class ConnectionRefused extends Error {
  readonly code = 'ECONNREFUSED';
  readonly syscall = 'connect';

  constructor() {
    super('connect ECONNREFUSED');
  }
}

class ConnectionReset extends Error {
  readonly code = 'ECONNRESET';
  readonly syscall = 'read';

  constructor() {
    super('read ECONNRESET');
  }
}

/** undici's controller, as far as the client uses it. */
class Controller implements Dispatcher.DispatchController {
  readonly paused = false;
  readonly #abort = new AbortController();

  get aborted(): boolean {
    return this.#abort.signal.aborted;
  }

  get reason(): Error | null {
    return (this.#abort.signal.reason as Error | undefined) ?? null;
  }

  abort(reason: Error): void {
    this.#abort.abort(reason);
  }

  pause(): void {
    throw new Error('not asked for');
  }

  resume(): void {
    throw new Error('not asked for');
  }

  throwIfAborted(): void {
    this.#abort.signal.throwIfAborted();
  }

  /** The value, or the abort's reason if that comes first. */
  async race<T>(value: T | Promise<T>): Promise<T> {
    const { signal } = this.#abort;
    let onAbort: (() => void) | undefined;
    const aborted = new Promise<never>((_resolve, reject) => {
      onAbort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort);
    });
    try {
      return await Promise.race([value, aborted]);
    } finally {
      if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
    }
  }
}
