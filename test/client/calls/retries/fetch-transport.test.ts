/** A fetch function as the wire: what fits, and what odd ones do. */

import { Readable } from 'node:stream';
import { http, HttpResponse, getResponse, type RequestHandler } from 'msw';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  AbortedError,
  ConnectionError,
  MarketClient,
  TimeoutError,
  type ClientOptions,
  type FetchLike,
  type FetchResponseLike,
} from 'market-partner-sdk';
import { rejectionOf, thrownBy } from '../../../support/errors.js';
import { credential, okBody, okResponse } from '../../../support/mock-market.js';
import { VirtualTime } from '../../../support/virtual-time.js';

afterEach(() => {
  vi.useRealTimers();
});

function clientOf(fetch: FetchLike, options: ClientOptions = {}) {
  return new MarketClient({
    baseUrl: 'https://market.example',
    ...credential,
    fetch,
    validateResponses: 'off',
    ...new VirtualTime().options,
    ...options,
  });
}

/** msw's handlers as a fetch function. */
function mswFetch(...handlers: RequestHandler[]): FetchLike {
  return async (url, init) => {
    const response = await getResponse(handlers, new Request(url, init));
    return response ?? HttpResponse.error();
  };
}

/** A fetch that fails with the given error, and counts. */
const failing = (thrown: unknown) =>
  vi.fn(async () => {
    throw thrown;
  });

/** A fetch whose response fails with the given error when its body is read. */
const broken200 = (thrown: unknown): FetchLike =>
  vi.fn(async () => ({
    status: 200,
    headers: new Headers(),
    arrayBuffer: () => Promise.reject(thrown),
  }));

const order = { domain: 'brew.example', expected_price: 250_000 };
const refund = { public_id: 'ord_1001' };

const coded = (code: string, facts: object = {}) =>
  Object.assign(new Error('it failed'), { code, ...facts });

describe('a fetch function', () => {
  it('is handed the signed request and nothing that would change it', async () => {
    const seen: Parameters<FetchLike>[] = [];
    const market = clientOf(async (...given) => {
      seen.push(given);
      return okResponse();
    });
    await market.domains.search('tea & coffee');
    await market.orders.create(order);
    const [[url, get], [, post]] = seen as [Parameters<FetchLike>, Parameters<FetchLike>];
    expect(url).toBe('https://market.example/api/partner/v1/domains/search?q=tea%20%26%20coffee');
    expect(get).toMatchObject({ method: 'GET', redirect: 'manual' });
    expect(get).not.toHaveProperty('body');
    expect(Buffer.from(post.body!).toString()).toBe(JSON.stringify(order));
    expect(post.headers['X-Market-Signature']).toMatch(/^v1=[0-9a-f]{64}$/);
  });

  it('is not called as a method, which Cloudflare Workers and browsers refuse', async () => {
    const owners: unknown[] = [];
    const market = clientOf(async function (this: unknown) {
      owners.push(this);
      return okResponse();
    });
    await market.domains.search('tea');
    expect(owners).toEqual([undefined]);
  });

  it('can be msw, with its failed connections', async () => {
    let turn = 0;
    const path = 'https://market.example/api/partner/v1/orders/:id';
    const fetch = mswFetch(
      http.get(path, ({ params }) => {
        turn += 1;
        return turn === 1 ? HttpResponse.error() : HttpResponse.json({ public_id: params.id });
      }),
    );
    const { data, response } = await clientOf(fetch).orders.get('ord_1001').withResponse();
    expect(data.public_id).toBe('ord_1001');
    expect(response.attempts).toBe(2);
  });

  it('may detach the body that it is handed: the next attempt has its own', async () => {
    const bodies: string[] = [];
    const market = clientOf(async (_url, init) => {
      bodies.push(Buffer.from(init.body!).toString());
      structuredClone(init.body, { transfer: [init.body!] });
      return Response.json(okBody, { status: bodies.length === 1 ? 503 : 200 });
    });
    await market.orders.create(order);
    expect(bodies).toEqual([JSON.stringify(order), JSON.stringify(order)]);
  });

  it('may hand over a long refusal in one piece: its beginning is kept', async () => {
    const body = JSON.stringify({ code: 'conflict', message: 'x'.repeat(70_000) });
    const market = clientOf(async () => new Response(body, { status: 409 }));
    const error = await rejectionOf(market.orders.get('ord_1001'));
    // Cut, it is no JSON: its status tells what it is, and the first of its text is kept.
    expect(error).toMatchObject({
      name: 'ConflictError',
      response: { status: 409 },
      body: expect.stringMatching(/^\{"code":"conflict","message":"x{1970}…$/),
    });
  });

  it('whose headers cannot be read may have sent the request', async () => {
    const forEach = () => {
      throw new Error('gone');
    };
    const fetch = vi.fn(async () => ({ status: 200, body: null, headers: { forEach } }));
    const error = await rejectionOf(clientOf(fetch).orders.refund(refund));
    expect(error).toMatchObject({ name: 'ConnectionError', attempts: 1, outcome: 'unknown' });
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it.each([new Response(null, { status: 204 }), { status: 204, headers: new Headers() }])(
    'may answer without a body: %o',
    async (response) => {
      const market = clientOf(async () => response);
      await expect(market.request({ path: '/x', method: 'DELETE' })).resolves.toBeUndefined();
    },
  );
});

describe('a fetch function that fails', () => {
  const everyAddress = new AggregateError([coded('ECONNREFUSED', { syscall: 'connect' })]);
  // test/client/transport/classify-error.test.ts has every code.
  it.each<[string, unknown]>([
    ['ECONNREFUSED', coded('ECONNREFUSED')],
    ['ENOTFOUND', coded('ENOTFOUND', { syscall: 'getaddrinfo' })],
    ['ECONNRESET of connecting', coded('ECONNRESET', { syscall: 'connect' })],
    ["Bun's word for it", coded('ConnectionRefused')],
    ['a refusal as the cause', new TypeError('fetch failed', { cause: coded('ECONNREFUSED') })],
    ['a refusal of every address', new TypeError('fetch failed', { cause: everyAddress })],
  ])('by %s is repeated for a refund: it was never sent', async (_what, thrown) => {
    const fetch = failing(thrown);
    const error = await rejectionOf(clientOf(fetch).orders.refund(refund));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ attempts: 3, outcome: 'not_sent', cause: thrown });
    expect(fetch).toHaveBeenCalledTimes(3);
  });

  it.each(['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UND_ERR_CLOSED'])(
    'by %s was never sent, and is not repeated',
    async (code) => {
      const fetch = failing(new TypeError('fetch failed', { cause: coded(code) }));
      const error = await rejectionOf(clientOf(fetch).orders.get('ord_1001'));
      expect(error).toMatchObject({ attempts: 1, outcome: 'not_sent' });
      expect(error.message).toContain(code);
    },
  );

  it.each<[string, unknown]>([
    ['ECONNRESET', coded('ECONNRESET')],
    ['a route that went away', coded('EHOSTUNREACH', { syscall: 'read' })],
    ['UND_ERR_SOCKET', new TypeError('fetch failed', { cause: coded('UND_ERR_SOCKET') })],
    ['a TypeError without a code', new TypeError('Failed to fetch')],
    ['"terminated"', new TypeError('terminated')],
  ])('by %s is repeated for a read, and not for a refund', async (_what, thrown) => {
    const { orders } = clientOf(failing(thrown));
    const unknown = { outcome: 'unknown', cause: thrown };
    expect(await rejectionOf(orders.get('ord_1'))).toMatchObject({ attempts: 3, ...unknown });
    expect(await rejectionOf(orders.refund(refund))).toMatchObject({ attempts: 1, ...unknown });
  });

  const odd: [string, unknown][] = [
    ['an error with an odd code', Object.assign(new Error('odd'), { code: 7, syscall: {} })],
    ['a destroyed dispatcher', coded('UND_ERR_DESTROYED')],
    ['a string', 'no'],
    ['nothing', undefined],
    ['null', null],
    ['a number', 42],
    ['an object', { reason: 'none' }],
    ['a DOMException of its own', new DOMException('its own limit', 'TimeoutError')],
  ];
  it.each(odd)('with %s ends the call, unknown: it may be a bug', async (_what, thrown) => {
    const error = await rejectionOf(clientOf(failing(thrown)).orders.get('ord_1001'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ attempts: 1, outcome: 'unknown' });
    expect((error as Error).cause).toBe(thrown);
  });

  it.each([
    ['a RangeError', () => new RangeError('out of ideas')],
    ['a missing method', () => thrownBy(() => (undefined as never as { x: () => 0 }).x())],
    ['no function', () => thrownBy(() => (7 as never as () => void)())],
    ['an unknown name', () => new ReferenceError('tracer is not defined')],
    ['text that is not JSON', () => thrownBy(() => JSON.parse('{') as unknown)],
  ])('by a mistake of its own, %s, is one attempt and named', async (_what, mistake) => {
    const thrown = mistake();
    for (const fetch of [failing(thrown), broken200(thrown)]) {
      const error = await rejectionOf(clientOf(fetch).orders.create(order));
      expect(error).toMatchObject({ name: 'ConnectionError', attempts: 1, outcome: 'unknown' });
      expect(error).toMatchObject({ cause: thrown });
      expect(error.message).toContain(thrown.message);
      expect(error.message).toContain(
        'This is a mistake in the fetch function, or in what it returned. The order may exist.',
      );
    }
  });

  it('by an endless chain of causes is still described', async () => {
    const error = coded('ODD');
    error.cause = error;
    expect(await rejectionOf(clientOf(failing(error)).orders.get('ord_1001'))).toMatchObject({
      attempts: 1,
    });
  });

  it.each([
    ['undefined', undefined],
    ['a string', 'ok'],
    ['an object without a status', { headers: new Headers() }],
    ['headers that are none', { status: 200, headers: {} }],
  ])('to give a Response, but gives %s, ends the call', async (_what, given) => {
    const fetch = vi.fn(async () => given) as unknown as FetchLike;
    const error = await rejectionOf(clientOf(fetch).orders.get('ord_1001'));
    expect(error).toMatchObject({ name: 'ConnectionError', attempts: 1, outcome: 'unknown' });
    expect(error.message).toMatch(/not a Response/);
  });

  it('in the middle of a body is a broken answer of that status', async () => {
    const body = () =>
      new ReadableStream({
        start: (controller) => controller.enqueue(Buffer.from('{"a')),
        pull: (controller) => controller.error(new TypeError('terminated')),
      });
    const market = clientOf(async () => new Response(body(), { status: 200 }));
    const error = await rejectionOf(market.orders.get('ord_1001'));
    expect(error).toMatchObject({ response: { status: 200 }, attempts: 3, outcome: 'unknown' });
    expect(error.message).toMatch(/got a response whose body broke off/);
  });

  const read = async () => {
    const response = new Response('{}');
    await response.text();
    return response;
  };
  const onlyJson = { status: 200, headers: new Headers(), json: async () => okBody };
  it.each<[string, () => Promise<FetchResponseLike>, string]>([
    ['a body that it has read, as for a log', read, 'whose body was read before'],
    [
      'json() without a body',
      async () => onlyJson,
      'response.arrayBuffer is not a function. This is a mistake in the fetch function',
    ],
  ])('by returning %s ends the call after one request', async (_what, respond, message) => {
    const fetch = vi.fn(respond);
    const error = await rejectionOf(clientOf(fetch).orders.get('ord_1001'));
    expect(error).toMatchObject({ name: 'ConnectionError', response: { status: 200 } });
    expect(error.message).toContain(message);
    expect(fetch).toHaveBeenCalledTimes(1);
  });
});

describe('a fetch function of another kind', () => {
  const [status, headers] = [200, new Headers({ 'content-type': 'application/json' })];
  const bytes = () => Buffer.from(JSON.stringify(okBody));
  const halves = () => [bytes().subarray(0, 9), bytes().subarray(9)];
  const arrayBuffer = async () => Uint8Array.from(bytes()).buffer;
  async function* iterable() {
    yield* halves();
  }
  const fetches: [string, () => Partial<FetchResponseLike>][] = [
    ['a Node stream', () => ({ body: Readable.from(halves()) })],
    ['an async iterable', () => ({ body: iterable() })],
    ['arrayBuffer() alone', () => ({ arrayBuffer })],
    [
      'an odd body beside arrayBuffer()',
      () => ({ body: { text: 'no stream' } as never, arrayBuffer }),
    ],
  ];
  it.each(fetches)('whose body is %s places an order with one request', async (_what, respond) => {
    const fetch = vi.fn(async () => ({ status, headers, ...respond() }));
    const placed = await clientOf(fetch).orders.create(order);
    expect(placed).toMatchObject({ public_id: 'ord_1001' });
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it('has a body that breaks off repeated, as a web stream has', async () => {
    const broken = async function* () {
      yield Buffer.from('{');
      throw coded('ERR_STREAM_PREMATURE_CLOSE');
    };
    const fetch = vi.fn(async () => ({ status, headers, body: broken() }));
    const error = await rejectionOf(clientOf(fetch).orders.get('ord_1001'));
    expect(error).toMatchObject({ response: { status: 200 }, attempts: 3, outcome: 'unknown' });
  });

  it('has its stream destroyed when time is up', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const body = new Readable({ read: () => undefined });
    const market = clientOf(async () => ({ status, headers, body }), {
      timeoutMs: 50,
      maxRetries: 0,
      sleep: undefined,
    });
    const failure = rejectionOf(market.orders.get('ord_1001'));
    await vi.advanceTimersByTimeAsync(50);
    expect(await failure).toMatchObject({ name: 'TimeoutError', response: { status: 200 } });
    await vi.waitFor(() => expect(body.destroyed).toBe(true));
  });
});

describe('a fetch function that ignores its signal', () => {
  it('does not hold a call beyond timeoutMs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const market = clientOf(() => new Promise(() => undefined), { timeoutMs: 50, maxRetries: 0 });
    const failure = rejectionOf(market.orders.get('ord_1001'));
    await vi.advanceTimersByTimeAsync(50);
    expect(await failure).toBeInstanceOf(TimeoutError);
    expect(vi.getTimerCount()).toBe(0);
  });

  const fail = () => {
    throw new Error('no');
  };
  it.each([
    ['throws', fail],
    ['gives no promise', () => undefined],
  ])('does not hold a call whose body cannot be cancelled: it %s', async (_what, cancel) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const read = () => new Promise<never>(() => undefined);
    const body = { getReader: () => ({ read, cancel: cancel as unknown as () => Promise<void> }) };
    const fetch = async () => ({ status: 200, headers: new Headers(), body });
    const market = clientOf(fetch, { timeoutMs: 50, maxRetries: 0 });
    const failure = rejectionOf(market.orders.get('ord_1001'));
    await vi.advanceTimersByTimeAsync(50);
    const response = { status: 200 };
    expect(await failure).toMatchObject({ name: 'TimeoutError', response, outcome: 'unknown' });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not hold a call that was given up, and its late answer is let go', async () => {
    const controller = new AbortController();
    const cancelled = vi.fn();
    let answer: (response: Response) => void = () => undefined;
    const market = clientOf(
      () =>
        new Promise((resolve) => {
          answer = resolve;
          controller.abort(new Error('enough'));
        }),
    );
    const error = await rejectionOf(market.orders.get('ord_1001', { signal: controller.signal }));
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ outcome: 'unknown', attempts: 1 });
    answer(new Response(new ReadableStream({ cancel: cancelled })));
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalled(), { interval: 1 });
  });

  it('has the body cancelled that it was reading, and the status reported', async () => {
    const controller = new AbortController();
    const cancelled = vi.fn();
    const body = new ReadableStream({
      start: (stream) => stream.enqueue(Buffer.from('{"a')),
      pull: () => controller.abort(new Error('enough')),
      cancel: cancelled,
    });
    const market = clientOf(async () => new Response(body));
    const error = await rejectionOf(market.orders.get('ord_1001', { signal: controller.signal }));
    expect(error).toMatchObject({ name: 'AbortedError', outcome: 'unknown' });
    expect(cancelled).toHaveBeenCalledOnce();
  });
});
