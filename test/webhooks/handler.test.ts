import { describe, expect, it, vi } from 'vitest';
import {
  createWebhookHandler,
  WebhookVerificationError,
  type MarketEvent,
  type WebhookDelivery,
  type WebhookErrorContext,
  type WebhookHandlerOptions,
} from 'market-partner-sdk/webhooks';
import { eventJson, SECRET, signed, signedHeaders } from './deliveries.js';

/** A handler that records what it is called with. */
function recorder(options: Partial<WebhookHandlerOptions> = {}) {
  const events: MarketEvent[] = [];
  const errors: { error: unknown; context: WebhookErrorContext }[] = [];
  const handler = createWebhookHandler({
    secret: SECRET,
    on: { 'order.settled': (event) => void events.push(event) },
    onError: (error, context) => void errors.push({ error, context }),
    ...options,
  });
  return { handler, events, errors };
}

const delivery = (body = eventJson(), headers = signedHeaders(body)): WebhookDelivery => ({
  headers,
  body,
});

describe('a webhook handler', () => {
  it('answers 200 and runs the function of the event type', async () => {
    const { handler, events } = recorder();
    expect(await handler.handle(delivery())).toMatchObject({ status: 200, body: 'OK' });
    expect(events).toEqual([JSON.parse(eventJson())]);
  });

  it('answers 200 only after the function has resolved', async () => {
    const order: string[] = [];
    let finish: () => void = () => undefined;
    const { handler } = recorder({
      on: { 'order.settled': () => new Promise<void>((resolve) => (finish = resolve)) },
    });
    const response = handler
      .handle(delivery())
      .then(({ status }) => order.push(`answer ${status}`));
    await new Promise((resolve) => setImmediate(resolve));
    order.push('finished');
    finish();
    await response;
    expect(order).toEqual(['finished', 'answer 200']);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('database is down');
      },
    ],
    ['rejects', () => Promise.reject(new Error('database is down'))],
  ])('answers 500 and reports when the function %s', async (_how, fail) => {
    const { handler, errors } = recorder({ on: { 'order.settled': fail } });
    const response = await handler.handle(delivery());
    expect(response).toMatchObject({ status: 500, body: 'Internal Server Error' });
    expect(errors).toHaveLength(1);
    expect(errors[0]!.error).toMatchObject({ message: 'database is down' });
    expect(errors[0]!.context).toMatchObject({ status: 500, event: { id: 'evt_1' } });
  });

  it.each<[string, number, string, WebhookDelivery]>([
    ['no signature', 401, 'missing_signature', delivery('{}', {})],
    [
      'a malformed one',
      401,
      'malformed_signature',
      delivery('{}', { 'x-market-signature': 'v1=a' }),
    ],
    ['a forged one', 401, 'signature_mismatch', delivery('{}', signedHeaders('{}', 'whsec_x'))],
    ['an empty body', 401, 'signature_mismatch', { headers: signedHeaders('{}'), body: '' }],
    ['no body', 500, 'body_not_raw', { headers: signedHeaders('{}'), body: undefined }],
    ['a body of null', 500, 'body_not_raw', { headers: signedHeaders('{}'), body: null }],
    ['signed text that is not JSON', 400, 'invalid_json', delivery('hello')],
    ['signed JSON that is no event', 400, 'invalid_event', delivery('{}')],
    ['a parsed body', 500, 'body_not_raw', { headers: signedHeaders('{}'), body: {} as string }],
  ])('refuses %s with %i and reports %s', async (_what, status, reason, refused) => {
    const { handler, events, errors } = recorder();
    expect((await handler.handle(refused)).status).toBe(status);
    expect(events).toEqual([]);
    expect(errors).toHaveLength(1);
    expect(errors[0]!.error).toBeInstanceOf(WebhookVerificationError);
    expect(errors[0]).toMatchObject({ error: { reason }, context: { status } });
  });

  it('refuses a body of more than maxBytes bytes, not characters', async () => {
    const body = eventJson({ note: 'ë'.repeat(50) });
    const bytes = Buffer.byteLength(body);
    const exact = recorder({ maxBytes: bytes });
    expect((await exact.handler.handle(delivery(body))).status).toBe(200);
    const under = recorder({ maxBytes: bytes - 1 });
    expect((await under.handler.handle(delivery(body))).status).toBe(413);
    expect(under.errors[0]).toMatchObject({ error: { reason: 'body_too_large' } });
  });

  it('refuses every method but POST, and reports none of them', async () => {
    const { handler, errors } = recorder();
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', '']) {
      const response = await handler.handle({ ...delivery(), method });
      expect(response).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    }
    expect(errors).toEqual([]);
    expect((await handler.handle({ ...delivery(), method: 'post' })).status).toBe(200);
  });

  it('answers with constants: a refusal does not say why', async () => {
    const { handler } = recorder();
    const missing = await handler.handle(delivery(eventJson(), {}));
    expect(await handler.handle(delivery(eventJson(), signedHeaders('other')))).toEqual(missing);
    expect(missing).toEqual({
      status: 401,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
      body: 'Unauthorized',
    });
  });

  it('keeps answering when onError itself throws or rejects', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    for (const onError of [
      () => {
        throw new Error('logger is down');
      },
      () => Promise.reject(new Error('logger is down')),
    ]) {
      const { handler } = recorder({ onError });
      expect((await handler.handle(delivery(eventJson(), {}))).status).toBe(401);
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(log).toHaveBeenCalledTimes(2);
  });

  it('logs the failure of a listener when there is no onError', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const failure = new Error('database is down');
    const handler = createWebhookHandler({
      secret: SECRET,
      on: { 'order.settled': () => Promise.reject(failure) },
    });
    await handler.handle(delivery());
    expect(log.mock.calls).toEqual([['market-partner-sdk/webhooks:', failure]]);
  });
});

describe('a handler that takes too long', () => {
  it('is answered for with 503 at timeoutMs and reported', async () => {
    vi.useFakeTimers();
    const { handler, errors } = recorder({
      on: { 'order.settled': () => new Promise(() => undefined) },
    });
    const response = handler.handle(delivery());
    await vi.advanceTimersByTimeAsync(4_499);
    expect(errors).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect((await response).status).toBe(503);
    expect(errors).toHaveLength(1);
    expect(String(errors[0]!.error)).toMatch(
      /listener of order\.settled evt_1 took longer.*4500 ms/,
    );
    expect(errors[0]!.context).toMatchObject({ status: 503, event: { id: 'evt_1' } });
  });

  it('still has its late failure reported', async () => {
    vi.useFakeTimers();
    const { handler, errors } = recorder({
      timeoutMs: 100,
      on: {
        'order.settled': async () => {
          await new Promise((resolve) => setTimeout(resolve, 200));
          throw new Error('too late and wrong');
        },
      },
    });
    const response = handler.handle(delivery());
    await vi.advanceTimersByTimeAsync(300);
    expect((await response).status).toBe(503);
    expect(errors.map(({ context }) => context.status)).toEqual([503, 500]);
  });

  it('holds no timer that would keep an idle process alive', async () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    let during = before;
    const { handler } = recorder({ on: { 'order.settled': () => void (during = timers()) } });
    for (let delivered = 0; delivered < 2; delivered += 1) {
      await handler.handle(delivery());
      expect([during, timers()]).toEqual([before + 1, before]);
      during = before;
    }
  });

  it('leaves no timer behind where timers are numbers', async () => {
    vi.useFakeTimers();
    const timers = new Map<number, unknown>();
    const { setTimeout: fakeTimeout, clearTimeout: fakeClear } = globalThis;
    vi.stubGlobal('setTimeout', (callback: () => void, delayMs: number) => {
      timers.set(timers.size + 1, fakeTimeout(callback, delayMs));
      return timers.size;
    });
    vi.stubGlobal('clearTimeout', (timer: number) => fakeClear(timers.get(timer) as never));
    const { handler } = recorder();
    await handler.handle(delivery());
    expect(timers.size).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('has the whole timeoutMs after an earlier delivery', async () => {
    vi.useFakeTimers();
    let hang = false;
    const { handler } = recorder({
      on: { 'order.settled': () => (hang ? new Promise(() => undefined) : undefined) },
    });
    await handler.handle(delivery());
    await vi.advanceTimersByTimeAsync(3_000);
    hang = true;
    let status = 0;
    void handler.handle(delivery()).then((response) => (status = response.status));
    await vi.advanceTimersByTimeAsync(4_499);
    expect(status).toBe(0);
    // The timer of the first delivery is set again for the second, a millisecond late.
    await vi.advanceTimersByTimeAsync(2);
    expect(status).toBe(503);
  });
});

describe('the options of a webhook handler', () => {
  it.each<[string, unknown, RegExp]>([
    ['no options', undefined, /"options" must be an object of options, such as/],
    ['a list', [SECRET], /"options" must be an object of options/],
    ['an AbortSignal', AbortSignal.abort(), /an object of options, such as { secret, onEvent }\.$/],
    ['a Promise', Promise.resolve({ secret: SECRET }), /await the Promise first/],
  ])('refuse %s in their place', (_what, options, message) => {
    expect(() => createWebhookHandler(options as WebhookHandlerOptions)).toThrow(message);
  });

  it.each<[string, object, RegExp]>([
    ['no secret', { secret: undefined }, /"secret" is undefined/],
    ['an empty secret', { secret: '' }, /"secret" is empty/],
    ['an empty secret beside a good one', { secret: [SECRET, ''] }, /"secret\[1\]" is empty/],
    [
      'an option that does not exist',
      { onerror: () => 0 },
      /"onerror" is not an option; the options are/,
    ],
    ['a name, however long', { ['x'.repeat(1_000_000)]: undefined }, /^"x{60}" is not an option; /],
    [
      'a class in the place of a function',
      { onEvent: class extends Map {} },
      /"onEvent" must be a function, not a class/,
    ],
    ['on that is no object', { on: 'order.settled' }, /"on" must be an object/],
    [
      'a type that does not exist',
      { on: { 'order.setled': () => undefined } },
      /"on\['order\.setled'\]" is not a documented event type.*onUnknown.*order\.settled/,
    ],
    [
      'a listener that is no function',
      { on: { 'order.settled': 'fn' } },
      /"on\['order\.settled'\]" must be a function/,
    ],
    ['onUnknown that is no function', { onUnknown: 5 }, /"onUnknown" must be a function/],
    ['onError that is no function', { onError: null }, /"onError" must be a function/],
    ['maxBytes of 0', { maxBytes: 0 }, /"maxBytes" must be .* from 1 to 67108864/],
    ['maxBytes that is text', { maxBytes: '1mb' }, /"maxBytes"/],
    [
      "timeoutMs beyond the service's patience",
      { timeoutMs: 5_000 },
      /"timeoutMs" must be .* 1 to 4900/,
    ],
    ['timeoutMs of NaN', { timeoutMs: Number.NaN }, /"timeoutMs"/],
    ['deduplicate that is no store', { deduplicate: { has: () => true } }, /"deduplicate" must be/],
  ])('refuse %s at once, by name', (_what, wrong, message) => {
    expect(() => createWebhookHandler({ secret: SECRET, ...wrong })).toThrow(message);
  });

  it('are read once, also those that a class has', () => {
    let reads = 0;
    class Settings {
      readonly secret = SECRET;
      get timeoutMs() {
        reads += 1;
        return 1_000;
      }
    }
    createWebhookHandler(new Settings());
    expect(reads).toBe(1);
  });

  it('may be undefined where they are optional', async () => {
    const handler = createWebhookHandler({
      secret: SECRET,
      on: { 'order.settled': undefined },
      onUnknown: undefined,
      onError: undefined,
      maxBytes: undefined,
      timeoutMs: undefined,
      deduplicate: undefined,
    });
    expect((await handler.handle(delivery())).status).toBe(200);
  });

  it('are read once: changing them later changes nothing', async () => {
    const ran: string[] = [];
    const on = { 'order.settled': () => void ran.push('first') };
    const secret = [SECRET];
    const handler = createWebhookHandler({ secret, on });
    secret[0] = 'whsec_changed';
    on['order.settled'] = () => void ran.push('second');
    expect((await handler.handle(delivery())).status).toBe(200);
    expect(ran).toEqual(['first']);
  });
});

describe('.lambda', () => {
  const body = eventJson({ note: 'Zoë' });
  const base64 = Buffer.from(body).toString('base64');
  const headers = { 'x-market-signature': signed(body) };
  const multiValueHeaders = { 'X-Market-Signature': [signed(body)] };

  it.each([
    [
      'format 2.0 and function URLs',
      { requestContext: { http: { method: 'POST' } }, headers, body, isBase64Encoded: false },
    ],
    [
      'format 2.0 with a base64 body',
      {
        requestContext: { http: { method: 'POST' } },
        headers,
        body: base64,
        isBase64Encoded: true,
      },
    ],
    [
      'format 1.0',
      { httpMethod: 'POST', headers, multiValueHeaders, body, isBase64Encoded: false },
    ],
    ['an invocation that names no method', { headers, body }],
  ])('answers %s', async (_format, event) => {
    const { handler, events } = recorder();
    expect(await handler.lambda(event)).toEqual({
      statusCode: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
      body: 'OK',
      isBase64Encoded: false,
    });
    expect(events).toEqual([JSON.parse(body)]);
  });

  it('answers a load balancer with several values in its own form', async () => {
    const { handler } = recorder();
    const result = await handler.lambda({
      httpMethod: 'POST',
      multiValueHeaders,
      body,
      isBase64Encoded: false,
    });
    expect(result).toMatchObject({
      statusCode: 200,
      multiValueHeaders: { 'cache-control': ['no-store'] },
    });
  });

  it.each<[string, number, object]>([
    [
      'a header that was sent twice',
      401,
      { headers, multiValueHeaders: { 'X-Market-Signature': [signed(body), signed(body)] }, body },
    ],
    ['base64 that is not announced', 401, { headers, body: base64, isBase64Encoded: false }],
    ['no body', 401, { httpMethod: 'POST', headers, body: null }],
    ['an invocation without a body', 500, { headers }],
    ['no headers', 500, { body }],
    ['no headers of HTTP', 401, { httpMethod: 'POST', headers: null, body }],
    ['a GET', 405, { requestContext: { http: { method: 'GET' } }, headers: {} }],
    ['a body that a middleware has parsed', 500, { headers, body: JSON.parse(body) as unknown }],
    ['base64 that is announced and is none', 500, { headers, body, isBase64Encoded: true }],
    ['a body that is too large', 413, { headers, body: 'x'.repeat(1024 * 1024 + 1) }],
  ])('refuses %s with %i', async (_what, status, event) => {
    const { handler, events } = recorder();
    expect((await handler.lambda(event)).statusCode).toBe(status);
    expect(events).toEqual([]);
  });

  it('refuses base64 by its length, before it is decoded', async () => {
    const decode = vi.spyOn(globalThis, 'atob');
    const decodeBuffer = vi.spyOn(Buffer, 'from');
    const { handler, errors } = recorder({ maxBytes: 3_000 });
    const event = (bytes: number) => ({
      headers: { 'x-market-signature': '0'.repeat(64) },
      body: Buffer.alloc(bytes).toString('base64'),
      isBase64Encoded: true,
    });
    const tooLarge = event(1024 * 1024);
    decodeBuffer.mockClear();
    expect((await handler.lambda(tooLarge)).statusCode).toBe(413);
    expect(decode).not.toHaveBeenCalled();
    expect(decodeBuffer).not.toHaveBeenCalled();
    expect((await handler.lambda(event(3_001))).statusCode).toBe(413);
    expect((await handler.lambda(event(3_000))).statusCode).toBe(401);
    expect(errors.map(({ error }) => (error as { reason?: string }).reason)).toEqual([
      'body_too_large',
      'body_too_large',
      'signature_mismatch',
    ]);
  });
});
