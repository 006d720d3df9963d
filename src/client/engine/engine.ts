/** Engine: turns an endpoint and a caller's arguments into a promise of data or of pages. */

import type { Endpoint } from '../endpoints.js';
import { unexpectedError } from '../errors/create-error.js';
import type { Config } from '../options/config.js';
import type { SafeLogger } from '../../logger.js';
import type { RawRequest } from '../options/raw-request.js';
import type { RequestOptions } from '../options/request-options.js';
import { readItems, readRecord, type Readable } from '../responses/read-result.js';
import { CallPromise, type CallExecutor } from '../results/call-promise.js';
import { PagePromise } from '../results/page-promise.js';
import { Page } from '../results/page.js';
import { contextOf } from './call-context.js';
import { checkedPath, type CallArguments } from './check-arguments.js';
import type { ClientState } from './client-state.js';
import { firstPage, type ListReader } from './list-pages.js';
import { prepareCall, withCallContext, type PreparedCall } from './prepare.js';
import { prepareRawCall } from './raw-request.js';
import type { CompletedCall } from './completed-call.js';
import { runCall } from './run-call.js';
import { Deadline } from './time/deadline.js';

export class Engine {
  readonly #config: Config;
  readonly #state: ClientState;

  constructor(config: Config, state: ClientState) {
    this.#config = config;
    this.#state = state;
  }

  get logger(): SafeLogger {
    return this.#config.logger;
  }

  get random(): () => number {
    return this.#config.random;
  }

  /** The machine's clock, in Unix milliseconds. */
  now(): number {
    return this.#config.clock();
  }

  /** For a method that makes several calls, such as a wait. */
  deadline(): Deadline {
    return new Deadline(this.#config);
  }

  /** The path on the wire, for the errors of a method that makes several calls. */
  pathOf(endpoint: Endpoint, params: Readonly<Record<string, unknown>>): string {
    const { prefix } = this.#config;
    try {
      return prefix + checkedPath(endpoint, params);
    } catch (error) {
      throw withCallContext({ method: endpoint.method, path: prefix + endpoint.path }, error);
    }
  }

  /** A call that returns one record. */
  call<T>(endpoint: Endpoint, args: CallArguments, options?: RequestOptions): CallPromise<T> {
    return new CallPromise(
      this.#execute(
        () => this.#prepare(endpoint, args, options),
        (completed) => readRecord(this.#readable(completed)) as T,
      ),
    );
  }

  /** A call that returns a list without pages. */
  callList<T>(endpoint: Endpoint, args: CallArguments, options?: RequestOptions): CallPromise<T[]> {
    return new CallPromise(
      this.#execute(
        () => this.#prepare(endpoint, args, options),
        (completed) => this.#readItems<T>(completed),
      ),
    );
  }

  /** A call that returns a list in pages, of the class that reads more than items where one is given. */
  callPages<T, P extends Page<T> = Page<T>>(
    endpoint: Endpoint,
    query: unknown,
    options: RequestOptions | undefined,
    PageOf: ListReader<T, P>['PageOf'] = Page as unknown as ListReader<T, P>['PageOf'],
  ): PagePromise<P> {
    return new PagePromise(
      this.#execute(
        () => this.#prepare(endpoint, { query }, options),
        (completed) =>
          firstPage(completed, {
            PageOf,
            run: (call) => runCall(call, this.#config, this.#state),
            readItems: (page) => this.#readItems<T>(page),
          }),
      ),
    );
  }

  /** A call of any path: signed and retried like the others, its JSON returned as it is. */
  request<T>(request: RawRequest): CallPromise<T> {
    return new CallPromise(
      this.#execute(
        () => prepareRawCall(this.#config, request),
        ({ response }) => response.body as T,
      ),
    );
  }

  /** Not async on purpose: each extra promise costs about 3 % of a call (docs/performance.md). */
  #execute<T>(prepare: () => PreparedCall, read: (completed: CompletedCall) => T): CallExecutor<T> {
    return (resolve, reject) => {
      runCall(prepare(), this.#config, this.#state).then((completed) => {
        try {
          resolve({ data: read(completed), response: completed.response });
        } catch (error) {
          reject(error);
        }
      }, reject);
    };
  }

  #prepare(endpoint: Endpoint, args: CallArguments, options: unknown): PreparedCall {
    return prepareCall(this.#config, endpoint, args, options);
  }

  #readItems<T>(completed: CompletedCall): T[] {
    return readItems(this.#readable(completed)) as T[];
  }

  #readable({ call, nonces, response }: CompletedCall): Readable {
    return {
      endpoint: call.endpoint,
      response,
      validation: this.#config,
      context: call.context,
      reportedFields: this.#state.reportedFields,
      unexpected: (what) =>
        unexpectedError({ ...contextOf(call), nonces, outcome: 'unknown' }, response, what),
    };
  }
}
