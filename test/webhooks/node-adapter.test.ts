import { once } from 'node:events';
import { request as nodeRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createWebhookHandler, type WebhookHandlerOptions } from 'market-partner-sdk/webhooks';
import { eventJson, SECRET, signed, signedHeaders } from './deliveries.js';
import { receiver } from './receiver.js';
import { exchange, serve } from '../support/loopback.js';

type Before = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A receiver on loopback, with what a middleware does before it. */
async function setUp(options: Partial<WebhookHandlerOptions> = {}, before?: Before) {
  const { handler, events, errors } = receiver(options);
  const url = await serve((request, response) => {
    void Promise.resolve(before?.(request, response)).then(() => handler.node(request, response));
  });
  return { url, events, errors };
}

async function post(url: string, body: string, headers = signedHeaders(body)): Promise<number> {
  const response = await fetch(url, { method: 'POST', headers, body });
  await response.text();
  return response.status;
}

async function consume(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

const body = eventJson();

describe('.node', () => {
  it('answers a signed delivery', async () => {
    const { url, events } = await setUp();
    const response = await fetch(url, { method: 'POST', headers: signedHeaders(body), body });
    expect([response.status, await response.text()]).toEqual([200, 'OK']);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(events).toEqual([JSON.parse(body)]);
  });

  it('refuses forged deliveries and other methods, on one connection', async () => {
    const { url, events } = await setUp();
    expect(await post(url, body, signedHeaders(body, 'whsec_x'))).toBe(401);
    expect(await post(url, body, {})).toBe(401);
    expect(await post(url, '')).toBe(400);
    const get = await fetch(url);
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
    const put = await fetch(url, { method: 'PUT', body });
    expect(put.status).toBe(405);
    expect(events).toEqual([]);
  });

  it('puts a body together that arrives in chunks, cut inside a character', async () => {
    const text = eventJson({ note: 'Zoë' });
    const bytes = Buffer.from(text);
    const { url, events } = await setUp();
    const request = nodeRequest(url, { method: 'POST', headers: signedHeaders(text) });
    const cut = bytes.indexOf(0xc3) + 1;
    request.write(bytes.subarray(0, cut));
    await new Promise((resolve) => setImmediate(resolve));
    request.end(bytes.subarray(cut));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(200);
    expect(events[0]).toMatchObject({ note: 'Zoë' });
  });

  it('answers 413 to a body that is too large, announced or not, and the sender gets to read it', async () => {
    const { url, errors } = await setUp({ maxBytes: 1000 });
    const large = 'x'.repeat(3 * 1024 * 1024);
    expect(await post(url, large)).toBe(413);
    const chunked = new ReadableStream({
      start(controller) {
        for (let at = 0; at < 30; at += 1) controller.enqueue(Buffer.alloc(100_000, 120));
        controller.close();
      },
    });
    const headers = signedHeaders(large);
    const response = await fetch(url, { method: 'POST', headers, body: chunked, duplex: 'half' });
    expect(response.status).toBe(413);
    await response.text();
    expect(errors).toMatchObject([{ reason: 'body_too_large' }, { reason: 'body_too_large' }]);
  });

  it('does not take in a refused body without an end: it answers, then closes', async () => {
    const { url } = await setUp({ maxBytes: 1000 });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let received = '';
    socket.on('data', (bytes) => (received += bytes.toString()));
    socket.on('error', () => undefined);
    socket.write(
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n' +
        `X-Market-Signature: ${signed('')}\r\n\r\n`,
    );
    const chunk = Buffer.concat([
      Buffer.from('100000\r\n'),
      Buffer.alloc(1024 * 1024),
      Buffer.from('\r\n'),
    ]);
    const pour = () => {
      while (!socket.destroyed && socket.bytesWritten < 400 * chunk.length && socket.write(chunk));
    };
    socket.on('drain', pour);
    pour();
    await new Promise((resolve) => socket.on('close', resolve));
    expect(received).toMatch(/^HTTP\/1\.1 413 /);
    expect(socket.bytesWritten).toBeLessThan(100 * chunk.length);
  });

  it('answers 503 when the body does not end in time, and closes the connection in the end', async () => {
    const { url, errors } = await setUp({ timeoutMs: 30 });
    const received = await exchange(
      url,
      `POST / HTTP/1.1\r\nHost: a\r\nX-Market-Signature: ${signed('')}\r\nContent-Length: 100\r\n\r\n{"id":`,
      /Service Unavailable$/,
    );
    expect(received).toMatch(/^HTTP\/1\.1 503 /);
    expect(String(errors[0])).toMatch(/The body took longer/);
  });

  it('forgets a refused body as soon as its sender hangs up', async () => {
    let request: IncomingMessage | undefined;
    const { url } = await setUp({ timeoutMs: 30 }, (incoming) => void (request = incoming));
    const sent = nodeRequest(url, {
      method: 'POST',
      headers: { ...signedHeaders(body), 'content-length': '100' },
    });
    sent.on('error', () => undefined).write('{');
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(503);
    const whileRead = request!.listenerCount('data');
    // Node reports the body that is cut off as an error of the socket.
    const closed = new Promise((resolve) => request!.socket.once('close', resolve));
    sent.destroy();
    await closed;
    expect(request!.listenerCount('data')).toBe(whileRead - 1);
  });

  it('survives a sender that hangs up in the middle of the body', async () => {
    let report: (error: unknown) => void = () => undefined;
    const reported = new Promise<unknown>((resolve) => (report = resolve));
    let arrived: () => void = () => undefined;
    const arrival = new Promise<void>((resolve) => (arrived = resolve));
    const { url } = await setUp({ onError: (error) => report(error) }, () => arrived());
    const headers = { ...signedHeaders(body), 'content-length': '100' };
    const request = nodeRequest(url, { method: 'POST', headers });
    request.on('error', () => undefined);
    request.write('{');
    await arrival;
    request.destroy();
    expect(String(await reported)).toMatch(/closed the connection|aborted/);
    expect(await post(url, body)).toBe(200);
  });
});

describe('.node with requests that are not of node:http', () => {
  /** A stream in the place of a request, the response to it, and a handler with what it reports. */
  function setUpStream(end: () => void = () => undefined) {
    const request = Object.assign(new Readable({ read: () => undefined }), {
      method: 'POST',
      headers: signedHeaders(body),
    });
    const response = { statusCode: 0, headersSent: false, setHeader: () => undefined, end };
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    return {
      request,
      response,
      errors,
      handler: createWebhookHandler({ secret: SECRET, onError }),
    };
  }

  it.each([
    ['before the body', true],
    ['in the middle of it', false],
  ])('answers a sender that closed without an error, %s', async (_when, closeFirst) => {
    const { request, response, errors, handler } = setUpStream();
    if (closeFirst) request.destroy();
    const answered = handler.node(request, response);
    request.push('{');
    request.destroy();
    await answered;
    expect(response.statusCode).toBe(400);
    expect(errors.map(String)).toEqual([
      'Error: The sender closed the connection before the body was complete.',
    ]);
  });

  it('reports a response that cannot be written, and does not reject', async () => {
    const { request, response, errors, handler } = setUpStream(() => {
      throw new Error('the socket is gone');
    });
    const answered = handler.node(request, response);
    request.push(Buffer.from(body));
    request.push(null);
    await answered;
    expect(errors).toMatchObject([{ message: 'the socket is gone' }]);
  });

  it('leaves a response alone that a middleware has begun', async () => {
    const { request, response, errors, handler } = setUpStream(() => expect.fail('it was ended'));
    const answered = handler.node(request, { ...response, headersSent: true });
    request.push(Buffer.from(body));
    request.push(null);
    await answered;
    expect(errors).toEqual([]);
  });

  it('lets go of a body that does not end: no listener and no timer stays', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { request, response, handler } = setUpStream();
    const answered = handler.node(request, response);
    await vi.advanceTimersByTimeAsync(4_500);
    await answered;
    expect(response.statusCode).toBe(500);
    await vi.advanceTimersByTimeAsync(2_000);
    vi.useRealTimers();
    await new Promise((resolve) => setImmediate(resolve));
    expect(request.destroyed).toBe(true);
    for (const event of ['data', 'end', 'close', 'error']) {
      expect(request.listenerCount(event)).toBe(0);
    }
  });
});

describe('.node after a middleware', () => {
  it('verifies the bytes that it kept in request.body or request.rawBody', async () => {
    for (const field of ['body', 'rawBody']) {
      for (const kept of [Buffer.from(body), body]) {
        const { url, events } = await setUp({}, async (request) => {
          await consume(request);
          Object.assign(request, { body: JSON.parse(body) as unknown, [field]: kept });
        });
        expect(await post(url, body)).toBe(200);
        expect(events).toHaveLength(1);
      }
    }
  });

  it('refuses kept bytes that are too large', async () => {
    const { url } = await setUp({ maxBytes: 10 }, async (request) => {
      await consume(request);
      Object.assign(request, { rawBody: Buffer.alloc(11) });
    });
    const request = nodeRequest(url, {
      method: 'POST',
      headers: { ...signedHeaders(body), 'transfer-encoding': 'chunked' },
    });
    request.end(Buffer.alloc(11));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(413);
  });

  it.each<[string, Before]>([
    [
      'parsed the body',
      async (request) =>
        Object.assign(request, { body: JSON.parse(await consume(request)) as unknown }),
    ],
    ['read the body and did not store it', (request) => consume(request)],
    ['read the first piece of the body', (request) => once(request, 'data')],
    [
      'threw the body away',
      async (request) => {
        request.resume();
        await once(request, 'end');
      },
    ],
    ['set an encoding', (request) => request.setEncoding('utf8')],
  ])('answers 500 at once when it %s, never 2xx', async (_what, before) => {
    const { url, events, errors } = await setUp({}, before);
    expect(await post(url, body)).toBe(500);
    expect(events).toEqual([]);
    expect(errors).toMatchObject([{ reason: 'body_not_raw' }]);
    expect(String(errors[0])).toMatch(/express\.raw/);
  });

  it.each<[string, Record<string, string>, object, RegExp]>([
    ['Vercel', { VERCEL: '1' }, {}, /This is Vercel\. In \/api, export a web handler/],
    ['Next.js', { VERCEL: '1', NEXT_RUNTIME: 'nodejs' }, {}, /This is Next\.js\. .* bodyParser/],
    ['Google', { FUNCTION_TARGET: 'hook' }, {}, /Google Cloud Functions\. Pass request\.rawBody/],
    ['Express', {}, { app: {}, next: () => undefined }, /This is Express, and express\.json\(\)/],
  ])('names the platform that read the body: %s', async (_, variables, marks, hint) => {
    const { url, errors } = await setUp({}, async (request) => {
      await consume(request);
      Object.assign(request, marks);
      for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    });
    expect(await post(url, body)).toBe(500);
    expect(String(errors[0])).toMatch(hint);
  });

  it('reads the stream itself when a parser left it alone and set an empty body', async () => {
    for (const empty of [{}, '', undefined]) {
      const { url } = await setUp({}, (request) => Object.assign(request, { body: empty }));
      expect(await post(url, body)).toBe(200);
    }
  });
});

describe('.node and a middleware that changes the request', () => {
  it('reads a request that was paused', async () => {
    const { url, events } = await setUp({ timeoutMs: 1_000 }, (request) => void request.pause());
    expect(await post(url, body)).toBe(200);
    expect(events).toHaveLength(1);
  });

  it('answers 401 to an empty body that a parser has read, and not 500', async () => {
    for (const kept of [Buffer.alloc(0), {}]) {
      const { url, errors } = await setUp({}, async (request) => {
        await consume(request);
        Object.assign(request, { body: kept });
      });
      expect(await post(url, '', signedHeaders(body))).toBe(401);
      expect(errors).toMatchObject([{ reason: 'signature_mismatch' }]);
    }
  });
});

describe('.node and senders without a signature', () => {
  it.each([undefined, 'v1=1', 'F'.repeat(64)])(
    'answers 401 to the signature %s before it listens to the body',
    async (signature) => {
      const request = {
        method: 'POST',
        headers: { 'x-market-signature': signature, 'content-length': '1000000' },
        on: vi.fn(),
        removeListener: vi.fn(),
        resume: vi.fn(),
        destroy: vi.fn(),
      };
      const response = { statusCode: 0, headersSent: false, setHeader: () => 0, end: () => 0 };
      const handler = createWebhookHandler({ secret: SECRET, onError: () => undefined });
      await handler.node(request, response);
      expect(response.statusCode).toBe(401);
      expect(request.on).not.toHaveBeenCalled();
    },
  );

  it('keeps nothing of what they send on many connections that do not end', async () => {
    const { url } = await setUp();
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n';
    const answers = Array.from({ length: 40 }, () =>
      exchange(url, head + 'x'.repeat(200_000), /Unauthorized$/),
    );
    for (const received of await Promise.all(answers)) {
      expect(received).toMatch(/^HTTP\/1\.1 401 /);
    }
  });
});

it('the signal of a listener behind .node aborts when the sender closes the connection', async () => {
  let started: (signal: AbortSignal) => void = () => undefined;
  const listening = new Promise<AbortSignal>((resolve) => (started = resolve));
  let finish: () => void = () => undefined;
  const { url } = await setUp({
    on: {
      'order.settled': (_event, { signal }) => {
        started(signal);
        return new Promise<void>((resolve) => (finish = resolve));
      },
    },
  });
  const request = nodeRequest(url, { method: 'POST', headers: signedHeaders(body) });
  request.on('error', () => undefined);
  request.end(body);
  const signal = await listening;
  expect(signal.aborted).toBe(false);
  const aborted = once(signal, 'abort');
  request.destroy();
  await aborted;
  expect(String(signal.reason)).toBe('Error: The sender closed the connection.');
  finish();
});
