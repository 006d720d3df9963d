/** What tracing tools see of a call through node:diagnostics_channel. */

import { AsyncLocalStorage } from 'node:async_hooks';
import {
  subscribe,
  tracingChannel,
  unsubscribe,
  type TracingChannelSubscribers,
} from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AttemptSpan, CallSpan } from 'market-partner-sdk';
import { rejectionOf } from '../../../support/errors.js';
import {
  credential,
  okBody,
  okResponse,
  errorResponse,
  mockMarket,
} from '../../../support/mock-market.js';

const order = { domain: 'brew.example', expected_price: 250_000 };
const callChannel = tracingChannel<CallSpan, CallSpan>('market-partner-sdk:call');
const attemptChannel = tracingChannel<AttemptSpan, AttemptSpan>('market-partner-sdk:attempt');

/** Every event until the test ends, with the message as it was at that moment. */
function watch() {
  const events: { on: string; span: CallSpan & Partial<AttemptSpan> }[] = [];
  const subscribersOf = (on: string): TracingChannelSubscribers<object> => {
    const at = (event: string) => (span: object) =>
      events.push({ on: `${on}:${event}`, span: { ...span } as CallSpan });
    return {
      start: at('start'),
      end: at('end'),
      asyncStart: at('asyncStart'),
      asyncEnd: at('asyncEnd'),
      error: at('error'),
    };
  };
  const ofCall = subscribersOf('call');
  const ofAttempt = subscribersOf('attempt');
  callChannel.subscribe(ofCall);
  attemptChannel.subscribe(ofAttempt);
  onTestFinished(() => {
    callChannel.unsubscribe(ofCall);
    attemptChannel.unsubscribe(ofAttempt);
  });
  const spansOn = (on: string) => events.filter((event) => event.on === on).map(({ span }) => span);
  return { events, spansOn };
}

describe('the span of a call', () => {
  it.each(['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const)(
    'is published on %s alone, where only that channel has a subscriber',
    async (event) => {
      const seen: unknown[] = [];
      const note = (span: unknown) => void seen.push(span);
      const name = `tracing:market-partner-sdk:call:${event}`;
      subscribe(name, note);
      onTestFinished(() => {
        unsubscribe(name, note);
      });
      const { market } = mockMarket([errorResponse(404, 'not_found')]);
      await rejectionOf(market.orders.get('ord_1001'));
      expect(seen).toEqual([
        expect.objectContaining({ call: 'orders.get', attempts: 1, status: 404 }),
      ]);
    },
  );

  it('starts with what is asked, and ends with what came of it', async () => {
    const { spansOn } = watch();
    const step = errorResponse(500, 'internal_error');
    const answer = () =>
      Response.json({ public_id: 'ord_1' }, { headers: { 'x-request-id': 'r2' } });
    const { market } = mockMarket([step, answer]);
    await market.orders.create(order, { idempotencyKey: 'basket-7' });
    const of = { call: 'orders.create', method: 'POST', path: '/api/partner/v1/orders' };
    const about = { ...of, idempotencyKey: 'basket-7' };
    expect(spansOn('call:start')).toEqual([about]);
    const [end] = spansOn('call:asyncEnd');
    expect(end).toMatchObject({ ...about, attempts: 2, status: 200, requestId: 'r2' });
    expect(end).not.toHaveProperty('error');
    expect(end).not.toHaveProperty('outcome');
    expect(spansOn('call:error')).toEqual([]);
  });

  it('has the context of the call, as each attempt has it, from the start', async () => {
    const { spansOn } = watch();
    const context = { orderId: 'A-1001', attemptOfShop: 2, isGift: false };
    const { market } = mockMarket([errorResponse(503), okResponse()]);
    await market.orders.get('ord_1001', { context });
    const started = [...spansOn('call:start'), ...spansOn('attempt:start')];
    expect(started.map((span) => span.context)).toEqual([context, context, context]);
  });

  it('names the template of the path, not the path', async () => {
    const { spansOn } = watch();
    await mockMarket([okResponse()]).market.orders.get('ord_1001');
    expect(spansOn('call:start')[0]!.path).toBe('/api/partner/v1/orders/{public_id}');
  });

  it('has the error and the outcome of a call that failed, and the error is the very one', async () => {
    const { spansOn } = watch();
    const { market } = mockMarket([errorResponse(503), 'refused']);
    const error = await rejectionOf(market.orders.create(order));
    const [span] = spansOn('call:error');
    expect(span!.error).toBe(error);
    const [end] = spansOn('call:asyncEnd');
    // The last attempt had no answer: the status of an earlier one is not that of the call.
    expect(end).toMatchObject({ attempts: 3, outcome: 'unknown', status: undefined });
  });

  it('has the outcome of a call that was never sent', async () => {
    const { spansOn } = watch();
    const { market } = mockMarket([okResponse()]);
    await rejectionOf(market.orders.get('ord_1001', { signal: AbortSignal.abort() }));
    expect(spansOn('call:asyncEnd')).toMatchObject([{ attempts: 0, outcome: 'not_sent' }]);
    expect(spansOn('attempt:start')).toEqual([]);
  });

  it('has the error of a caller’s own function as its cause', async () => {
    watch();
    const mistake = new RangeError('no such sleep');
    const { market } = mockMarket([errorResponse(503)], {
      sleep: () => Promise.reject(mistake),
      random: () => 0.5,
    });
    expect(await rejectionOf(market.orders.get('ord_1001'))).toMatchObject({ cause: mistake });
  });

  it('holds the data of no answer', async () => {
    const { events } = watch();
    const body = { public_id: 'ord_1001', note: 'text_of_the_answer' };
    const { market } = mockMarket([() => Response.json(body)]);
    await market.orders.get('ord_1001');
    expect(inspect(events, { depth: 10 })).not.toContain('text_of_the_answer');
  });
});

describe('the span of an attempt', () => {
  it('has its number, the wait before it, and what it met', async () => {
    const { spansOn } = watch();
    const down = errorResponse(503, undefined, { 'x-request-id': 'r1' });
    const { market, time } = mockMarket([down, 'reset', 'refused', okResponse()], {
      maxRetries: 3,
    });
    time.random = 0.5;
    await market.orders.get('ord_1001');
    expect(spansOn('attempt:start').map(({ attempt, delayMs }) => [attempt, delayMs])).toEqual([
      [1, 0],
      [2, 250],
      [3, 500],
      [4, 1000],
    ]);
    const ends = spansOn('attempt:asyncEnd');
    expect(ends[0]).toMatchObject({ status: 503, requestId: 'r1' });
    expect(ends[1]).toMatchObject({
      failure: 'connection_lost',
      error: 'Error (ECONNRESET): read ECONNRESET',
    });
    expect(ends[2]).toMatchObject({ failure: 'not_sent' });
    expect(ends[3]).toMatchObject({ status: 200, call: 'orders.get', method: 'GET' });
    expect(ends[3]).not.toHaveProperty('error');
  });

  it('counts the wait for the rate limit that held it', async () => {
    const { spansOn } = watch();
    const wait = errorResponse(429, 'rate_limited', { 'retry-after': '30' });
    const { market } = mockMarket([wait, okResponse()], { maxRetries: 0 });
    await rejectionOf(market.orders.get('ord_1001'));
    await market.orders.get('ord_1002');
    expect(spansOn('attempt:start').map(({ attempt, delayMs }) => [attempt, delayMs])).toEqual([
      [1, 0],
      [1, 30_000],
    ]);
  });

  it('lies in the span of its call, by way of an AsyncLocalStorage', async () => {
    const current = new AsyncLocalStorage<CallSpan>();
    callChannel.start.bindStore(current, (span) => span);
    const seen: (string | undefined)[] = [];
    const listener = { start: () => seen.push(current.getStore()?.call) } as never;
    attemptChannel.subscribe(listener);
    onTestFinished(() => {
      callChannel.start.unbindStore(current);
      attemptChannel.unsubscribe(listener);
    });
    const { market, time } = mockMarket([errorResponse(503), 'reset', okResponse()]);
    time.random = 0.5;
    await Promise.all([market.orders.get('ord_1001'), market.domains.search('tea')]);
    expect(seen).toHaveLength(4);
    expect(new Set(seen)).toEqual(new Set(['orders.get', 'domains.search']));
    expect(current.getStore()).toBeUndefined();
  });
});

describe('all spans together', () => {
  it('hold no secret, signature, query or body of what was sent', async () => {
    const { events } = watch();
    // Some fetches print the address that they were asked for.
    const fetch = async (url: string) => {
      throw Object.assign(new Error(`cannot reach ${url}`), { code: 'ECONNRESET' });
    };
    const { market } = mockMarket([errorResponse(401, 'invalid_signature')]);
    const wordy = market.withOptions({ dispatcher: undefined, fetch });
    const noted = { ...order, note: 'a-private-note' };
    const hook = { url: 'https://shop.example', secret: 'whsec_private' };
    for (const client of [market, wordy]) {
      await rejectionOf(client.domains.search('a-private-wish'));
      await rejectionOf(client.orders.create(noted));
      await rejectionOf(client.events.registerWebhook(hook));
    }
    const text = events.map(({ span: { error, ...span } }) => {
      // The error of a call is the caller's own; that of an attempt is words.
      return inspect(typeof error === 'string' ? { ...span, error } : span, { depth: 10 });
    });
    expect(text.length).toBeGreaterThan(20);
    for (const secret of [credential.secret, 'private', 'v1=']) {
      expect(text.join('\n')).not.toContain(secret);
    }
  });
});

describe('the headers of a tracing', () => {
  it('are sent without those that no request may have: an order must not fail for them', async () => {
    const given = {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'a=1\nb=2',
      baggage: 'shop=café ☕',
      'not a name': '1',
      'x-market-nonce': 'of-the-tracing',
      'content-length': '3',
    };
    const { market, sent } = mockMarket([okResponse()], {
      tracing: { call: (_call, run) => run(), attempt: (_attempt, run) => run(given) },
    });
    await market.orders.create(order);
    const { headers } = sent[0]!;
    expect(headers).toMatchObject({ traceparent: given.traceparent });
    for (const name of ['tracestate', 'baggage', 'not a name', 'content-length']) {
      expect(headers).not.toHaveProperty([name]);
    }
    expect(headers['x-market-nonce']).not.toContain('of-the-tracing');
  });
});

describe('a call that is not traced', () => {
  it('gives the same result and the same error', async () => {
    const failures = [];
    for (const traced of [false, true]) {
      const { events } = traced ? watch() : { events: [] };
      const { market } = mockMarket([okResponse(), errorResponse(404, 'not_found')]);
      const { data, response } = await market.orders.get('ord_1001').withResponse();
      expect(data).toEqual(okBody);
      expect(response.attempts).toBe(1);
      const { nonces, ...failure } = (await rejectionOf(market.orders.get('ord_1002'))).toJSON();
      expect(nonces).toHaveLength(1);
      failures.push(failure);
      expect(events.length > 0).toBe(traced);
    }
    expect(failures[0]).toEqual(failures[1]);
  });
});
