/** Turns a row of the table and a caller's input into a promise of data or of pages. */

import { findList, findNextCursor, pageParameters, unwrapRecord } from '../assumptions.js';
import type { Endpoint } from '../endpoints.js';
import { unexpectedError } from '../errors/of-call.js';
import { InvalidRequestError } from '../errors/before-sending.js';
import type { MarketError } from '../errors/market-error.js';
import { checkInput, type Check } from '../input/index.js';
import type { Config } from '../config.js';
import type { RequestOptions } from '../options.js';
import { newTrail, Page, type PageParts, type Trail } from '../pages/page.js';
import { PagePromise } from '../pages/page-promise.js';
import { fieldProblems } from '../responses/documented.js';
import { CallPromise, type CallResponse, type WithResponse } from './call-promise.js';
import {
  prepareCall,
  rawEndpoint,
  type CallInput,
  type PreparedCall,
  type RawEndpoint,
  type RawRequest,
} from './prepare.js';
import { runCall, type Completed } from './run.js';
import type { SafeLogger } from './logger.js';
import type { Runtime } from './runtime.js';
import { Stopwatch } from './stopwatch.js';

/** Checks one argument; `name` is what it is called in messages. */
export type CheckArgument = <Out>(check: Check<Out>, input: unknown, name?: string) => Out;

/** Makes a call's input out of the caller's arguments; what it throws, the call's promise rejects with. */
export type ReadInput = (check: CheckArgument) => CallInput;

type PageClass<T, P extends Page<T>> = new (parts: PageParts<T>) => P;

export class Engine {
  readonly #config: Config;
  readonly #runtime: Runtime;

  constructor(config: Config, runtime: Runtime) {
    this.#config = config;
    this.#runtime = runtime;
  }

  get logger(): SafeLogger {
    return this.#config.logger;
  }

  get random(): () => number {
    return this.#config.random;
  }

  /** For a call that is made of several, such as a wait. */
  stopwatch(): Stopwatch {
    return new Stopwatch(this.#config);
  }

  /** A call that gives one record. */
  call<T>(
    endpoint: Endpoint,
    options: RequestOptions | undefined,
    read: ReadInput = () => ({}),
  ): CallPromise<T> {
    return new CallPromise(
      this.#send(endpoint, options, read, (completed) => {
        const record = unwrapRecord(completed.answer.body, Object.keys(endpoint.documents));
        this.#checkDocumented(endpoint, completed, [record]);
        return record as T;
      }),
    );
  }

  /** A call that gives a list without pages. */
  items<T>(
    endpoint: Endpoint,
    options: RequestOptions | undefined,
    read: ReadInput,
  ): CallPromise<T[]> {
    return new CallPromise(
      this.#send(endpoint, options, read, (completed) => this.#itemsOf<T>(endpoint, completed)),
    );
  }

  /** A call that gives a list in pages, of the given class where more than items is to be read. */
  pages<T, P extends Page<T> = Page<T>>(
    endpoint: Endpoint,
    options: RequestOptions | undefined,
    read: ReadInput = () => ({}),
    PageOf: PageClass<T, P> = Page as unknown as PageClass<T, P>,
  ): PagePromise<P> {
    const cursorName = endpoint.cursor ?? pageParameters.cursor;
    const fetchPage = (cursor: string | undefined, trail: Trail): Promise<WithResponse<P>> => {
      let sentCursor = cursor;
      const readPage: ReadInput = (check) => {
        const input = read(check);
        const pairs = input.query as [string, string][] | undefined;
        sentCursor ??= pairs?.find(([name]) => name === cursorName)?.[1];
        return { ...input, query: withCursor(pairs ?? [], cursorName, sentCursor) };
      };
      return this.#send(endpoint, options, readPage, (completed, response) => {
        const items = this.#itemsOf<T>(endpoint, completed);
        const nextCursor = findNextCursor(completed.answer.body);
        return new PageOf({ items, nextCursor, response, sentCursor, trail, fetchPage });
      });
    };
    return new PagePromise(fetchPage(undefined, newTrail));
  }

  /** A call of any path: signed and retried like the others, its answer given as it is. */
  request<T>(request: RawRequest): CallPromise<T> {
    const endpoint = () => rawEndpoint(request);
    const read = () => ({
      ...(request.query === undefined ? {} : { query: request.query }),
      ...(request.body === undefined ? {} : { body: request.body }),
    });
    return new CallPromise(this.#send(endpoint, request, read, ({ answer }) => answer.body as T));
  }

  async #send<T>(
    row: Endpoint | (() => RawEndpoint),
    options: RequestOptions = {},
    read: ReadInput,
    result: (completed: Completed, response: CallResponse) => T,
  ): Promise<WithResponse<T>> {
    const endpoint = typeof row === 'function' ? row() : row;
    const call = this.#prepare(endpoint, options, read);
    const completed = await runCall(call, this.#config, this.#runtime);
    const { status, headers, body, requestId } = completed.answer;
    const response: CallResponse = {
      status,
      headers,
      body,
      requestId,
      attempts: completed.attempts,
      idempotencyKey: call.idempotencyKey,
    };
    return { data: result(completed, response), response };
  }

  /** Everything that can be refused is refused here, with the call's name on it. */
  #prepare(
    endpoint: Endpoint | RawEndpoint,
    options: RequestOptions,
    read: ReadInput,
  ): PreparedCall {
    const { method, path } = endpoint;
    const check: CheckArgument = (rule, input, name) =>
      checkInput(rule, input, { method, path, ...(name === undefined ? {} : { name }) });
    try {
      return prepareCall(this.#config, endpoint, read(check), options);
    } catch (error) {
      if (!(error instanceof InvalidRequestError) || error.method !== undefined) throw error;
      throw new InvalidRequestError(error.issues, { method, path }, { cause: error.cause });
    }
  }

  #itemsOf<T>(endpoint: Endpoint, completed: Completed): T[] {
    const items = findList(completed.answer.body, endpoint.list ?? '');
    if (items === undefined) {
      throw this.#unexpected(endpoint, completed, 'JSON that holds no list');
    }
    this.#checkDocumented(endpoint, completed, items);
    return items as T[];
  }

  /** Tells of documented fields that are not as documented; throws for reads alone, and where asked to. */
  #checkDocumented(endpoint: Endpoint, completed: Completed, records: readonly unknown[]): void {
    const { validateResponses, logger } = this.#config;
    if (validateResponses === 'off') return;
    for (const record of records) {
      const problems = fieldProblems(record, endpoint.documents);
      if (problems.length === 0) continue;
      if (validateResponses === 'error' && endpoint.method === 'GET') {
        const fields = problems.map(({ field, message }) => `"${field}" ${message}`).join(', ');
        throw this.#unexpected(
          endpoint,
          completed,
          `a record that is not as documented: ${fields}`,
        );
      }
      for (const { field, message } of problems) {
        const key = `${endpoint.name} ${field}`;
        if (this.#runtime.reported.has(key)) continue;
        this.#runtime.reported.add(key);
        const { status, requestId } = completed.answer;
        logger.warn(`${endpoint.name}: the answer's "${field}" ${message}`, {
          call: endpoint.name,
          field,
          status,
          ...(requestId === undefined ? {} : { requestId }),
        });
      }
    }
  }

  #unexpected(endpoint: Endpoint, { answer, attempts }: Completed, what: string): MarketError {
    const call = {
      name: endpoint.name,
      method: endpoint.method,
      path: this.#config.prefix + endpoint.path,
      repeatable: endpoint.repeatable,
      scopes: endpoint.scopes,
      idempotencyKey: undefined,
      attempts,
      outcome: 'unknown',
    } as const;
    return unexpectedError(call, answer, what);
  }
}

function withCursor(
  pairs: readonly [string, string][],
  name: string,
  cursor: string | undefined,
): [string, string][] {
  const others = pairs.filter(([key]) => key !== name);
  return cursor === undefined ? others : [...others, [name, cursor]];
}
