import {
  afterEach,
  beforeEach,
  describe,
  expect,
  expectTypeOf,
  it,
  vi,
  type MockInstance,
} from 'vitest';
import {
  createWebhookHandler,
  type MarketEvent,
  type OrderSettledEvent,
  type UnknownEvent,
  type WebhookContext,
  type WebhookHandlerOptions,
  type WebhookListeners,
} from 'market-partner-sdk/webhooks';
import { eventJson, SECRET, signedHeaders } from './deliveries.js';

let warn: MockInstance<typeof console.warn>;

beforeEach(() => {
  warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});

afterEach(() => void vi.restoreAllMocks());

/** Delivers an event of each type and returns the statuses. */
async function deliver(options: Partial<WebhookHandlerOptions>, ...types: string[]) {
  const handler = createWebhookHandler({ secret: SECRET, ...options });
  const statuses: number[] = [];
  for (const type of types) {
    const body = eventJson({ type });
    statuses.push((await handler.handle({ headers: signedHeaders(body), body })).status);
  }
  return statuses;
}

describe('onEvent', () => {
  it('gets every event without a listener of its own, documented or not', async () => {
    const seen: string[] = [];
    const statuses = await deliver(
      {
        on: { 'order.settled': () => void seen.push('its own') },
        onEvent: (event) => void seen.push(event.type),
      },
      'order.refunded',
      'order.settled',
      'transfer.stalled',
      'constructor',
    );
    expect(statuses).toEqual([200, 200, 200, 200]);
    expect(seen).toEqual(['order.refunded', 'its own', 'transfer.stalled', 'constructor']);
    expect(warn).not.toHaveBeenCalled();
  });

  it('leaves types that this version does not know to onUnknown', async () => {
    const seen: string[] = [];
    await deliver(
      {
        onEvent: ({ type }) => void seen.push(`onEvent ${type}`),
        onUnknown: ({ type }) => void seen.push(`onUnknown ${type}`),
      },
      'order.refunded',
      'transfer.stalled',
    );
    expect(seen).toEqual(['onEvent order.refunded', 'onUnknown transfer.stalled']);
  });

  it('fails the delivery when it rejects, as every listener does', async () => {
    const onError = vi.fn();
    const onEvent = () => Promise.reject(new Error('database is down'));
    expect(await deliver({ onEvent, onError }, 'order.refunded')).toEqual([500]);
    expect(onError).toHaveBeenCalledOnce();
  });

  it('is typed with every event, each listener with its own, and only documented types', () => {
    expectTypeOf<'order.setled'>().not.toExtend<keyof WebhookListeners>();
    createWebhookHandler({
      secret: SECRET,
      on: { 'order.settled': (event) => expectTypeOf(event).toEqualTypeOf<OrderSettledEvent>() },
      onEvent: (event, context) => {
        expectTypeOf(event).toEqualTypeOf<MarketEvent>();
        expectTypeOf(context).toEqualTypeOf<WebhookContext>();
      },
      onUnknown: (event, context) => {
        expectTypeOf(event).toEqualTypeOf<UnknownEvent>();
        expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
      },
    });
  });

  it('must be a function', () => {
    const options = { secret: SECRET, onEvent: 'fn' } as unknown as WebhookHandlerOptions;
    expect(() => createWebhookHandler(options)).toThrow('"onEvent" must be a function');
  });
});

describe('an event that nothing handles', () => {
  it('is named by console.warn once for each type, with what to add', async () => {
    const statuses = await deliver({}, 'order.refunded', 'order.refunded', 'transfer.stalled');
    expect(statuses).toEqual([200, 200, 200]);
    expect(warn.mock.calls.map(([line]) => String(line))).toEqual([
      expect.stringMatching(/"order\.refunded"; responded 200.*on\["order\.refunded"\] or onEvent/),
      expect.stringMatching(/"transfer\.stalled"; responded 200.*onUnknown or onEvent/),
    ]);
  });

  it('keeps control characters of its type out of the log', async () => {
    await deliver({}, 'a\u001b[2J\nb');
    expect(String(warn.mock.calls[0]?.[0])).not.toMatch(/[\u0000-\u001f]/);
  });

  it('is not recorded as done: the listener that is added later runs', async () => {
    const add = vi.fn();
    await deliver({ deduplicate: { has: () => false, add } }, 'order.refunded');
    expect(add).not.toHaveBeenCalled();
  });
});

describe('the context of a listener', () => {
  it('has the time of arrival and a signal that has not fired', async () => {
    const before = Date.now();
    const contexts: WebhookContext[] = [];
    await deliver({ onEvent: (_event, context) => void contexts.push(context) }, 'order.settled');
    const [context] = contexts;
    expect(context!.deliveredAt).toBeInstanceOf(Date);
    expect(context!.deliveredAt.getTime()).toBeGreaterThanOrEqual(before);
    expect(context!.deliveredAt.getTime()).toBeLessThanOrEqual(Date.now());
    expect(context!.signal).toBeInstanceOf(AbortSignal);
    expect(context!.signal.aborted).toBe(false);
    expect(context!.attempt).toBeUndefined();
  });

  it('has a signal that fires when the response is due, also when it is read late', async () => {
    vi.useFakeTimers();
    const contexts: WebhookContext[] = [];
    let early: AbortSignal | undefined;
    const answered = deliver(
      {
        timeoutMs: 200,
        onError: () => undefined,
        onEvent: (_event, context) => {
          contexts.push(context);
          if (contexts.length === 1) early = context.signal;
          return new Promise(() => undefined);
        },
      },
      'order.settled',
      'order.refunded',
    );
    await vi.advanceTimersByTimeAsync(199);
    expect(early?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(String(early?.reason)).toMatch(/listener of order\.settled.*"timeoutMs", 200 ms/);
    await vi.advanceTimersByTimeAsync(200);
    expect(await answered).toEqual([503, 503]);
    expect(contexts[1]!.signal.aborted).toBe(true);
    vi.useRealTimers();
  });
});
