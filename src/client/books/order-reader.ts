/** OrderReader: reads the lists that a comparison needs, and says what each of them proves. */

import type { Engine } from '../engine/engine.js';
import { readError } from '../../core/errors/read-error.js';
import { isRecord } from '../../core/json.js';
import type { Order, OrderFilters } from '../model/orders.js';
import type { PageRequest } from '../model/ranges.js';
import type { SettlementStatement } from '../model/settlements.js';
import type { RequestOptions } from '../options/request-options.js';
import type { ListPage } from '../sale/absence-proof.js';
import { isRefusal } from '../sale/decide-verdict.js';
import { readList, type ListToRead } from '../sale/read-list.js';

/** The parts of the client that a comparison uses. All of them read. */
export interface ReconcileContext {
  readonly orders: {
    list(filters: OrderFilters, options: RequestOptions): PromiseLike<ListPage<Order>>;
    listSettlements(
      page: PageRequest,
      options: RequestOptions,
    ): PromiseLike<ListPage<SettlementStatement>>;
  };
  readonly engine: Pick<Engine, 'now' | 'limits' | 'deadline'>;
}

/** Each list has its own deadline. Its records are passed to the callbacks and not retained. */
export class OrderReader {
  readonly #context: ReconcileContext;
  readonly #call: RequestOptions;
  readonly #onPage: () => void;

  constructor(context: ReconcileContext, call: RequestOptions, onPage: () => void) {
    this.#context = context;
    this.#call = call;
    this.#onPage = onPage;
  }

  /**
   * @param isForeign - whether the filters exclude an order
   * @returns why orders may be missing from the list; `undefined` if it has them all.
   */
  async readOrders(
    filters: OrderFilters,
    isForeign: (order: Partial<Order>) => boolean,
    use: (order: Order) => void,
  ): Promise<string | undefined> {
    const { orders } = this.#context;
    let unreadable = 0;
    const doubt = await this.#read<Order>({
      noun: 'orders',
      readPage: (cursor, deadlineMs) =>
        orders.list({ ...filters, cursor }, { ...this.#call, deadlineMs }),
      isForeign,
      use: (order) => {
        if (isReadable(order)) use(order);
        else unreadable += 1;
      },
    });
    // It may be any sale's.
    return doubt ?? (unreadable > 0 ? 'has an order without its id or its domain' : undefined);
  }

  /** @returns why statements may be missing from the list; `undefined` if it has them all. */
  readStatements(use: (statement: SettlementStatement) => void): Promise<string | undefined> {
    const { orders } = this.#context;
    return this.#read<SettlementStatement>({
      noun: 'settlements',
      readPage: (cursor, deadlineMs) =>
        orders.listSettlements({ cursor }, { ...this.#call, deadlineMs }),
      isForeign: () => false,
      use,
    });
  }

  async #read<T extends object>({
    readPage,
    use,
    ...list
  }: Pick<ListToRead<T>, 'noun' | 'readPage' | 'isForeign'> & {
    readonly use: (item: T) => void;
  }): Promise<string | undefined> {
    const time = this.#context.engine.deadline();
    const reading = readList<T>({
      ...list,
      readPage: async (cursor, deadlineMs) => {
        const page = await readPage(cursor, deadlineMs);
        this.#onPage();
        return page;
      },
      keep: (item) => {
        use(item);
        return false;
      },
      nowMs: () => time.nowMs(),
      deadlineMs: this.#call.deadlineMs ?? this.#context.engine.limits.deadlineMs,
    });
    try {
      return (await reading).doubt;
    } catch (error) {
      if (!isOfTheList(error)) throw error;
      return `could not be read: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}

/**
 * Whether an error is of this one list, such as a 200 that states a failure. An outage or a refused credential is
 * of all lists: to go on would end in a finding for each sale, and in as many requests.
 */
function isOfTheList(error: unknown): boolean {
  const { status, code } = readError(error);
  const isSuccess = typeof status === 'number' && status >= 200 && status < 300;
  return isSuccess || isRefusal(status, code) || (status === 404 && code === undefined);
}

/** An order without an id cannot be distinguished from another. */
function isReadable(order: unknown): order is Order {
  if (!isRecord(order)) return false;
  const { public_id: id, domain } = order;
  return typeof id === 'string' && id !== '' && typeof domain === 'string';
}
