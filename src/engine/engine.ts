/** Turns a row of the table and a caller's input into a promise of data or of pages. */

import {
  findList,
  findNextCursor,
  isRecord,
  pageParameters,
  unwrapRecord,
} from '../assumptions.js';
import type { Config } from '../config.js';
import type { Endpoint } from '../endpoints.js';
import { InvalidRequestError } from '../errors/before-sending.js';
import type { CallFacts, MarketError } from '../errors/market-error.js';
import { unexpectedError } from '../errors/of-call.js';
import { checkInput, type Check } from '../input/index.js';
import type { RequestOptions } from '../options.js';
import { newTrail, Page, type FetchPage, type PageParts, type Trail } from '../pages/page.js';
import { PagePromise } from '../pages/page-promise.js';
import { fillPath } from '../protocol/path.js';
import { fieldProblems } from '../responses/documented.js';
import { CallPromise, type Answered } from './call-promise.js';
import { withEitherSignal } from './either-signal.js';
import type { SafeLogger } from './logger.js';
import { prepareCall, refuseBareOptions, type CallInput, type PreparedCall } from './prepare.js';
import { rawEndpoint, rawInput, type RawEndpoint, type RawRequest } from './raw-request.js';
import { runCall } from './run.js';
import type { Runtime } from './runtime.js';
import { Stopwatch } from './stopwatch.js';

/** Checks one argument; `name` is what it is called in messages. */
export type CheckArgument = <Out>(check: Check<Out>, input: unknown, name?: string) => Out;

/** Makes a call's input out of the caller's arguments; what it throws, the call's promise rejects with. */
export type ReadInput = (check: CheckArgument) => CallInput;

/** The parameters of a list. */
type Pairs = readonly (readonly [string, string])[];

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

  /** The path on the wire, for the errors of a call that is made of several. */
  pathOf(endpoint: Endpoint, params: Readonly<Record<string, string>>): string {
    return this.#config.prefix + fillPath(endpoint.path, params);
  }

  /** A call that gives one record. */
  call<T>(
    endpoint: Endpoint,
    options: RequestOptions | undefined,
    read: ReadInput,
  ): CallPromise<T> {
    return new CallPromise(this.#send(endpoint, options, read), (answered) => {
      const documented = endpoint.documents.map(([name]) => name);
      const record = unwrapRecord(answered.response.body, documented);
      this.#checkDocumented(answered, [record]);
      return record as T;
    });
  }

  /** A call that gives a list without pages. */
  items<T>(
    endpoint: Endpoint,
    options: RequestOptions | undefined,
    read: ReadInput,
  ): CallPromise<T[]> {
    return new CallPromise(this.#send(endpoint, options, read), (answered) =>
      this.#itemsOf<T>(endpoint, answered),
    );
  }

  /** A call that gives a list in pages, of the given class where more than items is to be read. */
  pages<T, P extends Page<T> = Page<T>>(
    endpoint: Endpoint,
    options: RequestOptions | undefined,
    readFilters: (check: CheckArgument) => Pairs,
    PageOf: PageClass<T, P> = Page as unknown as PageClass<T, P>,
  ): PagePromise<P> {
    const cursorName = endpoint.cursor ?? pageParameters.cursor;
    // Copied and read once: what the caller does to his objects later is not for the pages to come.
    // The signal by its name: an AbortController fits as options, and has it from its class.
    const given = { ...options, signal: options?.signal };
    let filters: Pairs | undefined;
    const answerAt = (cursor: string | undefined, signal: AbortSignal | undefined) =>
      this.#send(endpoint, { ...given, signal }, (check) => {
        refuseBareOptions(options);
        filters ??= readFilters(check);
        return { query: cursor === undefined ? filters : withCursor(filters, cursorName, cursor) };
      });
    const pageOf = (answered: Answered, cursor: string | undefined, trail: Trail) => {
      const { response } = answered;
      const { method, path } = answered.call;
      const items = this.#itemsOf<T>(endpoint, answered);
      const nextCursor = findNextCursor(response.body);
      const sentCursor = cursor ?? filters?.find(([name]) => name === cursorName)?.[1];
      const call = { method, path };
      return new PageOf({ items, nextCursor, call, response, sentCursor, trail, fetchPage });
    };
    const fetchPage: FetchPage<P> = (cursor, trail, leaving) =>
      withEitherSignal(given.signal, leaving, async (signal) =>
        pageOf(await answerAt(cursor, signal), cursor, trail),
      );
    return new PagePromise(answerAt(undefined, given.signal), (answered) =>
      pageOf(answered, undefined, newTrail),
    );
  }

  /** A call of any path: signed and retried like the others, its answer given as it is. */
  request<T>(request: RawRequest): CallPromise<T> {
    const row = () => {
      try {
        return rawEndpoint(request);
      } catch (error) {
        throw onCall(isRecord(request) ? request : {}, error);
      }
    };
    const read = () => rawInput(request);
    return new CallPromise(this.#send(row, request, read), ({ response }) => response.body as T);
  }

  /** Not an async function: each of them between a caller and the wire takes about 3 % of a call. */
  #send(
    row: Endpoint | (() => RawEndpoint),
    options: RequestOptions = {},
    read: ReadInput,
  ): Promise<Answered> {
    try {
      const endpoint = typeof row === 'function' ? row() : row;
      return runCall(this.#prepare(endpoint, options, read), this.#config, this.#runtime);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Everything that can be refused is refused here, with the call's name on it. */
  #prepare(
    endpoint: Endpoint | RawEndpoint,
    options: RequestOptions,
    read: ReadInput,
  ): PreparedCall {
    try {
      return prepareCall(this.#config, endpoint, read(checkArgument), options);
    } catch (error) {
      throw onCall(endpoint, error);
    }
  }

  #itemsOf<T>(endpoint: Endpoint, answered: Answered): T[] {
    const items = findList(answered.response.body, endpoint.list ?? '');
    if (items === undefined) throw unexpected(answered, 'JSON that holds no list');
    this.#checkDocumented(answered, items);
    return items as T[];
  }

  /** Tells of documented fields that are not as documented; throws for reads alone, and where asked to. */
  #checkDocumented(answered: Answered, records: readonly unknown[]): void {
    const { validateResponses, logger } = this.#config;
    const { name, method, documents } = answered.call.endpoint;
    if (validateResponses === 'off') return;
    for (const record of records) {
      const problems = fieldProblems(record, documents);
      if (problems.length === 0) continue;
      if (validateResponses === 'error' && method === 'GET') {
        const fields = problems.map(({ field, message }) => `"${field}" ${message}`).join(', ');
        throw unexpected(answered, `a record that is not as documented: ${fields}`);
      }
      for (const { field, message } of problems) {
        const key = `${name} ${field}`;
        if (this.#runtime.reported.has(key)) continue;
        this.#runtime.reported.add(key);
        const { status, requestId } = answered.response;
        logger.warn(`${name}: the answer's "${field}" ${message}`, {
          call: name,
          field,
          status,
          ...(requestId === undefined ? {} : { requestId }),
        });
      }
    }
  }
}

function unexpected({ call, response }: Answered, what: string): MarketError {
  const { endpoint, method, path, idempotencyKey } = call;
  const { name, repeatable, scopes } = endpoint;
  const { attempts } = response;
  return unexpectedError(
    { name, method, path, repeatable, scopes, idempotencyKey, attempts, outcome: 'unknown' },
    response,
    what,
  );
}

const checkArgument: CheckArgument = (rule, input, name) =>
  checkInput(rule, input, name === undefined ? {} : { name });

/** Puts the call on a refusal that does not name it yet. */
function onCall({ method, path }: CallFacts, error: unknown): unknown {
  if (!(error instanceof InvalidRequestError) || error.method !== undefined) return error;
  return new InvalidRequestError(error.issues, { method, path }, { cause: error.cause });
}

function withCursor(pairs: Pairs, name: string, cursor: string): Pairs {
  return [...pairs.filter(([key]) => key !== name), [name, cursor]];
}
