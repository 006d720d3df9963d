import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventJson, signedHeaders } from './deliveries.js';
import { receiver } from './receiver.js';

afterEach(() => void vi.useRealTimers());

const request = (body: RequestInit['body'], headers: Record<string, string>, method = 'POST') =>
  new Request('https://partner.example/webhooks', {
    method,
    headers,
    ...(body == null ? {} : { body, duplex: 'half' }),
  });

/** A body that arrives in pieces, and notes when it is cancelled. */
function pieces(chunks: readonly unknown[], { open = false } = {}) {
  const noted = { cancelled: false, pulled: 0 };
  const stream = new ReadableStream<unknown>(
    {
      pull(controller) {
        const chunk = chunks[noted.pulled];
        noted.pulled += 1;
        if (chunk !== undefined) controller.enqueue(chunk);
        else if (open) return new Promise(() => undefined);
        else controller.close();
        return undefined;
      },
      cancel: () => void (noted.cancelled = true),
    },
    { highWaterMark: 0 },
  );
  return { stream: stream as ReadableStream<Uint8Array>, noted };
}

const utf8 = (text: string) => new TextEncoder().encode(text);
const body = eventJson();

describe('.fetch', () => {
  it('answers a signed delivery with a Response', async () => {
    const { handler, events } = receiver();
    const response = await handler.fetch(request(body, signedHeaders(body)));
    expect(response).toBeInstanceOf(Response);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('OK');
    expect(events).toEqual([JSON.parse(body)]);
  });

  it('puts a body together that arrives in pieces, cut inside a character', async () => {
    const text = eventJson({ note: 'Zoë' });
    const bytes = utf8(text);
    const { handler, events } = receiver();
    const { stream } = pieces(Array.from(bytes, (byte) => Uint8Array.of(byte)));
    expect((await handler.fetch(request(stream, signedHeaders(text)))).status).toBe(200);
    expect(events[0]).toMatchObject({ note: 'Zoë' });
  });

  it('refuses a request without a body with 401, and other methods with 405', async () => {
    const { handler } = receiver();
    expect((await handler.fetch(request(null, signedHeaders('')))).status).toBe(400);
    expect((await handler.fetch(request(null, signedHeaders('{}')))).status).toBe(401);
    const response = await handler.fetch(request(null, {}, 'GET'));
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('detects at once that the body was read before, and says what to do', async () => {
    const { handler, errors, events } = receiver();
    const used = request(body, signedHeaders(body));
    await used.json();
    expect((await handler.fetch(used)).status).toBe(500);
    const locked = request(body, signedHeaders(body));
    locked.body?.getReader();
    expect((await handler.fetch(locked)).status).toBe(500);
    const headers = new Headers(signedHeaders(body));
    const says = { method: 'POST', headers, bodyUsed: true, body: null };
    expect((await handler.fetch(says)).status).toBe(500);
    expect(errors.map((error) => (error as { reason?: string }).reason)).toEqual(
      Array(3).fill('body_not_raw'),
    );
    expect(String(errors[0])).toMatch(/arrayBuffer\(\) and not request\.json\(\)/);
    expect(events).toEqual([]);
  });

  it('stops reading as soon as a body is too large', async () => {
    const { handler, errors } = receiver({ maxBytes: 10 });
    const { stream, noted } = pieces([utf8('12345'), utf8('67890'), utf8('!'), utf8('never read')]);
    expect((await handler.fetch(request(stream, signedHeaders('x')))).status).toBe(413);
    expect(noted).toEqual({ cancelled: true, pulled: 3 });
    expect(errors).toMatchObject([{ reason: 'body_too_large' }]);
  });

  it('reads nothing of a body that announces that it is too large', async () => {
    const { handler } = receiver({ maxBytes: 10 });
    const { stream, noted } = pieces([utf8('1')]);
    const headers = { ...signedHeaders('1'), 'content-length': '11' };
    expect((await handler.fetch(request(stream, headers))).status).toBe(413);
    expect(noted.pulled).toBe(0);
  });

  it('answers 400 when the body breaks off', async () => {
    const { handler, errors } = receiver();
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.error(new Error('reset')),
    });
    expect((await handler.fetch(request(stream, signedHeaders(body)))).status).toBe(400);
    expect(errors).toMatchObject([{ message: 'reset' }]);
  });

  it('answers 500 to a body whose chunks were decoded', async () => {
    const { handler, errors } = receiver();
    const { stream } = pieces([body]);
    expect((await handler.fetch(request(stream, signedHeaders(body)))).status).toBe(500);
    expect(errors).toMatchObject([{ reason: 'body_not_raw' }]);
  });

  it('answers 503 when the body does not end in time, lets go of it and runs nothing', async () => {
    vi.useFakeTimers();
    const { handler, errors, events } = receiver({ timeoutMs: 1_000 });
    const { stream, noted } = pieces([utf8(body)], { open: true });
    const response = handler.fetch(request(stream, signedHeaders(body)));
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await response).status).toBe(503);
    await vi.advanceTimersByTimeAsync(10);
    expect(noted.cancelled).toBe(true);
    expect(events).toEqual([]);
    expect(errors.map(String)).toEqual(['Error: The body took longer than "timeoutMs", 1000 ms.']);
  });
});
