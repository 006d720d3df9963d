/**
 * What a service, a gateway or a cache can say about a sale that is not true: lists that do not show the
 * order that exists, and responses to POST /orders that are not about the order that was sent.
 */

/** A response, and what it does not show. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Changes the true response to GET /orders, in which the order is. */
export type ListLie = (truth: Answer, page: number) => Answer;

export const domain = 'brew.example';
export const input = {
  domain,
  expected_price: 250_000,
  currency: 'USD',
  external_payment_ref: 'payment-1001',
};
/** The order that the service has. */
export const order = {
  public_id: 'ord_1',
  status: 'EXTERNALLY_PAID',
  ...input,
  sale_price_cents: 250_000,
};
const other = {
  ...order,
  public_id: 'ord_2',
  domain: 'tea.example',
  external_payment_ref: 'pay-2',
};

export const truth: Answer = {
  status: 200,
  headers: {},
  body: { data: [order], next_cursor: null },
};

const saying =
  (more: object): ListLie =>
  (answer) => ({ ...answer, body: { ...(answer.body as object), data: [], ...more } });
const empty = saying({});
const withHeaders =
  (headers: Record<string, string>): ListLie =>
  (answer, page) => {
    const shown = empty(answer, page);
    return { ...shown, headers: { ...shown.headers, ...headers } };
  };
const withStatus =
  (status: number): ListLie =>
  (answer, page) => ({ ...empty(answer, page), status });
/** The first page is empty and leads on to the second. */
const onPageTwo =
  (lie: ListLie): ListLie =>
  (answer, page) =>
    page === 1 ? saying({ next_cursor: 'c1' })(answer, page) : lie(answer, page);
const showing =
  (...orders: readonly object[]): ListLie =>
  (answer) => ({ ...answer, body: { ...(answer.body as object), data: orders } });
const changed =
  (change: (reference: string) => unknown): ListLie =>
  (answer) => {
    const { data } = Object(answer.body) as { data?: unknown };
    if (!Array.isArray(data)) return answer;
    const orders = (data as Record<string, unknown>[]).map((each) => {
      const { external_payment_ref: reference } = each;
      return typeof reference === 'string'
        ? { ...each, external_payment_ref: change(reference) }
        : each;
    });
    return { ...answer, body: { ...(answer.body as object), data: orders } };
  };

/** Lists from which nothing follows: the look-up has failed, and the sale stays open. */
const listsWithoutProof: Readonly<Record<string, ListLie>> = {
  'stale, with an Age': withHeaders({ age: '20' }),
  'stale, with x-cache': withHeaders({ 'x-cache': 'HIT' }),
  'stale, with cf-cache-status': withHeaders({ 'cf-cache-status': 'HIT' }),
  'stale, with cache-status': withHeaders({ 'cache-status': 'edge; hit' }),
  'stale, with x-rack-cache': withHeaders({ 'x-rack-cache': 'fresh' }),
  'stale, with x-from-cache': withHeaders({ 'x-from-cache': '1' }),
  'stale, with x-cache-age': withHeaders({ 'x-cache-age': '20' }),
  'stale, with Warning: 110': withHeaders({ warning: '110 - "Response is Stale"' }),
  'stale, in the body': saying({ cached: true }),
  'stale on the second page only': onPageTwo(withHeaders({ age: '20' })),
  'status 203': withStatus(203),
  'status 206': withStatus(206),
  'status 304': (answer) => ({ ...answer, status: 304, body: undefined }),
  has_more: saying({ has_more: true }),
  'has_more as a text': saying({ has_more: 'true' }),
  next_cursor: saying({ next_cursor: 'c1' }),
  'a cursor that loops': (answer, page) =>
    saying({ next_cursor: page % 2 === 1 ? 'c1' : 'c2' })(answer, page),
  'a cursor under another name': saying({ cursor: 'c1' }),
  next_token: saying({ next_token: 'c1' }),
  continuation_token: saying({ continuation_token: 'c1' }),
  'links.next': saying({ links: { next: '/orders?page=2' } }),
  'Link: rel=next': withHeaders({ link: '</orders?page=2>; rel="last next"' }),
  'X-Next-Page': withHeaders({ 'x-next-page': '2' }),
  partial: saying({ partial: true }),
  timed_out: saying({ timed_out: true }),
  error: saying({ error: { shard: 3 } }),
  errors: saying({ errors: ['shard 3'] }),
  warnings: saying({ warnings: ['shard 3'] }),
  detail: saying({ title: 'Bad Gateway', detail: 'no backend' }),
  'code: 500': saying({ code: 500 }),
  'success: false': saying({ success: false }),
  'ok: false': saying({ ok: false }),
  'status: error': saying({ status: 'error' }),
  'result: error': saying({ result: 'error' }),
  'problem+json': withHeaders({ 'content-type': 'application/problem+json' }),
  'Retry-After': withHeaders({ 'retry-after': '5' }),
  'data: null': saying({ data: null, items: [] }),
  'a map in place of the list': saying({ data: { ord_1: order }, items: [] }),
  'the order in another list': saying({ pending: [order] }),
  total: saying({ total: 3 }),
  'total as a text': saying({ total: '1+' }),
  'total as a record': saying({ total: { value: 1, relation: 'eq' } }),
  'meta.total': saying({ meta: { total: 3 } }),
  num_found: saying({ num_found: 1 }),
  'X-Total-Count': withHeaders({ 'x-total-count': '1' }),
  'Content-Range': withHeaders({ 'content-range': 'orders */1' }),
  total_pages: saying({ total_pages: 3 }),
  'a first page that is page 2': saying({ page: 2 }),
  offset: saying({ offset: 20 }),
  'the filter is ignored': showing(other),
  'the filter is repeated wrongly': saying({ filters: { domain: other.domain } }),
  'Content-Location of another filter': withHeaders({
    'content-location': `/orders?domain=${other.domain}`,
  }),
};

/** Lists with an order that may be the sale's, or not: an operator decides. */
const ambiguousLists: Readonly<Record<string, ListLie>> = {
  'a reference in upper case': changed((reference) => reference.toUpperCase()),
  'a reference with white space': changed((reference) => ` ${reference} `),
  'a reference that is cut off': changed((reference) => reference.slice(0, 8)),
  'a reference in a list': changed((reference) => [reference]),
  'no reference': changed(() => undefined),
  'no reference, and the currency as a sign': showing({
    ...order,
    external_payment_ref: undefined,
    currency: 'US$',
  }),
  'no reference, and the price as a text': showing({
    ...order,
    external_payment_ref: undefined,
    sale_price_cents: '2500.00',
  }),
  'the order twice, with other ids': showing(order, { ...order, public_id: 'ord_3' }),
  'the order at a higher price': showing({ ...order, sale_price_cents: 250_001 }),
  'the order in another currency': showing({ ...order, currency: 'EUR' }),
};

/** Each lie of a list, and the state of a sale whose look-ups meet it. */
export const listLies: Readonly<Record<string, { lie: ListLie; state: 'open' | 'attention' }>> = {
  ...withState('open', listsWithoutProof),
  ...withState('attention', ambiguousLists),
};

/** What POST /orders says, and the state of the sale: a success without the order is looked up. */
export const orderLies: Readonly<
  Record<string, { answer: Answer; state: 'open' | 'attention' | 'placed' }>
> = {
  'an order of another domain': created({ ...order, domain: other.domain }),
  'an order of another payment': created({ ...order, external_payment_ref: 'payment-2' }),
  'an order at the price 1': created({ ...order, sale_price_cents: 1 }),
  'an order in yen': created({ ...order, currency: 'JPY' }),
  'an order next to success: false': created({ success: false, order }),
  'an order next to an error': created({ error: { code: 'conflict' }, order }),
  'an order next to a code': created({ code: 'price_mismatch', public_id: 'ord_1' }),
  'another order in an envelope': created({ data: { order: other } }),
  'an order without an id': { ...created({ status: 'EXTERNALLY_PAID' }), state: 'placed' },
  'no order': { ...created({}), state: 'placed' },
  'two orders': { ...created({ first: order, second: other }), state: 'placed' },
  queued: { ...created({ status: 'queued' }, 202), state: 'placed' },
  'no content': { ...created(undefined, 204), state: 'placed' },
  'a refusal with an order': created({ code: 'price_mismatch', order }, 422),
  'a page of a gateway': { ...created('<h1>OK</h1>', 200), state: 'placed' },
  'a 404 of a gateway': { ...created({ error: 'Not Found' }, 404), state: 'open' },
};

function withState<S extends 'open' | 'attention'>(state: S, lies: Record<string, ListLie>) {
  return Object.fromEntries(Object.entries(lies).map(([name, lie]) => [name, { lie, state }]));
}

function created(body: unknown, status = 201) {
  return { answer: { status, headers: {}, body }, state: 'attention' } as const;
}

/** As it comes over the wire. */
export function toResponse({ status, headers, body }: Answer): Response {
  if (body === undefined) return new Response(null, { status, headers });
  if (typeof body !== 'string') return Response.json(body, { status, headers });
  return new Response(body, { status, headers: { 'content-type': 'text/html', ...headers } });
}
