/** The diagnostics channel of webhooks, and the option `tracing` of a handler. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createWebhookHandler,
  type WebhookHandlerOptions,
  type WebhookSpan,
  type WebhookTracing,
} from 'market-partner-sdk/webhooks';
import { eventJson, SECRET, signed, signedHeaders } from './deliveries.js';

afterEach(() => {
  vi.useRealTimers();
});

const body = eventJson();
const delivery = { headers: signedHeaders(body), body };

function handlerWith(options: Partial<WebhookHandlerOptions> = {}) {
  return createWebhookHandler({
    secret: SECRET,
    onEvent: () => undefined,
    onError: () => undefined,
    ...options,
  });
}

describe('the channel market-partner-sdk:webhook', () => {
  const channel = tracingChannel<unknown, WebhookSpan>('market-partner-sdk:webhook');
  /** What was published, as it was in that moment. */
  let published: { moment: string; span: WebhookSpan }[];
  const note = (moment: string) => (span: WebhookSpan) =>
    void published.push({ moment, span: { ...span } });
  const handlers = {
    start: note('start'),
    end: () => undefined,
    asyncStart: () => undefined,
    asyncEnd: note('asyncEnd'),
    error: note('error'),
  };

  beforeEach(() => {
    published = [];
    channel.subscribe(handlers);
  });
  afterEach(() => channel.unsubscribe(handlers));

  it('has a span for each delivery: empty at its start, complete at its end', async () => {
    await handlerWith().handle(delivery);
    expect(published).toEqual([
      { moment: 'start', span: {} },
      {
        moment: 'asyncEnd',
        span: { id: 'evt_1', type: 'order.settled', status: 200, result: 200 },
      },
    ]);
  });

  it.each<[string, object, number, string | undefined]>([
    ['a wrong signature', { headers: signedHeaders('{}') }, 401, 'signature_mismatch'],
    ['no signature', { headers: {} }, 401, 'missing_signature'],
    ['no JSON', { headers: signedHeaders('{'), body: '{' }, 400, 'invalid_json'],
    ['another method', { method: 'GET' }, 405, undefined],
  ])('tells why %s was refused, and nothing of the sender', async (_, given, status, failure) => {
    await handlerWith().handle({ ...delivery, ...given });
    expect(published.at(-1)!.span).toEqual({ status, failure, result: status });
  });

  it('shows a listener that failed by its status', async () => {
    await handlerWith({ onEvent: () => Promise.reject(new Error('shop is down')) }).handle(
      delivery,
    );
    expect(published.at(-1)!.span).toMatchObject({ id: 'evt_1', status: 500 });
    expect(published.map(({ moment }) => moment)).not.toContain('error');
  });

  it('ends with the response, though the listener goes on', async () => {
    vi.useFakeTimers();
    const never = new Promise(() => undefined);
    const responded = handlerWith({ onEvent: () => never, timeoutMs: 1_000 }).handle(delivery);
    await vi.advanceTimersByTimeAsync(1_000);
    await responded;
    expect(published.at(-1)!.span).toMatchObject({ id: 'evt_1', status: 503, failure: 'timeout' });
  });

  it('runs the listener in the context that a subscriber bound', async () => {
    const store = new AsyncLocalStorage<WebhookSpan>();
    channel.start.bindStore(store, (span) => span);
    let seen: WebhookSpan | undefined;
    await handlerWith({ onEvent: () => void (seen = store.getStore()) }).handle(delivery);
    channel.start.unbindStore(store);
    expect(seen).toMatchObject({ id: 'evt_1' });
  });

  it('publishes no body, no signature and no secret', async () => {
    await handlerWith().handle(delivery);
    const text = inspect(published, { depth: Infinity });
    for (const part of [SECRET, signed(body), 'brew.example']) expect(text).not.toContain(part);
  });
});

describe('the option tracing', () => {
  it('surrounds each delivery once, and its listener runs inside', async () => {
    const inside = new AsyncLocalStorage<string>();
    const spans: WebhookSpan[] = [];
    const tracing: WebhookTracing = {
      webhook: (span, run) => {
        spans.push(span);
        return inside.run('the span', run);
      },
    };
    let seen: string | undefined;
    const handler = handlerWith({ tracing, onEvent: () => void (seen = inside.getStore()) });
    expect(await handler.handle(delivery)).toMatchObject({ status: 200 });
    expect(seen).toBe('the span');
    expect(spans).toEqual([{ id: 'evt_1', type: 'order.settled', status: 200 }]);
  });

  it.each<[string, NonNullable<WebhookTracing['webhook']>]>([
    ['throws', () => expect.fail('broken')],
    ['rejects', () => Promise.reject(new Error('broken'))],
    ['never runs it', () => undefined],
    ['runs it twice', (_span, run) => Promise.all([run(), run()])],
    [
      'throws after it ran it',
      (_span, run) => {
        void run();
        throw new Error('broken');
      },
    ],
  ])('that %s runs the listener once and changes no response', async (_, webhook) => {
    let runs = 0;
    const handler = handlerWith({ tracing: { webhook }, onEvent: () => void (runs += 1) });
    expect(await handler.handle(delivery)).toMatchObject({ status: 200 });
    expect(runs).toBe(1);
  });

  it.each([[null], ['opentelemetry'], [1]])('is refused by name as %j', (tracing) => {
    expect(() => handlerWith({ tracing: tracing as never })).toThrow(/"tracing" must be/);
  });
});
