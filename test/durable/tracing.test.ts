/** Spans of an inbox and of an outbox, by the real OpenTelemetry SDK. */

import { tracingChannel } from 'node:diagnostics_channel';
import * as api from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { createEventInbox, createOrderOutbox, memoryEngine } from 'market-partner-sdk/durable';
import { openTelemetry } from 'market-partner-sdk/opentelemetry';
import type { Tracing } from 'market-partner-sdk';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
} from 'vitest';
import { startRecording, type Recording } from '../opentelemetry/recording.js';
import { noCallbacks } from './support/no-callbacks.js';
import { MarketWorld, secret } from './support/market-world.js';

let recording: Recording;
let world: MarketWorld;

beforeAll(() => {
  recording = startRecording();
});
afterAll(() => recording.stop());
beforeEach(async () => {
  recording.reset();
  world = await MarketWorld.start();
});
afterEach(() => world.stop());

function spansNamed(name: string): ReadableSpan[] {
  return recording.spans().filter((span) => span.name === name);
}

function onlySpan(name: string): ReadableSpan {
  const found = spansNamed(name);
  expect(found, name).toHaveLength(1);
  return found[0]!;
}

function inboxWith(
  listener: (event: unknown, context: { readonly id: string }) => unknown,
  tracing: Tracing = openTelemetry(api),
) {
  return createEventInbox({
    market: world.market,
    secret,
    startFrom: 'beginning',
    name: 'shop',
    tracing,
    engine: memoryEngine(world.time.options),
    ...world.time.options,
    random: () => 0.5,
    on: { 'order.recorded': listener },
  });
}

function outboxWith(tracing: Tracing, market = world.market) {
  return createOrderOutbox({
    market,
    name: 'shop',
    tracing,
    random: () => 0.5,
    engine: memoryEngine(world.time.options),
    ...world.time.options,
    ...noCallbacks,
  });
}

const intent = (key: string) => ({
  key,
  order: { domain: 'brew.example', expected_price: 250_000, currency: 'USD' },
});

describe('an inbox', () => {
  it('has a span for the delivery, and one for the event that is linked to it', async () => {
    await world.sell(1);
    const [event] = await world.events();
    const inbox = inboxWith(() => undefined);
    expect(await inbox.handle(await world.delivery(event!))).toMatchObject({ status: 200 });
    await inbox.drain({ maxMs: 10_000 });

    const webhook = onlySpan('market.webhook');
    expect(webhook.attributes).toEqual({
      'market.event.id': event!.id,
      'market.event.type': 'order.recorded',
      'http.response.status_code': 200,
    });
    const handled = onlySpan('market.event');
    expect(handled.kind).toBe(api.SpanKind.CONSUMER);
    expect(handled.attributes).toMatchObject({
      'market.consumer': 'shop',
      'market.event.id': event!.id,
      'market.event.type': 'order.recorded',
      'market.attempt': 1,
      'market.via_webhook': true,
    });
    expect(handled.links.map(({ context }) => context.spanId)).toEqual([
      webhook.spanContext().spanId,
    ]);
    expect(handled.status.code).toBe(api.SpanStatusCode.UNSET);
  });

  it('has no link where a poll found the event', async () => {
    await world.sell(1);
    await inboxWith(() => undefined).drain({ maxMs: 10_000 });
    expect(onlySpan('market.event').links).toEqual([]);
  });

  it('tells a listener that failed, attempt by attempt, and the calls of each', async () => {
    await world.sell(2);
    const [event] = await world.events();
    let runs = 0;
    const market = world.client({ tracing: openTelemetry(api) });
    // The other event succeeds: what fails has a cause of its own, and is counted.
    const inbox = inboxWith(async (_event, { id }) => {
      if (id !== event!.id) return;
      runs += 1;
      await market.domains.checkAvailability('brew.example');
      if (runs === 1) throw new RangeError('no place');
    });
    await inbox.drain({ maxMs: 10_000 });
    await world.time.advance(2_000);
    await inbox.drain({ maxMs: 10_000 });
    await market.close();

    const [failed, handled] = spansNamed('market.event').filter(
      ({ attributes }) => attributes['market.event.id'] === event!.id,
    );
    expect(failed!.status.code).toBe(api.SpanStatusCode.ERROR);
    expect(failed!.attributes).toMatchObject({ 'error.type': 'RangeError', 'market.attempt': 1 });
    expect(handled!.attributes).toMatchObject({ 'market.attempt': 2 });
    const calls = spansNamed('market.domains.checkAvailability');
    expect(calls.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([
      failed!.spanContext().spanId,
      handled!.spanContext().spanId,
    ]);
  });
});

describe('an outbox', () => {
  beforeEach(() => world.emulator.admin.list({ domain: 'brew.example', price_cents: 250_000 }));

  it('has a span for each attempt, linked to the span that added the intent', async () => {
    const outbox = outboxWith(openTelemetry(api, { idempotencyKey: true }));
    const tracer = api.trace.getTracer('shop');
    let adding = '';
    await tracer.startActiveSpan('POST /pay', async (span) => {
      adding = span.spanContext().spanId;
      await outbox.add(intent('payment-1'));
      span.end();
    });
    await outbox.drain({ maxMs: 10_000 });
    const placed = onlySpan('market.order');
    expect(placed.attributes).toEqual({
      'market.consumer': 'shop',
      'market.attempt': 1,
      'market.idempotency_key': 'payment-1',
      'market.verdict': 'placed',
    });
    expect(placed.links.map(({ context }) => context.spanId)).toEqual([adding]);
    expect(placed.parentSpanContext).toBeUndefined();
  });

  it('adds an intent without the span of a call: nothing was sent', async () => {
    const tracing = openTelemetry(api);
    const channel = tracingChannel('market-partner-sdk:call');
    const published: unknown[] = [];
    const subscribers = { start: (span: unknown) => void published.push(span) };
    channel.subscribe(subscribers as never);
    onTestFinished(() => {
      channel.unsubscribe(subscribers as never);
    });
    const outbox = outboxWith(tracing, world.client({ tracing }));
    await outbox.add(intent('payment-1'));
    expect([spansNamed('market.orders.create'), published]).toEqual([[], []]);
    await outbox.drain({ maxMs: 10_000 });
    expect(spansNamed('market.orders.create')).toHaveLength(1);
  });

  it('takes the same intent from another trace as the same', async () => {
    const outbox = outboxWith(openTelemetry(api));
    await outbox.add(intent('payment-1'));
    const again = api.trace
      .getTracer('shop')
      .startActiveSpan('again', (span) =>
        outbox.add(intent('payment-1')).finally(() => span.end()),
      );
    await expect(again).resolves.toEqual({ added: false });
  });

  it.each<[string, Partial<Tracing>]>([
    [
      'traceContext throws',
      {
        traceContext: () => {
          throw new Error('broken');
        },
      },
    ],
    [
      'traceContext is circular',
      {
        traceContext: () => {
          const it: Record<string, never> = {};
          it.me = it as never;
          return it;
        },
      },
    ],
    ['traceContext is a megabyte', { traceContext: () => ({ baggage: 'x'.repeat(1_000_000) }) }],
    [
      'order throws',
      {
        order: () => {
          throw new Error('broken');
        },
      },
    ],
    ['order never runs it', { order: () => undefined }],
  ])('places the order though its tracing is broken: %s', async (_, broken) => {
    const outbox = outboxWith({ call: (_call, run) => run(), ...broken });
    await outbox.add(intent('payment-1'));
    expect(await outbox.drain({ maxMs: 10_000 })).toMatchObject({ placed: 1, left: 0 });
    const posts = world.emulator.requests.filter(({ method }) => method === 'POST');
    expect(posts).toHaveLength(1);
  });

  it.each([[null], ['opentelemetry']])('refuses %j as its tracing', (tracing) => {
    expect(() => outboxWith(tracing as never)).toThrow(/"tracing" must be/);
  });
});
