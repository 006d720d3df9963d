/** Engine: turns an endpoint and a caller's arguments into a promise of data or of pages. */

import type { Endpoint } from '../endpoints.js';
import { unexpectedError } from '../errors/create-error.js';
import { serializeBody } from '../input/index.js';
import type { PreparedInput } from '../model/index.js';
import type { Config, Limits } from '../options/config.js';
import type { SafeLogger } from '../../core/logger.js';
import type { RawRequest } from '../options/raw-request.js';
import type { RequestOptions } from '../options/request-options.js';
import {
  inOurForm,
  readDelivered,
  readItems,
  readRecord,
  type Readable,
} from '../responses/read-result.js';
import { CallPromise, callPromise, type CallResponse } from '../results/call-promise.js';
import { isRecord } from '../../core/json.js';
import { PagePromise } from '../results/page-promise.js';
import { emptyHistory, Page, type CursorHistory, type PageInit } from '../results/page.js';
import { wireInput } from '../profile/to-theirs.js';
import { sha256Hex } from '../protocol/digest.js';
import { checkedBody, checkedPath, type CallArguments } from './check-arguments.js';
import type { ClientState } from './client-state.js';
import { atCursor, fromNewest, isReadBack, readPage, startAt } from './list-pages.js';
import { contextOf, prepareCall, withCallContext, type PreparedCall } from './prepare.js';
import { prepareRawCall } from './raw-request.js';
import type { CompletedCall, FindObjection } from './completed-call.js';
import { runCall } from './run-call.js';
import { Deadline } from '../../core/time/deadline.js';
import { withAnySignal } from '../../core/time/signals.js';

type PageClass<T, P extends Page<T>> = new (init: PageInit<T>) => P;

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

  /** The limits of a call without its own. */
  get limits(): Limits {
    return this.#config;
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
  pathOf(endpoint: Endpoint, param?: unknown): string {
    const { prefix } = this.#config;
    try {
      return prefix + checkedPath(endpoint, param);
    } catch (error) {
      throw withCallContext({ method: endpoint.method, path: prefix + endpoint.path }, error);
    }
  }

  /** What a call would send as its body, without sending it. */
  prepareInput<T>(endpoint: Endpoint, input: T): PreparedInput<T> {
    const path = this.pathOf(endpoint);
    try {
      const checked = checkedBody(endpoint, input);
      const { profile } = this.#config;
      const ours = serializeBody(checked);
      // What is stored is in our form: the service's would be translated twice.
      const body =
        profile === undefined ? ours : serializeBody(wireInput(profile, endpoint.name, checked));
      return { input: JSON.parse(ours) as T, body, sha256: sha256Hex(body) };
    } catch (error) {
      throw withCallContext({ method: endpoint.method, path }, error);
    }
  }

  /**
   * A call that returns one record.
   *
   * @param findObjection - why the record is not what was asked for, to complete "answered 200 with ..."
   */
  call<T>(
    endpoint: Endpoint,
    args: CallArguments,
    options?: RequestOptions,
    findObjection?: FindObjection,
  ): CallPromise<T> {
    return callPromise<T, CallPromise<T>>(CallPromise, async (slot) => {
      const completed = await this.#run(this.#prepare(endpoint, args, options));
      const data = readRecord(this.#readable(completed), (record) =>
        findObjection?.(record, completed),
      );
      slot.response = completed.response;
      return data as T;
    });
  }

  /** A call that returns a list without pages. */
  callList<T>(endpoint: Endpoint, args: CallArguments, options?: RequestOptions): CallPromise<T[]> {
    return callPromise<T[], CallPromise<T[]>>(CallPromise, async (slot) => {
      const completed = await this.#run(this.#prepare(endpoint, args, options));
      const items = readItems(this.#readable(completed));
      slot.response = completed.response;
      return items as T[];
    });
  }

  /** A call that returns a list in pages. */
  callPages<T>(
    endpoint: Endpoint,
    query: unknown,
    options: RequestOptions | undefined,
  ): PagePromise<Page<T>> {
    return this.callPagesOf<T, Page<T>>(Page, endpoint, query, options);
  }

  /** The same, with a class of pages that reads more than items. */
  callPagesOf<T, P extends Page<T>>(
    pageClass: PageClass<T, P>,
    endpoint: Endpoint,
    query: unknown,
    options: RequestOptions | undefined,
  ): PagePromise<P> {
    return callPromise<P, PagePromise<P>>(PagePromise, async (slot) => {
      const call = this.#prepare(endpoint, { query }, options);
      if (isReadBack(call)) return this.#readBack(pageClass, call, slot);
      const completed = await this.#run(startAt(call));
      slot.response = completed.response;
      return this.#toPage(pageClass, completed, call, emptyHistory);
    });
  }

  /** A history that leads from its newest event to older ones: read down to `after_id`, and given as one page, oldest first. */
  async #readBack<T, P extends Page<T>>(
    pageClass: PageClass<T, P>,
    call: PreparedCall,
    slot: { response: CallResponse | undefined },
  ): Promise<P> {
    const { id, first } = fromNewest(call);
    const isKnown = (item: unknown) => id !== null && isRecord(item) && item.id === id;
    const completed = await this.#run(first);
    slot.response = completed.response;
    let page = this.#toPage(pageClass, completed, first, emptyHistory);
    const items = [...page.items];
    while (!page.items.some(isKnown) && page.hasNextPage()) {
      page = await page.nextPage();
      items.push(...page.items);
    }
    const end = items.findIndex(isKnown);
    // One that it has forgotten is refused here, as by any history.
    if (id !== null && end === -1) await this.#run(startAt(call));
    const newer = end === -1 ? items : items.slice(0, end);
    return this.#toPage(pageClass, completed, first, emptyHistory, newer.reverse());
  }

  /** A call of any path: signed and retried like the others, its JSON returned as it is. */
  request<T>(request: RawRequest): CallPromise<T> {
    return callPromise<T, CallPromise<T>>(CallPromise, async (slot) => {
      const { response } = await this.#run(prepareRawCall(this.#config, request));
      slot.response = response;
      return response.body as T;
    });
  }

  /**
   * A page of a list, which can fetch the next.
   *
   * @param first - the call of the list's first page, whose filters hold for all of them
   * @param whole - the items of the whole list, if they were read
   */
  #toPage<T, P extends Page<T>>(
    pageClass: PageClass<T, P>,
    completed: CompletedCall,
    first: PreparedCall,
    history: CursorHistory,
    whole?: T[],
  ): P {
    const { call, response } = completed;
    const readable = this.#readable(completed);
    const page =
      whole === undefined
        ? readPage(readable, readItems(readable), first, call.position, history)
        : { items: whole, nextCursor: undefined, unreadable: undefined };
    const init: PageInit<T> = {
      ...page,
      items: page.items as T[],
      call: { method: call.method, path: call.path },
      response,
      sentCursor: call.position,
      history,
      fetchPage: (cursor, nextHistory, abandoned) =>
        withAnySignal(first.signal, abandoned, async (signal) => {
          const nextPage = await this.#run(atCursor(first, cursor, signal));
          return this.#toPage(pageClass, nextPage, first, nextHistory);
        }),
    };
    return inOurForm(readable, () => new pageClass(init));
  }

  readDelivered(delivered: unknown): unknown {
    const { profile, clock } = this.#config;
    return readDelivered(profile, delivered, clock());
  }

  #run(call: PreparedCall): Promise<CompletedCall> {
    return runCall(call, this.#config, this.#state);
  }

  #prepare(endpoint: Endpoint, args: CallArguments, options: unknown): PreparedCall {
    return prepareCall(this.#config, endpoint, args, options);
  }

  /** The response of a call, and what is needed to read its data. */
  #readable({ call, nonces, response, secrets }: CompletedCall): Readable {
    return {
      endpoint: call.endpoint,
      response,
      input: call.input,
      profile: call.profile,
      nowMs: this.#config.clock(),
      validation: this.#config,
      context: call.context,
      reportedFields: this.#state.reportedFields,
      unexpected: (what, assumption) => {
        const context = { ...contextOf(call), nonces, secrets, outcome: 'unknown' } as const;
        return unexpectedError(context, response, what, assumption);
      },
    };
  }
}
