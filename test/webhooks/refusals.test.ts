import { afterEach, beforeEach, describe, expect, it, vi, type MockInstance } from 'vitest';
import { createWebhookHandler, type WebhookDelivery } from 'market-partner-sdk/webhooks';
import { eventJson, SECRET, signed, signedHeaders } from './deliveries.js';

let warn: MockInstance<typeof console.warn>;
let error: MockInstance<typeof console.error>;

beforeEach(() => {
  vi.useFakeTimers();
  warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const lines = () => warn.mock.calls.map(([line]) => String(line));
const body = eventJson();
const forged: WebhookDelivery = { headers: signedHeaders(body, 'whsec_forged'), body };

describe('refused deliveries without onError', () => {
  it('are summed up once a minute, with their number and the probable cause', async () => {
    const handler = createWebhookHandler({ secret: SECRET });
    for (let count = 0; count < 20; count += 1) await handler.handle(forged);
    expect(lines()).toEqual([
      expect.stringMatching(/\(1 signature_mismatch\): No secret gives this signature.*registered/),
    ]);
    await vi.advanceTimersByTimeAsync(59_999);
    await handler.handle(forged);
    expect(lines()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    await handler.handle(forged);
    expect(lines()[1]).toMatch(/\(21 signature_mismatch\)/);
    await handler.handle({ headers: {}, body });
    expect(lines()[2]).toMatch(/\(1 missing_signature\)/);
    expect(error).not.toHaveBeenCalled();
  });

  it.each<[string, WebhookDelivery]>([
    ['missing_signature', { headers: {}, body }],
    ['malformed_signature', { headers: { 'x-market-signature': 'evil=\u001b[2J' }, body }],
    ['signature_mismatch', forged],
    ['body_not_raw', { headers: signedHeaders(body), body: {} as string }],
    ['body_too_large', { headers: signedHeaders(body), body: 'evil'.repeat(1_000_000) }],
  ])('write no stack and nothing of the sender: %s', async (reason, delivery) => {
    await createWebhookHandler({ secret: SECRET }).handle(delivery);
    expect(lines()).toHaveLength(1);
    expect(lines()[0]).toContain(`1 ${reason}`);
    // One line, and no "at function (file:line)".
    expect(lines()[0]).not.toMatch(/evil|[\u0000-\u001f]|\.ts:\d+/);
    expect(error).not.toHaveBeenCalled();
  });

  it('write no stack when their body does not end in time', async () => {
    const handler = createWebhookHandler({ secret: SECRET });
    const stalled = () =>
      handler.fetch(
        new Request('https://partner.example', {
          method: 'POST',
          headers: { 'X-Market-Signature': signed('') },
          body: new ReadableStream({
            start: (controller) => controller.enqueue(new TextEncoder().encode('{')),
            pull: () => new Promise(() => undefined),
          }),
          duplex: 'half',
        }),
      );
    const responses = [stalled(), stalled()];
    await vi.advanceTimersByTimeAsync(4_500);
    for (const response of await Promise.all(responses)) expect(response.status).toBe(503);
    expect(lines()).toEqual([expect.stringMatching(/The body took longer than "timeoutMs"/)]);
    expect(error).not.toHaveBeenCalled();
  });

  it('hide no fault of the receiver: each reason has a line of its own', async () => {
    const secret = vi.fn<() => Promise<string>>().mockResolvedValue(SECRET);
    const handler = createWebhookHandler({ secret });
    const own = { headers: signedHeaders(body) };
    await handler.handle(forged);
    await handler.handle({ ...own, body: undefined });
    await handler.handle({ headers: Promise.resolve({}) as never, body });
    await vi.advanceTimersByTimeAsync(1_000);
    secret.mockRejectedValueOnce(new Error('sealed'));
    await handler.handle({ headers: signedHeaders(body, 'whsec_new'), body });
    expect(lines()).toEqual([
      expect.stringMatching(/1 signature_mismatch/),
      expect.stringMatching(/1 body_not_raw.*The body is undefined/),
      expect.stringMatching(/1 other.*The headers are a promise/),
      expect.stringMatching(/1 missing_secret.*The "secret" function failed/),
    ]);
    expect(error).not.toHaveBeenCalled();
  });

  it('have a bounded number of lines, whatever a sender can vary', async () => {
    const handler = createWebhookHandler({ secret: SECRET });
    for (let count = 0; count < 500; count += 1) {
      const headers = {
        get: () => {
          throw new Error(`request ${count}`);
        },
      };
      await handler.handle({ headers, body });
    }
    expect(lines()).toHaveLength(1);
  });

  it('go to onError alone when there is one', async () => {
    const onError = vi.fn();
    const handler = createWebhookHandler({ secret: SECRET, onError });
    await handler.handle(forged);
    await handler.handle(forged);
    expect(onError).toHaveBeenCalledTimes(2);
    expect(lines()).toEqual([]);
  });
});

describe('calls that are no deliveries', () => {
  const handler = createWebhookHandler({ secret: SECRET, onError: () => undefined });
  const any = handler as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;

  it.each<[string, string, unknown[], object]>([
    ['lambda', 'null', [null], { statusCode: 500 }],
    ['lambda', 'a method that is no string', [{ httpMethod: 5, headers: {} }], { statusCode: 500 }],
    ['handle', 'undefined', [undefined], { status: 500 }],
    ['handle', 'null', [null], { status: 500 }],
    ['handle', 'a method that is no string', [{ method: {}, headers: {} }], { status: 500 }],
    ['handle', 'headers that are no object', [{ headers: 5, body }], { status: 500 }],
    ['fetch', 'a method that is no string', [{ method: 5 }], { status: 500 }],
    ['fetch', 'undefined', [undefined], { status: 500 }],
  ])('.%s answers %s and does not reject', async (name, _what, args, response) => {
    expect(await any[name]!(...args)).toMatchObject(response);
  });

  it('.node does not reject a method that is no string', async () => {
    const args = [{ method: 5, headers: {} }, { headersSent: true }];
    await expect(any.node!(...args)).resolves.toBeUndefined();
  });

  it('a getter that throws is reported', async () => {
    const onError = vi.fn();
    const throwing = createWebhookHandler({ secret: SECRET, onError });
    const headers = { get: () => expect.fail('broken') };
    expect((await throwing.handle({ headers, body })).status).toBe(500);
    expect(onError).toHaveBeenCalledOnce();
  });
});
