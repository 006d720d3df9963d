import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  explainWebhookMismatch,
  verifyWebhook,
  type NodeWebhookRequest,
} from 'market-partner-sdk/webhooks';
import { eventJson, SECRET, signed, signedHeaders } from './deliveries.js';
import { receiver } from './receiver.js';

const body = eventJson();

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
    const { handler } = receiver();
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
    const { handler } = receiver();
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
    await receiver().handler.node(request, newResponse());
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
    const { handler, events } = receiver();
    const response = newResponse();
    await handler.node(await replayed(body), response);
    expect([response.statusCode, events.length]).toEqual([200, 1]);
  });

  it('is body_not_raw, and not a wrong signature, where only a part comes', async () => {
    const { handler, errors } = receiver();
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
    const { handler, errors } = receiver();
    expect((await handler.handle(delivery as never)).status).toBe(500);
    expect(String(errors[0])).toMatch(message);
  });

  it.each([
    ['a parsed body', { event: 1 }],
    ['a missing body', undefined],
  ])('the imitation of a fetch request with %s is body_not_raw', async (_what, given) => {
    const { handler, errors } = receiver();
    const request = { method: 'POST', headers: signedHeaders(body), body: given, bodyUsed: false };
    expect((await handler.fetch(request as never)).status).toBe(500);
    expect(errors).toMatchObject([{ reason: 'body_not_raw' }]);
  });

  it('a store that does not say yes or no is a 500, and the listener does not count as run', async () => {
    const has = () => Promise.resolve({ rows: [] }) as never;
    const { deliver, errors } = receiver({ deduplicate: { has, add: () => undefined } });
    expect(await deliver()).toBe(500);
    expect(String(errors[0])).toMatch(/has\(\) .* must return true or false/);
  });
});

/** As `handler.node` takes it. */
function nodeRequest() {
  const headers = signedHeaders(body);
  return Object.assign(Readable.from([Buffer.from(body)]), { method: 'POST', headers });
}

it.each<[string, object]>([
  ['spread', Object.assign({}, new Headers(signedHeaders(body)))],
  ['serialized', JSON.parse(JSON.stringify(new Headers(signedHeaders(body)))) as object],
  ['taken as entries', new Headers(signedHeaders(body)).entries()],
])('headers that were spread or serialized are named: %s', (_what, headers) => {
  expect(() => verifyWebhook(body, headers as never, SECRET)).toThrow(/headers are empty/);
});

describe('a body that fails here, and not at the sender', () => {
  it('is a 500, so that the service delivers again', async () => {
    const { handler, errors } = receiver();
    const broken = new ReadableStream({
      pull: () => (undefined as unknown as { decode(): void }).decode(),
    });
    const init = {
      method: 'POST',
      headers: signedHeaders(body),
      body: broken,
      duplex: 'half' as const,
    };
    expect((await handler.fetch(new Request('http://shop.example/', init))).status).toBe(500);
    expect(String(errors[0])).toContain('Cannot read properties of undefined');
  });

  it.each([{ event: 1 }, undefined])(
    'of a mock without a stream, %j, is body_not_raw',
    async (parsed) => {
      const { handler, errors } = receiver();
      const on = () => undefined;
      const request = { method: 'POST', headers: signedHeaders(body), body: parsed, on };
      const response = newResponse();
      await handler.node(request as never, response);
      expect(response.statusCode).toBe(500);
      expect(errors).toMatchObject([{ reason: 'body_not_raw' }]);
    },
  );
});

describe("a framework's object in place of one of node or of fetch", () => {
  const request = new Request('http://shop.example/', {
    method: 'POST',
    headers: signedHeaders(body),
    body,
  });
  const raw = newResponse();

  it.each<[string, unknown, unknown, RegExp]>([
    ["Fastify's reply", nodeRequest(), { raw, code: () => 0, send: () => 0 }, /Pass .*reply\.raw/],
    ["Fastify's request", { raw: nodeRequest(), headers: {} }, raw, /pass request\.raw/],
    ["Koa's context, twice", nodeRequest(), { req: nodeRequest(), res: raw }, /its req and res/],
    ["Koa's context", { req: nodeRequest(), res: raw }, undefined, /context\.req/],
    ['a NextResponse', nodeRequest(), new Response(), /a fetch Response .*handler\.fetch/],
    ['a route handler of Next.js', request, { params: {} }, /a fetch Request .*handler\.fetch/],
    ['a request alone', nodeRequest(), undefined, /handler\.node\(request, response\)/],
    ['an event of Lambda', { httpMethod: 'POST', headers: {} }, {}, /handler\.lambda/],
    ['nothing', undefined, undefined, /undefined/],
  ])('handler.node names %s and runs nothing', async (_what, given, response, message) => {
    const { handler, events, errors } = receiver();
    await handler.node(given as never, response as never);
    expect(String(errors[0])).toMatch(message);
    expect(events).toEqual([]);
  });

  it("handler.node answers 500 through the response inside a framework's reply", async () => {
    const response = newResponse();
    await receiver().handler.node(nodeRequest(), { raw: response } as never);
    expect(response.statusCode).toBe(500);
    expect(response.end).toHaveBeenCalledOnce();
  });

  it.each<[string, unknown, RegExp]>([
    ["Hono's context", { req: { raw: request } }, /context\.req\.raw/],
    ["Hono's request", { raw: request, method: 'POST' }, /request\.raw/],
    ["SvelteKit's event", { request, params: {} }, /context\.request/],
    ["h3's event", { req: request }, /context\.req\)/],
    ["node's request", nodeRequest(), /handler\.node/],
    ['an event of Lambda', { requestContext: {}, body }, /handler\.lambda/],
  ])('handler.fetch names %s and answers 500', async (_what, given, message) => {
    const { handler, errors } = receiver();
    expect((await handler.fetch(given as never)).status).toBe(500);
    expect(String(errors[0])).toMatch(message);
  });

  it.each<[string, unknown]>([
    ['a body that an API passes alone', JSON.parse(body)],
    ['a message of a queue', { Records: [{ body }] }],
    ['nothing', undefined],
  ])('handler.lambda names %s and answers 500', async (_what, event) => {
    const { handler, errors } = receiver();
    expect((await handler.lambda(event as never)).statusCode).toBe(500);
    expect(String(errors[0])).toMatch(/no headers.*proxy/);
  });

  it('handler.handle names a method that is none', async () => {
    const { handler, errors } = receiver();
    const delivery = { method: {} as string, headers: signedHeaders(body), body };
    expect((await handler.handle(delivery)).status).toBe(500);
    expect(String(errors[0])).toMatch(/The method is of type object/);
  });
});

describe('what is visible is named', () => {
  const bytes = Buffer.from(body);
  const other = 'a compression of something else';
  it.each<[string, Buffer | string, RegExp]>([
    ['gzip', gzipSync(body), /belongs to the body before it was compressed with gzip/],
    ['deflate', deflateSync(body), /before it was compressed with deflate/],
    ['gzip of another body', gzipSync(other), /is compressed with gzip/],
    ['deflate of another body', deflateSync(other), /is compressed with deflate/],
    ['zstd', Buffer.from('28b52ffd2000', 'hex'), /is compressed with zstd/],
    ['a serialized Buffer', JSON.stringify(bytes), /Buffer that was serialized/],
    ['a serialized Uint8Array', JSON.stringify(Uint8Array.from(bytes)), /list of the bytes/],
    ['a list of numbers', JSON.stringify([...bytes]), /list of the bytes as numbers/],
    ['numbers', Uint8Array.from(bytes).toString(), /list of the bytes as numbers/],
    ['a Buffer of another body', JSON.stringify(Buffer.from(other)), /Buffer that was serialized/],
    ['numbers of something else', '1,2,3,4', /list of the bytes as numbers/],
    ['an object as text', '[object Object]', /turned into text/],
    ['base64', bytes.toString('base64'), /base64 of what was signed/],
    ['a field of a form', `payload=${encodeURIComponent(body)}`, /does not begin with "\{"/],
    ['undefined as text', 'undefined', /does not begin with "\{"/],
    ['hexadecimal', bytes.toString('hex'), /does not begin with "\{"/],
    ['UTF-16', Buffer.from(body, 'utf16le'), /does not begin with "\{"/],
    ['an event of Lambda', JSON.stringify({ headers: {}, body }), /JSON, but no event/],
    ['a part of the event', '{"order":{}}', /JSON, but no event/],
    ['a body that was cut off', body.slice(0, -9), /begins like JSON and is none/],
  ])('%s in explainWebhookMismatch', (_what, raw, cause) => {
    expect(explainWebhookMismatch(raw, signed(body), SECRET)).toMatch(cause);
  });

  it.each<[string, Buffer | string, RegExp]>([
    ['gzip', gzipSync(body), /compressed with gzip/],
    ['a serialized Buffer', JSON.stringify(bytes), /Buffer that was serialized/],
    ['an object as text', '[object Object]', /turned into text/],
    ['an empty body', '', /body is empty/],
    ['null as text', 'null', /does not begin with "\{"/],
  ])('%s in verifyWebhook', (_what, raw, cause) => {
    expect(() => verifyWebhook(raw, signed(body), SECRET)).toThrow(cause);
  });

  it.each<[string, unknown, RegExp]>([
    ['the chunks', [Buffer.from(body)], /list of chunks.*Buffer\.concat/],
    ['a list of numbers', [...bytes], /list of numbers.*Uint8Array\.from/],
    ['a parsed Uint8Array', Object.assign({}, bytes), /list of numbers.*Uint8Array\.from/],
    ['a promise', Promise.resolve(body), /"await" is missing/],
    ['a fetch Request', new Request('http://shop.example/'), /whole request/],
    ['a Blob', new Blob([body]), /await body\.arrayBuffer\(\)/],
    ['a generator', Readable.from([bytes])[Symbol.asyncIterator](), /is a stream/],
  ])('%s as the body of verifyWebhook and explainWebhookMismatch', (_what, raw, cause) => {
    expect(() => verifyWebhook(raw as never, signed(body), SECRET)).toThrow(cause);
    expect(explainWebhookMismatch(raw as never, signed(body), SECRET)).toMatch(cause);
  });

  it.each<[string, unknown, RegExp]>([
    ['a promise', Promise.resolve(signedHeaders(body)), /"await" is missing/],
    ['a whole request', { method: 'POST', headers: signedHeaders(body) }, /whole request/],
    ['raw headers', ['Host', 'x', 'X-Market-Signature', signed(body)], /not rawHeaders/],
  ])('%s as the signature of verifyWebhook and explainWebhookMismatch', (_what, given, cause) => {
    expect(() => verifyWebhook(body, given as never, SECRET)).toThrow(cause);
    expect(explainWebhookMismatch(body, given as never, SECRET)).toMatch(cause);
  });

  it('a secret that is a promise', () => {
    const secret = Promise.resolve(SECRET) as never;
    expect(() => verifyWebhook(body, signed(body), secret)).toThrow(/"secret" is a promise/);
  });
});
