import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWebhookHandler } from 'market-partner-sdk/webhooks';
import { eventJson, SECRET, signed, signedHeaders } from './deliveries.js';
import { receiver } from './receiver.js';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const body = eventJson();

describe('the signal of a listener behind .fetch', () => {
  /** Delivers with a request's signal; resolves with what the listener saw of its own. */
  async function deliver(
    signal: AbortSignal | null | undefined,
    leave: () => void = () => undefined,
  ) {
    let seen: AbortSignal | undefined;
    const { handler } = receiver({
      on: {
        'order.settled': (_event, context) => {
          seen = context.signal;
          leave();
        },
      },
    });
    const { status } = await handler.fetch({
      method: 'POST',
      headers: new Headers(signedHeaders(body)),
      bodyUsed: false,
      body: new Response(body).body,
      ...(signal === undefined ? {} : { signal }),
    });
    return { status, signal: seen! };
  }

  it('aborts when the sender leaves', async () => {
    const sender = new AbortController();
    const { signal } = await deliver(sender.signal, () => sender.abort());
    expect([signal.aborted, String(signal.reason)]).toEqual([
      true,
      'Error: The sender closed the connection.',
    ]);
  });

  it('has aborted when the sender had left before', async () => {
    expect((await deliver(AbortSignal.abort())).signal.aborted).toBe(true);
  });

  it.each([undefined, null])('stays as it is where the request has %s', async (none) => {
    const { status, signal } = await deliver(none);
    expect([status, signal.aborted]).toEqual([200, false]);
  });

  it('does not abort when the sender leaves after the response', async () => {
    const sender = new AbortController();
    const { signal } = await deliver(sender.signal);
    sender.abort();
    expect(signal.aborted).toBe(false);
  });
});

it('.lambda refuses a body that is too large by a byte, which its length in base64 does not show', async () => {
  const { handler, errors } = receiver({ maxBytes: 10 });
  const eleven = Buffer.alloc(11).toString('base64');
  const event = { headers: signedHeaders(body), body: eleven, isBase64Encoded: true };
  expect((await handler.lambda(event)).statusCode).toBe(413);
  expect(errors).toMatchObject([{ reason: 'body_too_large' }]);
});

describe('deliveries that arrive one after another', () => {
  beforeEach(() => void vi.useFakeTimers());

  it('are each answered at their own time', async () => {
    const { deliver } = receiver({ timeoutMs: 1_000, onEvent: () => new Promise(() => undefined) });
    const answered: string[] = [];
    void deliver().then((status) => answered.push(`first ${status}`));
    await vi.advanceTimersByTimeAsync(400);
    void deliver().then((status) => answered.push(`second ${status}`));
    await vi.advanceTimersByTimeAsync(600);
    expect(answered).toEqual(['first 503']);
    await vi.advanceTimersByTimeAsync(399);
    expect(answered).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2);
    expect(answered).toEqual(['first 503', 'second 503']);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('a sender that breaks off is not worth a line of the log', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const handler = createWebhookHandler({ secret: SECRET });
  const broken = new ReadableStream({
    start: (controller) => controller.error(new Error('gone')),
  });
  const { status } = await handler.fetch(
    new Request('https://partner.example', {
      method: 'POST',
      headers: { 'X-Market-Signature': signed('') },
      body: broken,
      duplex: 'half',
    }),
  );
  expect(status).toBe(400);
  expect(warn).not.toHaveBeenCalled();
  expect(error).not.toHaveBeenCalled();
});

describe('a secret', () => {
  it('may be longer than a block of the hash', async () => {
    const secret = `whsec_${'x'.repeat(100)}`;
    const { handler } = receiver({ secret });
    expect((await handler.handle({ headers: signedHeaders(body, secret), body })).status).toBe(200);
  });

  it('that is a function is not asked again for a body that is wrong in another way', async () => {
    const secret = vi.fn(() => SECRET);
    const { handler } = receiver({ secret });
    const text = 'hello';
    expect((await handler.handle({ headers: signedHeaders(text), body: text })).status).toBe(400);
    expect(secret).toHaveBeenCalledOnce();
  });
});

it('the attempts of events that fail are counted for the latest 10,000 of them', async () => {
  const attempts: (number | undefined)[] = [];
  const { deliver } = receiver({
    deduplicate: true,
    on: {
      'order.settled': (_event, { attempt }) => {
        attempts.push(attempt);
        throw new Error('down');
      },
    },
  });
  for (let id = 0; id <= 10_000; id += 1) await deliver({ id: `evt_${id}` });
  await deliver({ id: 'evt_1' });
  await deliver({ id: 'evt_0' });
  expect(attempts.slice(-2)).toEqual([2, 1]);
});
