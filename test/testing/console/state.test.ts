import { expect, it } from 'vitest';
import {
  attemptTitles,
  deliveryHint,
  deliveryStatus,
  eventDeliveries,
  responseOf,
} from '../../../src/testing/console/events.js';
import {
  callFault,
  deliveryFault,
  describeFault,
  lateFault,
} from '../../../src/testing/console/fault-calls.js';
import { checkoutState, targetOf } from '../../../src/testing/console/products.js';
import { noFilter } from '../../../src/testing/console/requests.js';
import { fragmentOf, parseRoute } from '../../../src/testing/console/route.js';
import { soldDomains } from '../../../src/testing/console/sold-domains.js';
import { mainCredential, sampleOrderLine } from '../../../src/testing/console/start.js';
import { initialState, maxRequests, reduce } from '../../../src/testing/console/state.js';
import { countErrors, endpointOf } from '../../../src/testing/console/traffic.js';
import type { ClockView, EmulatorView, ListingView } from '../../../src/testing/console/wire.js';
import { request } from './fixture.js';

it('keeps the latest requests, and each of them once', () => {
  const requests = Array.from({ length: maxRequests + 5 }, (_, at) =>
    request({ requestId: `req_${at}` }),
  );
  const first = reduce(initialState(''), { kind: 'requests', requests });
  expect(first.requests).toHaveLength(maxRequests);
  expect(first.requests.at(-1)?.requestId).toBe(`req_${maxRequests + 4}`);
  expect(reduce(first, { kind: 'requests', requests: requests.slice(-2) })).toBe(first);
});

it('ignores the time of a clock before the emulator was read', () => {
  const state = initialState('');
  const clock: ClockView = { now: 1, iso: '', offsetMs: 0 };
  expect(reduce(state, { kind: 'clock', clock })).toBe(state);
  const emulator = { clock: { ...clock, now: 0 } } as EmulatorView;
  const read = reduce(state, { kind: 'replace', values: { emulator } });
  expect(reduce(read, { kind: 'clock', clock }).emulator?.clock.now).toBe(1);
});

it.each([
  ['', undefined, undefined],
  ['#nowhere', undefined, undefined],
  ['#orders', 'orders', undefined],
  ['#orders/ord_1', 'orders', 'ord_1'],
])('shows the part of the page that %s names', (fragment, tab, id) => {
  expect(parseRoute(fragment)).toEqual({ tab, id });
  expect(reduce(initialState('#faults'), { kind: 'route', fragment }).route.tab).toBe(tab);
});

it.each([
  ['#requests/req_1', { search: 'brew' }, 'req_1'],
  ['#requests/req_1', { search: 'roast' }, undefined],
  ['#requests/req_1', { filter: { ...noFilter, endpoint: 'POST /orders' } }, undefined],
  ['#requests/req_none', { search: '' }, 'req_none'],
  ['#orders/ord_1', { search: 'BREW paid' }, 'ord_1'],
  ['#orders/ord_1', { search: 'roast' }, undefined],
  ['#orders/ord_1', { filter: { ...noFilter, endpoint: 'POST /orders' } }, 'ord_1'],
  ['#events/evt_1', { search: 'settled' }, 'evt_1'],
  ['#events/evt_1', { search: 'roast' }, undefined],
  ['#products/cs_1', { search: 'roast' }, undefined],
  ['#products/case_1', { search: 'ada' }, 'case_1'],
  ['#products/lnk_1', { search: 'roast' }, undefined],
  ['#domains/brew.example', { search: ' Brew' }, 'brew.example'],
  ['#domains/brew.example', { search: 'roast' }, undefined],
])('closes the details of %s that %j does not find', (fragment, values, id) => {
  const state = {
    ...initialState(fragment),
    requests: [request({ requestId: 'req_1', query: 'domain=brew.example' })],
    emulator: {
      orders: [{ public_id: 'ord_1', domain: 'brew.example', status: 'EXTERNALLY_PAID' }],
      events: [{ ...event, data: { order: { domain: 'brew.example' } } }],
      sessions: [{ session_id: 'cs_1' }],
      cases: [{ case_id: 'case_1', buyer_email: 'ada@buyer.example' }],
      links: [{ link_id: 'lnk_1' }],
    } as unknown as EmulatorView,
  };
  const narrowed = reduce(state, { kind: 'replace', values });
  expect(narrowed.route).toEqual({ ...state.route, id });
  // A link to something else opens it, with the same search.
  expect(reduce(narrowed, { kind: 'route', fragment }).route.id).toBe(state.route.id);
});

it('finds the domains that were sold in the sandbox and are not for sale again', () => {
  const order = { environment: 'sandbox', sale_price_cents: 100, currency: 'USD' };
  const session = { environment: 'sandbox', is_paid: true, price_cents: 200, currency: 'USD' };
  const emulator = {
    orders: [
      { ...order, public_id: 'ord_1', domain: 'a.example', status: 'SETTLED' },
      { ...order, public_id: 'ord_2', domain: 'b.example', status: 'REFUNDED' },
      { ...order, public_id: 'ord_3', domain: 'c.example', status: 'CANCELLED' },
      { ...order, public_id: 'ord_4', domain: 'd.example', status: 'SETTLED', environment: 'live' },
      { ...order, public_id: 'ord_5', domain: 'e.example', status: 'SETTLED' },
    ],
    sessions: [
      { ...session, session_id: 'cs_1', domain: 'f.example' },
      { ...session, session_id: 'cs_2', domain: 'g.example', is_paid: false },
    ],
  } as unknown as EmulatorView;
  const listings = [{ domain: 'e.example' }] as unknown as ListingView[];
  const sold = (search: string) => soldDomains(emulator, listings, search);
  expect(sold('').map(({ domain, soldAs }) => [domain, soldAs])).toEqual([
    ['f.example', 'cs_1'],
    ['a.example', 'ord_1'],
  ]);
  expect(sold(' F.').map(({ price_cents }) => price_cents)).toEqual([200]);
});

it('writes a route as a fragment', () => {
  expect([fragmentOf('events'), fragmentOf('events', 'evt_1')]).toEqual([
    '#events',
    '#events/evt_1',
  ]);
});

it('names a call by its endpoint, or by its path where it is none', () => {
  expect(endpointOf(request({}))).toBe('GET /orders');
  expect(endpointOf(request({ endpoint: undefined, path: '/nowhere' }))).toBe('GET /nowhere');
});

it('counts errors by code and endpoint, the most frequent first', () => {
  const mismatch = { status: 422, errorCode: 'price_mismatch', endpoint: 'POST /orders' };
  const errors = countErrors([
    request({ status: undefined, endpoint: 'POST /orders' }),
    request(mismatch),
    request({ ...mismatch, receivedAt: 5 }),
    request({ status: 502 }),
    request({ status: 404, endpoint: undefined, errorCode: 'not_found', path: '/a' }),
    request({ status: 404, endpoint: undefined, errorCode: 'not_found', path: '/b' }),
    request({ status: 404, endpoint: undefined, errorCode: 'not_found', path: '/c' }),
  ]);
  expect(errors.map(({ code, endpoint, count }) => `${code} ${endpoint} ${count}`)).toEqual([
    'not_found no endpoint 3',
    'price_mismatch POST /orders 2',
    'connection reset POST /orders 1',
    'status 502 GET /orders 1',
  ]);
  expect(errors[1]!.lastAt).toBe(5);
});

const event = { id: 'evt_1', type: 'order.settled', created_at: '', partner_id: 'p', data: {} };
const attempt = {
  eventId: 'evt_1',
  type: 'order.settled',
  url: '',
  attempt: 1,
  at: 0,
  body: '',
  signature: '',
  status: 500,
  error: undefined,
  responseBody: '',
  outcome: 'failed' as const,
};
const pending = {
  eventId: 'evt_1',
  type: 'order.settled',
  partnerId: 'p',
  attempt: 2,
  due: 1,
  environment: 'sandbox' as const,
};

it('joins events with their deliveries, the latest first', () => {
  const other = { ...event, id: 'evt_2' };
  const joined = eventDeliveries({
    events: [event, other],
    deliveries: [attempt, { ...attempt, attempt: 2, status: 200, outcome: 'delivered' }],
    pendingDeliveries: [{ ...pending, eventId: 'evt_2' }],
  });
  expect(joined.map((each) => each.event.id)).toEqual(['evt_2', 'evt_1']);
  expect(joined.map(deliveryStatus)).toEqual(['waiting', 'delivered']);
  expect(deliveryStatus({ event, attempts: [], pending: [] })).toBe('not sent');
});

it('distinguishes the response of a receiver from a failure', () => {
  expect(responseOf({ status: 500, error: undefined })).toBe('status 500');
  expect(responseOf({ status: undefined, error: 'ECONNREFUSED' })).toBe('ECONNREFUSED');
  expect(responseOf({ status: undefined, error: undefined })).toBe('no response');
});

it('tells the copies of a delivery apart, and says what a refusal often means', () => {
  const attempts = [attempt, attempt, { ...attempt, attempt: 2 }];
  expect(attemptTitles(attempts)).toEqual(['attempt 1', 'attempt 1, copy 2', 'attempt 2']);
  const hint = (status: number | undefined) => deliveryHint({ ...attempt, status });
  expect(hint(401)).toContain('secret');
  expect(hint(404)).toContain('route');
  expect([hint(500), hint(undefined)]).toEqual([undefined, undefined]);
});

it('says what is armed in a sentence', () => {
  const effects = { html: 'a gateway responds', latency: 'it comes late' };
  const faults = Object.entries(effects).map(([name, effect]) => ({ name, effect }));
  const options = { faults };
  const armed = { id: 'flt_1', target: 'calls' as const, match: 'next', kinds: ['html'] };
  const describe = (fields: object) =>
    describeFault({ ...armed, title: '', left: 1, chance: 1, ...fields }, options as never);
  expect(describe({})).toBe('the next call: a gateway responds (once)');
  const response = { match: 'GET /orders', kinds: ['response'], title: 'status 429', left: null };
  expect(describe(response)).toBe(
    'GET /orders: the response has status 429 (until it is disarmed)',
  );
  const late = (title: string, ...others: string[]) =>
    describe({ kinds: ['latency', ...others], title });
  expect(late('latency 2000 ms')).toBe('the next call: it comes late: after 2000 ms (once)');
  expect(late('latency 50..400 ms')).toContain('it comes late: after 50..400 ms (');
  expect(late('latency Infinity ms')).toContain('it comes late: never (');
  expect(late('latency 1 ms, status 429', 'response')).toContain(
    'it comes late: after 1 ms; the response has status 429 (',
  );
  const twice = { target: 'deliveries', match: 'all', kinds: ['twice'], left: 3, chance: 0.5 };
  expect(describe(twice)).toBe('each event comes twice (3 times, with a chance of 0.5)');
  expect(describe({ target: 'history', match: 'order.settled' })).toContain(
    'shows order.settled late',
  );
  expect(describe({ target: 'orderList' })).toContain('the order list shows each new order late');
});

it('arms faults by the calls of the control API', () => {
  expect(callFault({ fault: 'emptyBody', times: '1' })).toEqual([
    '/faults/next',
    { fault: 'emptyBody', times: 1 },
  ]);
  expect(callFault({ match: 'POST /orders', fault: 'status', value: '503', times: '' })).toEqual([
    '/faults/on',
    { match: 'POST /orders', fault: 'status(503)', times: null },
  ]);
  expect(deliveryFault({ fault: 'twice', type: '', times: '2' })).toEqual([
    '/faults/deliveries/next',
    { fault: 'twice', times: 2 },
  ]);
  expect(deliveryFault({ duration: '1 minute', type: 'order.settled' })).toEqual([
    '/faults/deliveries/next',
    { fault: { late: '1 minute' }, type: 'order.settled', times: null },
  ]);
  expect(lateFault('history', { duration: '1 minute', times: '1' })).toEqual([
    '/faults/history/late',
    { duration: '1 minute', times: 1 },
  ]);
  expect(callFault({})[0]).toBe('/faults/next');
});

it('offers no live credential', () => {
  const credential = { keyId: 'a', scopes: [], partnerId: 'p', affiliate: false };
  const live = { ...credential, environment: 'live' as const };
  const sandbox = { ...credential, environment: 'sandbox' as const };
  expect(mainCredential({ credentials: [live, sandbox] }, undefined)).toBe(sandbox);
  expect(mainCredential({ credentials: [live] }, undefined)).toBeUndefined();
  const chosen = { ...sandbox, keyId: 'b' };
  expect(mainCredential({ credentials: [sandbox, chosen] }, 'b')).toBe(chosen);
});

it('writes the line of the sample order for this emulator', () => {
  expect(sampleOrderLine('http://127.0.0.1:4010/gate', false)).toBe(
    'npx market-partner-sdk orders place',
  );
  expect(sampleOrderLine('http://127.0.0.1:5000', true)).toBe(
    'npx market-partner-sdk orders place --url http://127.0.0.1:5000 --control-token TOKEN',
  );
});

it('names what a checkout, a case and a link are about, and how a checkout stands', () => {
  const session = { is_paid: false, expires_in_ms: 1_000, domain: 'brew.example' };
  const names = [
    session,
    { case_id: 'case_1', domain: 'tea.example' },
    { case_id: 'case_1' },
    { product: 'brokerage' },
    { product: undefined },
    { link_id: 'link_1' },
  ].map((item) => targetOf(item as never));
  expect(names).toEqual([
    'brew.example',
    'tea.example',
    'no domain',
    'brokerage',
    'any page',
    'any page',
  ]);
  const states = [session, { ...session, is_paid: true }, { ...session, expires_in_ms: 0 }];
  expect(states.map((each) => checkoutState(each as never))).toEqual(['open', 'paid', 'expired']);
});
