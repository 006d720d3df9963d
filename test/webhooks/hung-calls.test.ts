import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createWebhookHandler,
  type DeduplicationStore,
  type WebhookErrorContext,
  type WebhookHandlerOptions,
} from 'market-partner-sdk/webhooks';
import { eventJson, SECRET, signedHeaders } from './deliveries.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = () => new Promise<never>(() => undefined);

function setUp(options: Partial<WebhookHandlerOptions>) {
  const errors: [unknown, WebhookErrorContext][] = [];
  const handler = createWebhookHandler({
    secret: SECRET,
    timeoutMs: 1_000,
    deduplicate: true,
    onError: (...report) => void errors.push(report),
    ...options,
  });
  /** Delivers the event and lets the time pass until it is answered. */
  const deliver = async (id = 'evt_1') => {
    const body = eventJson({ id });
    let status: number | undefined;
    void handler.handle({ headers: signedHeaders(body), body }).then((response) => {
      status = response.status;
    });
    for (let passedMs = 0; status === undefined && passedMs <= 1_000; passedMs += 100) {
      await vi.advanceTimersByTimeAsync(100);
    }
    return status;
  };
  return { deliver, errors };
}

/** A store in memory that can be told to hang. */
function store(hang: Partial<DeduplicationStore> = {}) {
  const done = new Set<string>();
  return {
    done,
    has: (id: string) => done.has(id),
    add: (id: string) => void done.add(id),
    ...hang,
  };
}

describe('a call that never settles does not pin its event', () => {
  it('when it is a listener: the delivery after timeoutMs starts it again', async () => {
    const listener = vi.fn(never);
    const { deliver, errors } = setUp({ on: { 'order.settled': listener } });
    expect([await deliver(), await deliver(), await deliver()]).toEqual([503, 503, 503]);
    expect(listener).toHaveBeenCalledTimes(3);
    listener.mockImplementation(() => Promise.resolve() as Promise<never>);
    expect([await deliver(), await deliver()]).toEqual([200, 200]);
    expect(listener).toHaveBeenCalledTimes(4);
    expect(errors).toHaveLength(3);
  });

  it('when it is has of the store', async () => {
    const listener = vi.fn();
    const has = vi.fn<() => boolean | Promise<boolean>>(never);
    const { deliver, errors } = setUp({
      on: { 'order.settled': listener },
      deduplicate: store({ has }),
    });
    expect([await deliver(), await deliver()]).toEqual([503, 503]);
    expect(has).toHaveBeenCalledTimes(2);
    expect(listener).not.toHaveBeenCalled();
    expect(String(errors[0]![0])).toMatch(/has\(\) of the deduplication store.*evt_1/);
    has.mockImplementation(() => false);
    expect(await deliver()).toBe(200);
    expect(listener).toHaveBeenCalledOnce();
  });

  it('when it is add of the store: the listener has resolved, so it is answered 200 and reported', async () => {
    const listener = vi.fn();
    const { deliver, errors } = setUp({
      on: { 'order.settled': listener },
      deduplicate: store({ add: never }),
    });
    expect(await deliver()).toBe(200);
    expect(errors).toMatchObject([
      [{ message: expect.stringContaining('add() of the deduplication store') }, { status: 200 }],
    ]);
  });

  it('and holds no other event', async () => {
    const { deliver } = setUp({
      on: { 'order.settled': ({ id }) => (id === 'evt_1' ? never() : undefined) },
    });
    expect([await deliver('evt_1'), await deliver('evt_2')]).toEqual([503, 200]);
  });
});

describe('a listener that succeeds after its response was due', () => {
  it('makes its event done: the next delivery is answered 200 and does not run it', async () => {
    let finish: () => void = () => undefined;
    const listener = vi.fn(() => new Promise<void>((resolve) => (finish = resolve)));
    const { deliver } = setUp({ on: { 'order.settled': listener } });
    expect(await deliver()).toBe(503);
    finish();
    await vi.advanceTimersByTimeAsync(0);
    expect(await deliver()).toBe(200);
    expect(listener).toHaveBeenCalledOnce();
  });

  it('does not start when the store says so only after that', async () => {
    let say: (result: boolean) => void = () => undefined;
    const listener = vi.fn();
    const { deliver } = setUp({
      on: { 'order.settled': listener },
      deduplicate: store({ has: () => new Promise((resolve) => (say = resolve)) }),
    });
    expect(await deliver()).toBe(503);
    say(false);
    await vi.advanceTimersByTimeAsync(0);
    expect(listener).not.toHaveBeenCalled();
  });
});

describe('the attempt in the context', () => {
  it('counts how often the event was started, failures and timeouts alike', async () => {
    const attempts: (number | undefined)[] = [];
    const outcomes: (() => unknown)[] = [
      () => Promise.reject(new Error('down')),
      never,
      () => undefined,
    ];
    const { deliver } = setUp({
      on: {
        'order.settled': (_event, { attempt }) => {
          attempts.push(attempt);
          return outcomes[attempts.length - 1]!();
        },
      },
    });
    expect([await deliver(), await deliver(), await deliver()]).toEqual([500, 503, 200]);
    expect(attempts).toEqual([1, 2, 3]);
  });

  it('does not count a delivery whose listener was not started', async () => {
    const attempts: (number | undefined)[] = [];
    const { deliver } = setUp({
      on: { 'order.settled': (_event, { attempt }) => void attempts.push(attempt) },
      deduplicate: store({
        has: vi
          .fn<() => boolean | Promise<boolean>>()
          .mockImplementationOnce(never)
          .mockImplementationOnce(() => {
            throw new Error('store is down');
          })
          .mockReturnValue(false),
      }),
    });
    expect([await deliver(), await deliver(), await deliver()]).toEqual([503, 500, 200]);
    expect(attempts).toEqual([1]);
  });
});
