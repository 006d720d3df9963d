import * as api from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MarketClient, type ClientOptions } from 'market-partner-sdk';
import { openTelemetry, type OpenTelemetryOptions } from 'market-partner-sdk/opentelemetry';
import { fault, MarketEmulator } from 'market-partner-sdk/testing';
import { instrumentUndici, startRecording, type Recording } from './recording.js';

let recording: Recording;
let emulator: MarketEmulator;
let market: MarketClient;

beforeAll(() => {
  recording = startRecording();
});
afterAll(() => recording.stop());

beforeEach(async () => {
  recording.reset();
  emulator = await MarketEmulator.start();
  market = newClient();
});
afterEach(async () => {
  await market.close();
  await emulator.stop();
});

function newClient(tracing: OpenTelemetryOptions = {}, options: ClientOptions = {}): MarketClient {
  return new MarketClient({
    baseUrl: emulator.baseUrl,
    ...emulator.createCredential(),
    tracing: openTelemetry(api, tracing),
    sleep: () => Promise.resolve(),
    ...options,
  });
}

const order = { domain: 'brew.example', expected_price: 250_000, currency: 'USD' };

function spanNamed(name: string): ReadableSpan {
  const found = recording.spans().filter((span) => span.name === name);
  expect(found, name).toHaveLength(1);
  return found[0]!;
}

function childrenOf(parent: ReadableSpan): ReadableSpan[] {
  const { spanId } = parent.spanContext();
  return recording.spans().filter((span) => span.parentSpanContext?.spanId === spanId);
}

describe('a call', () => {
  it('is one internal span with its attempts, outcome and server', async () => {
    emulator.faults.on('POST /orders', fault.resetAfterWork(), { times: 1 });
    await market.orders.create(order, { idempotencyKey: 'payment-1' });
    const span = spanNamed('market.orders.create');
    expect(span.kind).toBe(api.SpanKind.INTERNAL);
    expect(span.status.code).toBe(api.SpanStatusCode.UNSET);
    expect(span.attributes).toEqual({
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(emulator.baseUrl).port),
      'market.call': 'orders.create',
      'market.environment': 'sandbox',
      'market.attempts': 2,
      'market.request_id': expect.any(String),
      'http.response.status_code': 201,
    });
    expect(span.events).toEqual([]);
  });

  it('that is refused has an error status, the error’s class and its outcome', async () => {
    await expect(market.orders.create({ ...order, expected_price: 1 })).rejects.toThrow();
    const { status, attributes } = spanNamed('market.orders.create');
    expect(status.code).toBe(api.SpanStatusCode.ERROR);
    expect(attributes['error.type']).toBe('PriceMismatchError');
    expect(attributes['market.outcome']).toBe('rejected');
  });

  it('that its caller aborts keeps the status unset', async () => {
    emulator.faults.on('GET /domains/search', fault.latency(Infinity));
    const leaving = new AbortController();
    const search = market.domains.search('coffee', { signal: leaving.signal });
    setImmediate(() => leaving.abort());
    await expect(search).rejects.toMatchObject({ name: 'AbortedError' });
    const { status, attributes } = spanNamed('market.domains.search');
    expect(status.code).toBe(api.SpanStatusCode.UNSET);
    expect(attributes['error.type']).toBe('AbortedError');
  });

  it.each([
    ['https://market.example', 443],
    ['http://127.0.0.1', 80],
  ])('to %s has the default port %i', async (baseUrl, port) => {
    const fetch = () => Promise.reject(new TypeError('fetch failed'));
    market = newClient({}, { baseUrl, fetch, maxRetries: 0 });
    await expect(market.domains.search('coffee')).rejects.toThrow();
    expect(spanNamed('market.domains.search').attributes['server.port']).toBe(port);
  });

  it('that ends before it is sent has no attempts', async () => {
    const search = market.domains.search('coffee', { signal: AbortSignal.abort() });
    await expect(search).rejects.toMatchObject({ name: 'AbortedError' });
    const spans = recording.spans().filter(({ name }) => name === 'market.domains.search');
    expect(spans.map(({ attributes }) => attributes['market.attempts'])).toEqual([0]);
  });

  it('is a child of the span in which it was made', async () => {
    await api.trace.getTracer('shop').startActiveSpan('basket', async (basket) => {
      await market.domains.search('coffee');
      basket.end();
    });
    expect(childrenOf(spanNamed('basket')).map(({ name }) => name)).toEqual([
      'market.domains.search',
    ]);
  });

  it('has its idempotency key on its span where that was asked for', async () => {
    market = newClient({ idempotencyKey: true });
    await market.orders.create(order, { idempotencyKey: 'payment-2' });
    const { attributes } = spanNamed('market.orders.create');
    expect(attributes['market.idempotency_key']).toBe('payment-2');
  });

  it('puts no secret, signature or query on a span', async () => {
    const credential = emulator.createCredential();
    market = newClient({ attempts: true }, credential);
    await market.domains.search('very private words');
    await market.orders.get('ord_none').catch(() => undefined);
    const text = JSON.stringify(
      recording.spans().map(({ name, attributes }) => [name, attributes]),
    );
    expect(text).not.toContain(credential.secret);
    expect(text).not.toContain('private');
    expect(text).not.toMatch(/v1=|signature/i);
  });
});

describe('with an HTTP instrumentation', () => {
  let disable: () => void;
  beforeEach(() => (disable = instrumentUndici()));
  afterEach(() => disable());

  it('has the spans of its attempts as children', async () => {
    emulator.faults.on('GET /domains/search', fault.internalError(), { times: 1 });
    await market.domains.search('coffee');
    const attempts = childrenOf(spanNamed('market.domains.search'));
    expect(attempts.map(({ kind }) => kind)).toEqual([api.SpanKind.CLIENT, api.SpanKind.CLIENT]);
    expect(attempts.map(({ attributes }) => attributes['http.response.status_code'])).toEqual([
      500, 200,
    ]);
  });

  it('has its own child, and no other, among 300 calls at once', async () => {
    await Promise.all(
      Array.from({ length: 300 }, () => market.domains.checkAvailability('brew.example')),
    );
    const calls = recording
      .spans()
      .filter(({ name }) => name === 'market.domains.checkAvailability');
    expect(calls).toHaveLength(300);
    const strays = calls.filter((call) => childrenOf(call).length !== 1);
    expect(strays).toEqual([]);
  });
});

describe('an attempt, where attempts are asked for', () => {
  it('is a client span by the HTTP conventions, and its traceparent is sent', async () => {
    market = newClient({ attempts: true });
    emulator.faults.on('GET /orders/{public_id}', fault.internalError(), { times: 1 });
    const { public_id } = await market.orders.create(order);
    recording.reset();
    await market.orders.get(public_id);
    const [first, second] = childrenOf(spanNamed('market.orders.get'));
    expect(first?.name).toBe('GET /api/partner/v1/orders/{public_id}');
    expect(first?.kind).toBe(api.SpanKind.CLIENT);
    expect(first?.status.code).toBe(api.SpanStatusCode.ERROR);
    expect(first?.attributes).toMatchObject({
      'http.request.method': 'GET',
      'http.response.status_code': 500,
      'error.type': '500',
      'url.full': `${emulator.baseUrl}/api/partner/v1/orders/${public_id}`,
      'url.template': '/api/partner/v1/orders/{public_id}',
    });
    expect(first?.attributes['http.request.resend_count']).toBeUndefined();
    expect(second?.attributes['http.request.resend_count']).toBe(1);
    const { traceId, spanId } = second!.spanContext();
    expect(emulator.requests.at(-1)?.headers.traceparent).toBe(`00-${traceId}-${spanId}-01`);
  });
});

describe('metrics', () => {
  it('count the calls, their seconds and their attempts', async () => {
    market = newClient();
    emulator.faults.on('GET /pricing', fault.internalError(), { times: 2 });
    await market.domains.getPricing('brew.example');
    const attempts = await recording.histogram('market.client.call.attempts');
    const ofPricing = attempts.filter(
      ({ attributes }) => attributes['market.call'] === 'domains.getPricing',
    );
    expect(ofPricing).toMatchObject([{ count: 1, sum: 3 }]);
    const durations = await recording.histogram('market.client.call.duration');
    const seconds = durations.find(
      ({ attributes }) => attributes['market.call'] === 'domains.getPricing',
    )?.sum;
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThan(30);
  });
});

describe('the context of a call', () => {
  it("is on its spans, loses to the client's own attributes, and is in no metric", async () => {
    market = newClient({ attempts: true });
    const context = { 'shop.order': 'A-1001', isGift: true, 'market.call': 'mine' };
    await market.domains.checkAvailability('brew.example', { context });
    const about = { 'shop.order': 'A-1001', isGift: true };
    expect(spanNamed('market.domains.checkAvailability').attributes).toMatchObject({
      ...about,
      'market.call': 'domains.checkAvailability',
    });
    expect(spanNamed('GET /api/partner/v1/availability').attributes).toMatchObject(about);
    const points = await recording.histogram('market.client.call.attempts');
    for (const { attributes } of points) expect(attributes).not.toHaveProperty('shop.order');
  });
});

describe('a tracing that fails', () => {
  const broken = () => {
    throw new Error('the tracer is broken');
  };
  const brokenSpan = { setAttributes: broken, setStatus: broken, end: broken };
  const working = {
    context: { active: () => ({}), with: <T>(_context: object, run: () => T) => run() },
    trace: {
      getTracer: () => ({ startSpan: () => brokenSpan }),
      setSpan: (context: object) => context,
      deleteSpan: (context: object) => context,
      getSpanContext: () => undefined,
    },
    propagation: { inject: () => undefined, extract: (context: object) => context },
    metrics: { getMeter: () => ({ createHistogram: () => ({ record: () => undefined }) }) },
  };

  it.each([
    ['startSpan', { trace: { ...working.trace, getTracer: () => ({ startSpan: broken }) } }],
    ['context.active', { context: { ...working.context, active: broken } }],
    ['context.with before the call', { context: { ...working.context, with: broken } }],
    [
      'context.with after the call',
      {
        context: {
          ...working.context,
          with: <T>(_context: object, run: () => T): T => {
            run();
            return broken();
          },
        },
      },
    ],
    ['setSpan', { trace: { ...working.trace, setSpan: broken } }],
    ['inject', { propagation: { ...working.propagation, inject: broken } }],
    ['the span itself', {}],
    [
      'the histogram',
      { metrics: { getMeter: () => ({ createHistogram: () => ({ record: broken }) }) } },
    ],
  ])('in %s does not fail the call, nor repeat it', async (_where, parts) => {
    market = newClient(
      {},
      { tracing: openTelemetry({ ...working, ...parts }, { attempts: true }) },
    );
    await expect(market.orders.create(order)).resolves.toMatchObject({ domain: 'brew.example' });
    expect(emulator.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    await expect(market.orders.get('ord_none')).rejects.toMatchObject({ name: 'NotFoundError' });
  });

  it.each([
    ['attempts', { attempts: 'yes' }],
    ['idempotencyKeys', { idempotencyKeys: true }],
  ])('is refused for a wrong option, by its name: %s', (name, options) => {
    expect(() => openTelemetry(api, options as OpenTelemetryOptions)).toThrow(`"${name}"`);
  });

  it('is refused by name where it is none', () => {
    expect(() => newClient({}, { tracing: api as never })).toThrow(/"tracing" must be/);
  });
});
