import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi, type MockInstance } from 'vitest';
import {
  createWebhookHandler,
  type NodeWebhookRequest,
  type WebhookHandler,
} from 'market-partner-sdk/webhooks';
import { eventJson, SECRET, signedHeaders } from './deliveries.js';

let warn: MockInstance<typeof console.warn>;

beforeEach(() => {
  vi.useFakeTimers();
  warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

type Headers = Record<string, string>;

/** Sends a body of which no byte is there any longer, by each way in; returns the status. */
const ways: Record<string, (handler: WebhookHandler, headers: Headers) => Promise<number>> = {
  fetch: async (handler, headers) =>
    (await handler.fetch(new Request('https://shop.example', { method: 'POST', headers }))).status,
  'fetch with a stream': async (handler, headers) => {
    const body = new ReadableStream({ start: (controller) => controller.close() });
    return (await handler.fetch(streamed(headers, body))).status;
  },
  node: (handler, headers) => sendToNode(handler, headers, Readable.from([])),
  lambda: async (handler, headers) =>
    (await handler.lambda({ httpMethod: 'POST', headers, body: null })).statusCode,
  'lambda 2.0': async (handler, headers) => {
    const requestContext = { http: { method: 'POST' } };
    return (await handler.lambda({ requestContext, headers, body: '' })).statusCode;
  },
  handle: async (handler, headers) => (await handler.handle({ headers, body: '' })).status,
};

function streamed(headers: Headers, body: ReadableStream<Uint8Array>): Request {
  return new Request('https://shop.example', { method: 'POST', headers, body, duplex: 'half' });
}

async function sendToNode(handler: WebhookHandler, headers: Headers, stream: Readable) {
  const response = { statusCode: 0, headersSent: false, setHeader: () => 0, end: () => 0 };
  const request: unknown = Object.assign(stream, { method: 'POST', headers });
  await handler.node(request as NodeWebhookRequest, response);
  return response.statusCode;
}

const signature = signedHeaders(eventJson());

describe.each(Object.entries(ways))('an empty body, by %s', (_way, send) => {
  it.each([
    ['Content-Length', { 'content-length': '100' }],
    ['Transfer-Encoding', { 'transfer-encoding': 'chunked' }],
  ])('that %s announces is not blamed on the secret', async (_name, announcement) => {
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    const headers = { ...signature, ...announcement };
    expect(await send(createWebhookHandler({ secret: SECRET, onError }), headers)).toBe(500);
    expect(errors).toEqual([
      expect.objectContaining({
        reason: 'body_not_raw',
        message: expect.stringMatching(/announce a body, but it is empty.*express\.json/) as string,
      }),
    ]);
    await send(createWebhookHandler({ secret: SECRET }), headers);
    expect(warn.mock.calls).toEqual([[expect.stringContaining((errors[0] as Error).message)]]);
    expect(warn.mock.calls[0]![0]).not.toContain('the secret is');
  });

  it('that is announced as empty, or not at all, is a wrong signature', async () => {
    const handler = createWebhookHandler({ secret: SECRET });
    const statuses = [{}, { 'content-length': '0' }].map((more) =>
      send(handler, { ...signature, ...more }),
    );
    expect(await Promise.all(statuses)).toEqual([401, 401]);
    expect(warn.mock.calls).toEqual([[expect.stringMatching(/The body is empty/)]]);
  });
});

describe('a body of which no byte comes until the time limit', () => {
  const silent = {
    fetch: (handler: WebhookHandler) =>
      handler.fetch(streamed(signature, new ReadableStream())).then(({ status }) => status),
    node: (handler: WebhookHandler) =>
      sendToNode(handler, signature, new Readable({ read: () => undefined })),
  };

  it.each(Object.entries(silent))('was read before, by %s', async (_way, send) => {
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    const status = send(createWebhookHandler({ secret: SECRET, onError }));
    await vi.advanceTimersByTimeAsync(4_500);
    expect(await status).toBe(500);
    expect(errors).toMatchObject([{ reason: 'body_not_raw' }]);
    expect(String(errors[0])).toMatch(/No byte of the body came within "timeoutMs", 4500 ms/);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(vi.getTimerCount()).toBe(0);
  });
});
