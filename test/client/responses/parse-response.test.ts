import { describe, expect, it } from 'vitest';
import { parseResponse } from '../../../src/client/responses/parse-response.js';

const json: Record<string, string> = { 'content-type': 'application/json' };
const secret = 'whsec_"ä/b+c"';
const signature = `v1=${'0a'.repeat(32)}`;

const read = (
  status: number,
  body: string | Uint8Array = '',
  { headers = json, secrets = [secret], emptyAllowed = false, method = 'GET' } = {},
) =>
  parseResponse(
    { status, headers, body: typeof body === 'string' ? Buffer.from(body) : body },
    { method, allowsAnyBody: emptyAllowed },
    secrets,
  );

describe('a success', () => {
  it.each([200, 201, 202, 299])('of status %i is its JSON', (status) => {
    expect(read(status, '{"a":[1,null,"x"]}')).toEqual({
      kind: 'success',
      status,
      headers: json,
      requestId: undefined,
      body: { a: [1, null, 'x'] },
    });
  });

  it.each([
    ['null', null],
    ['[]', []],
    ['"text"', 'text'],
    ['0', 0],
    ['  {"a":1}\n', { a: 1 }],
    ['\ufeff{"a":"\ufeff"}', { a: '\ufeff' }],
    ['{"q":"café ☕"}', { q: 'café ☕' }],
  ])('of %j', (text, body) => {
    expect(read(200, text)).toMatchObject({ kind: 'success', body });
  });

  it('is JSON whatever its content type says', () => {
    expect(read(200, '{}', { headers: { 'content-type': 'text/plain' } }).kind).toBe('success');
    expect(read(200, '{}', { headers: {} }).kind).toBe('success');
  });

  it('is read from a part of a larger buffer', () => {
    const buffer = Buffer.from('xx{"a":1}yy');
    expect(read(200, new Uint8Array(buffer.buffer, buffer.byteOffset + 2, 7))).toMatchObject({
      body: { a: 1 },
    });
  });

  it('is not touched where it holds what an error must not', () => {
    const body = { url: secret, signature };
    expect(read(200, JSON.stringify(body))).toMatchObject({ kind: 'success', body });
  });

  it.each(['x-request-id', 'request-id', 'x-market-request-id', 'x-correlation-id'])(
    'carries the request id of the header %s',
    (name) => {
      expect(read(200, '{}', { headers: { [name]: 'req_1' } }).requestId).toBe('req_1');
    },
  );

  it.each([200, 204])('may be empty where that is allowed: %i', (status) => {
    expect(read(status, '', { emptyAllowed: true })).toMatchObject({
      kind: 'success',
      body: undefined,
    });
  });
});

describe('a response that is not this API’s', () => {
  const noJson = 'a body that is not JSON';
  const html = { 'content-type': 'text/html' };
  const gzip = { ...json, 'content-encoding': 'gzip' };
  it.each<[string, number, string, Record<string, string>, string]>([
    ['HTML of status 200', 200, '<!doctype html>', html, noJson],
    ['a text of no type', 200, 'OK', {}, noJson],
    ['JSON that is cut off', 200, '{"a":', json, noJson],
    ['compressed JSON, which the client does not ask for', 201, '\x1f\b', gzip, noJson],
    ['nothing', 200, '', json, 'an empty body'],
    ['nothing but a BOM', 200, '\ufeff', json, 'an empty body'],
    ['204', 204, '', {}, 'an empty body'],
    ['an answer that is not final', 103, '', {}, 'no final response'],
    ['a redirect to nowhere', 302, '', {}, 'a redirect'],
    ['304', 304, '', {}, 'a redirect'],
  ])('%s', (_title, status, body, headers, what) => {
    const excerpt = body.replace('\ufeff', '');
    const facts = { status, headers, requestId: undefined, body: excerpt, what };
    expect(read(status, body, { headers })).toEqual({ kind: 'unexpected_response', ...facts });
  });

  it.each([301, 302, 307, 308])('of status %i names its place without the query', (status) => {
    for (const tail of ['?token=hush', '#hush', '?a=1#hush']) {
      const headers = { location: `https://login.example/in${tail}`, server: 'gw' };
      const reading = read(status, '', { headers });
      expect(reading).toMatchObject({
        kind: 'unexpected_response',
        what: 'a redirect',
        headers: { location: 'https://login.example/in', server: 'gw' },
      });
      expect(JSON.stringify(reading)).not.toContain('hush');
      expect(headers.location).toContain(tail);
    }
  });

  it('is JSON where an empty body is allowed but there is another', () => {
    expect(read(200, '<p>', { emptyAllowed: true }).kind).toBe('unexpected_response');
  });

  it('is kept as its first 2,000 characters', () => {
    expect(read(200, 'x'.repeat(2_000)).body).toBe('x'.repeat(2_000));
    expect(read(200, 'x'.repeat(2_001)).body).toBe(`${'x'.repeat(2_000)}…`);
    expect(read(502, 'x'.repeat(9_999)).body).toBe(`${'x'.repeat(2_000)}…`);
  });
});

describe('a refusal', () => {
  it('has the body’s code and message', () => {
    expect(read(422, '{"code":"price_mismatch","message":"now 300"}')).toEqual({
      kind: 'error_response',
      status: 422,
      headers: json,
      requestId: undefined,
      code: 'price_mismatch',
      message: 'now 300',
      body: { code: 'price_mismatch', message: 'now 300' },
    });
  });

  it('has neither where the body is HTML, a list or empty', () => {
    for (const [text, body] of [
      ['<h1>Bad gateway</h1>', '<h1>Bad gateway</h1>'],
      ['[1]', [1]],
      ['', ''],
      ['null', null],
    ]) {
      const reading = read(502, text as string);
      const nothing = { code: undefined, message: undefined };
      expect(reading).toMatchObject({ kind: 'error_response', ...nothing, body });
    }
  });

  it('takes the request id of the header before that of the body', () => {
    const body = '{"code":"x","request_id":"req_body"}';
    expect(read(400, body).requestId).toBe('req_body');
    expect(read(400, body, { headers: { 'x-request-id': 'req_head' } }).requestId).toBe('req_head');
  });
});

describe('a secret that is echoed', () => {
  const escaped = JSON.stringify(secret).slice(1, -1);
  const ascii = escaped.replace('ä', '\\u00e4').replace('/', '\\/');
  it.each([
    ['as it is, in text', 400, `got ${secret}`],
    ['JSON-escaped, in text', 400, `got {"secret":"${escaped}"}`],
    ['in JSON', 400, JSON.stringify({ code: 'x', message: `bad: ${secret}`, in: [{ secret }] })],
    ['in JSON that escapes all but ASCII, and slashes', 400, `{"message":"${ascii}"}`],
    ['as a code', 400, JSON.stringify({ error: secret, request_id: secret })],
    ['in a page of status 200', 200, `<pre>${secret}</pre>`],
    ['in a redirect’s body', 302, secret],
  ])('is redacted: %s', (_title, status, body) => {
    const reading = JSON.stringify(read(status, body));
    expect(reading).toContain('[redacted]');
    expect(reading).not.toMatch(/whsec|b\+c/);
  });

  it('does not make an answer unreadable, however short it is', () => {
    expect(read(401, '{"code":"x","status":401}', { secrets: ['1'] })).toMatchObject({
      code: 'x',
      body: { code: 'x', status: 401 },
    });
  });

  it('may be none', () => {
    expect(read(400, 'abc', { secrets: [''] }).body).toBe('abc');
  });

  it('goes with the signature, which is always redacted', () => {
    for (const body of [`expected ${signature}`, JSON.stringify({ message: signature })]) {
      const reading = JSON.stringify(read(401, body, { secrets: [] }));
      expect(reading).toContain('v1=[redacted]');
      expect(reading).not.toContain(signature);
    }
  });

  it('is redacted in JSON that is nested too deep to be walked', () => {
    const depth = 50_000;
    const body = `["${escaped}",${'['.repeat(depth)}${']'.repeat(depth)}]`;
    const reading = read(400, body);
    expect(reading.kind).toBe('error_response');
    const text = JSON.stringify(reading.body);
    expect(text).toMatch(/^\["\[redacted\]",\[+"\[nested too deep\]"\]+$/);
    expect(text.length).toBeLessThan(300);
  });
});
