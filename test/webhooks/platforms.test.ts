import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createWebhookHandler,
  explainWebhookMismatch,
  verifyWebhook,
  type NodeWebhookRequest,
} from 'market-partner-sdk/webhooks';
import { eventJson, SECRET, signed, signedHeaders } from './deliveries.js';

const body = eventJson();

function setUp() {
  const errors: unknown[] = [];
  const onEvent = vi.fn();
  const handler = createWebhookHandler({
    secret: SECRET,
    onEvent,
    onError: (error) => void errors.push(error),
  });
  return { handler, onEvent, errors };
}

function newResponse() {
  return { statusCode: 0, headersSent: false, setHeader: () => undefined, end: vi.fn() };
}

/** As the Lambda wrappers for Express and Koa make it: a request whose socket is a plain object. */
function wrapperRequest(method: string, headers: Record<string, string>): IncomingMessage {
  const nothing = () => undefined;
  const socket = { readable: false, remoteAddress: '127.0.0.1', end: nothing, destroy: nothing };
  const request = new IncomingMessage(socket as unknown as Socket);
  request.complete = true;
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return Object.assign(request, { method, headers: Object.fromEntries(lowerCase) as object });
}

describe('a request that is not of node', () => {
  it.each([
    ['GET', 405, {}],
    ['POST', 401, {}],
    ['POST', 401, signedHeaders(body, 'whsec_x')],
    ['POST', 200, signedHeaders(body)],
  ])('a %s is answered with %i although its socket is a plain object', async (...row) => {
    const [method, status, headers] = row;
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { handler } = setUp();
    const request = wrapperRequest(method, headers);
    const response = newResponse();
    const answered = handler.node(request, response);
    request.push(Buffer.from(body));
    request.push(null);
    await answered;
    if (status !== 200) expect(response.end).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(response.statusCode).toBe(status);
  });

  it('the timer that ends a refused body throws nothing', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { handler } = setUp();
    const request = wrapperRequest('GET', {});
    await handler.node(request, newResponse());
    await vi.advanceTimersByTimeAsync(10_000);
    expect(request.destroyed).toBe(true);
  });

  it('a stream of HTTP/2 that was refused and does not end is closed', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const stream = { close: vi.fn() };
    const request = Object.assign(new Readable({ read: () => undefined }), {
      method: 'GET',
      headers: {},
      stream,
    });
    await setUp().handler.node(request, newResponse());
    await vi.advanceTimersByTimeAsync(3_000);
    expect(stream.close).toHaveBeenCalledOnce();
  });
});

/** As Vercel's helpers do it: what was read is replayed to listeners of `data` and `end`. */
async function replayed(text: string, replay = text): Promise<NodeWebhookRequest> {
  const request = Readable.from([Buffer.from(text)]);
  for await (const chunk of request) expect(chunk).toBeDefined();
  const copy = new PassThrough();
  copy.end(replay);
  const original = request.on.bind(request);
  const on = (event: string, listener: (value: unknown) => void) =>
    event === 'data' || event === 'end' ? copy.on(event, listener) : original(event, listener);
  const headers = { 'x-market-signature': signed(text), 'content-length': String(text.length) };
  const broken = {
    get: () => {
      throw new Error('Invalid JSON');
    },
  };
  return Object.defineProperty(
    Object.assign(request, { method: 'POST', headers, on }),
    'body',
    broken,
  );
}

describe('a stream that was read before', () => {
  it('is read again where the platform replays it', async () => {
    const { handler, onEvent } = setUp();
    const response = newResponse();
    await handler.node(await replayed(body), response);
    expect([response.statusCode, onEvent.mock.calls.length]).toEqual([200, 1]);
  });

  it('is body_not_raw, and not a wrong signature, where only a part comes', async () => {
    const { handler, errors } = setUp();
    const response = newResponse();
    await handler.node(await replayed(body, body.slice(5)), response);
    expect(response.statusCode).toBe(500);
    expect(errors).toMatchObject([{ reason: 'body_not_raw' }]);
  });
});

describe('what a receiver does wrong is not the fault of the sender', () => {
  it.each<[string, unknown, RegExp]>([
    ['a promise of headers', { headers: Promise.resolve({}), body }, /"await" is missing/],
    ['a whole request', { headers: { method: 'POST', headers: {} }, body }, /whole request/],
    ['a promise of a body', { headers: signedHeaders(body), body: Promise.resolve(body) }, /await/],
  ])('%s is a 500 and named', async (_what, delivery, message) => {
    const { handler, errors } = setUp();
    expect((await handler.handle(delivery as never)).status).toBe(500);
    expect(String(errors[0])).toMatch(message);
  });

  it.each([
    ['a parsed body', { event: 1 }],
    ['a missing body', undefined],
  ])('the imitation of a fetch request with %s is body_not_raw', async (_what, given) => {
    const { handler, errors } = setUp();
    const request = { method: 'POST', headers: signedHeaders(body), body: given, bodyUsed: false };
    expect((await handler.fetch(request as never)).status).toBe(500);
    expect(errors).toMatchObject([{ reason: 'body_not_raw' }]);
  });

  it('a store that does not say yes or no is a 500, and the listener does not count as run', async () => {
    const errors: unknown[] = [];
    const handler = createWebhookHandler({
      secret: SECRET,
      onEvent: () => undefined,
      onError: (error) => void errors.push(error),
      deduplicate: { has: () => Promise.resolve({ rows: [] }) as never, add: () => undefined },
    });
    expect((await handler.handle({ headers: signedHeaders(body), body })).status).toBe(500);
    expect(String(errors[0])).toMatch(/has\(\) .* must return true or false/);
  });
});

describe('what is visible is named', () => {
  it.each<[string, Buffer | string, RegExp]>([
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), /gzip/],
    ['deflate', Buffer.from([0x78, 0x9c, 1]), /deflate/],
    ['a serialized Buffer', JSON.stringify(Buffer.from(body)), /Buffer that was serialized/],
    ['an object as text', '[object Object]', /turned into text/],
  ])('%s in explainWebhookMismatch', (_what, raw, cause) => {
    expect(explainWebhookMismatch(raw, signed(body), SECRET)).toMatch(cause);
  });

  it('a secret that is a promise', () => {
    const secret = Promise.resolve(SECRET) as never;
    expect(() => verifyWebhook(body, signed(body), secret)).toThrow(/"secret" is a promise/);
  });
});
