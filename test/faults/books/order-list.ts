/** The lists of a service as a `fetch` function: GET /orders and GET /settlements, with their lies. */

import type { FetchLike, Order, SettlementStatement } from 'market-partner-sdk';

/** What is wrong with the responses. */
export interface Lies {
  /** Members that every page has besides its orders. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Shows the first page of everything, whatever was asked for. */
  readonly ignoresFilters?: boolean;
  /** Fields that no order shows. */
  readonly hidden?: readonly string[];
  /** Orders that a stale list does not show yet. */
  readonly misses?: ReadonlySet<string>;
}

/** Orders on a page. */
export const pageSize = 7;

export class OrderList {
  readonly orders: Order[];
  readonly statements: SettlementStatement[];
  readonly lies: Lies;
  /** Called before each page: orders arrive while a list is read. */
  onPage: () => void = () => undefined;
  onQuery: (query: URLSearchParams) => void = () => undefined;
  requests = 0;
  /** Methods other than GET. */
  writes = 0;

  constructor(orders: Order[], statements: SettlementStatement[] = [], lies: Lies = {}) {
    this.orders = orders;
    this.statements = statements;
    this.lies = lies;
  }

  readonly fetch: FetchLike = async (address, init) => {
    this.requests += 1;
    if (init.method !== 'GET') this.writes += 1;
    this.onPage();
    const { pathname, searchParams } = new URL(address);
    this.onQuery(searchParams);
    const body = pathname.endsWith('/settlements')
      ? { data: this.statements }
      : this.#page(searchParams);
    return new Response(JSON.stringify({ ...body, ...this.lies.extra }), {
      headers: { 'content-type': 'application/json', ...this.lies.headers },
    });
  };

  #page(query: URLSearchParams): object {
    const { ignoresFilters = false, hidden = [], misses } = this.lies;
    const shown = this.orders
      .filter((order) => ignoresFilters || matches(order, query))
      .filter(({ public_id: id }) => misses?.has(id) !== true)
      .sort((a, b) => (a.public_id < b.public_id ? 1 : -1));
    const after = query.get('cursor');
    const rest = after === null ? shown : shown.filter(({ public_id: id }) => id < after);
    const items = rest.slice(0, pageSize);
    const isMore = rest.length > items.length && !ignoresFilters;
    return {
      data: items.map((order) =>
        Object.fromEntries(Object.entries(order).filter(([name]) => !hidden.includes(name))),
      ),
      next_cursor: isMore ? items.at(-1)?.public_id : null,
    };
  }
}

function matches(order: Order, query: URLSearchParams): boolean {
  const created = Date.parse(order.created_at ?? '');
  return (
    [null, order.domain.toLowerCase()].includes(query.get('domain')) &&
    [null, order.status].includes(query.get('status')) &&
    created >= Date.parse(query.get('from') ?? '1970-01-01') &&
    created <= Date.parse(query.get('to') ?? '2999-01-01')
  );
}
