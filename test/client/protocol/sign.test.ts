import { createHash, createHmac } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  canonicalString,
  ConfigurationError,
  InvalidRequestError,
  signRequest,
  type InputIssue,
  type CanonicalStringInput,
  type SignRequestInput,
} from 'market-partner-sdk';
import { createSigner } from '../../../src/client/protocol/sign.js';
import { thrownBy } from '../../support/errors.js';

const nonce = '7a0c2f6e-3d39-4b2b-8d0e-4b1a6b4c5d6e';
const parts: CanonicalStringInput = {
  method: 'POST',
  path: '/api/partner/v1/quotes',
  timestamp: 1_795_226_400,
  nonce,
  body: '{"domain":"brew.example"}',
};
const credential = { keyId: 'mk_sandbox_1f0c', secret: 'msk_sandbox_tulip' };

const emptyHash = createHash('sha256').update('').digest('hex');
const lineOf = (number: number, changes: Partial<CanonicalStringInput>) =>
  canonicalString({ ...parts, ...changes }).split('\n')[number - 1];

describe('the canonical string', () => {
  it('has six lines: method, path, query, timestamp, nonce, hash of the body', () => {
    expect(canonicalString({ ...parts, query: { b: 2, a: 'x y' } }).split('\n')).toEqual([
      'POST',
      '/api/partner/v1/quotes',
      'a=x%20y&b=2',
      '1795226400',
      nonce,
      createHash('sha256').update('{"domain":"brew.example"}').digest('hex'),
    ]);
  });

  it('has an empty third line where there is no query', () => {
    for (const query of [undefined, '', '?', {}, [], { a: undefined }]) {
      expect(lineOf(3, { query })).toBe('');
    }
  });

  it('is the same for a text and for its UTF-8 bytes', () => {
    const body = '{"domain":"café.example"}';
    const bytes = new TextEncoder().encode(body);
    expect(canonicalString({ ...parts, body: bytes })).toBe(canonicalString({ ...parts, body }));
    // A part of a larger buffer, as sockets and files give them.
    const around = Buffer.concat([Buffer.from('xx'), bytes, Buffer.from('yy')]);
    expect(lineOf(6, { body: around.subarray(2, -2) })).toBe(lineOf(6, { body }));
  });

  it('takes bytes of another realm, such as a test runner’s sandbox', () => {
    const foreign = runInNewContext('new Uint8Array([123, 125])') as Uint8Array;
    expect(foreign instanceof Uint8Array).toBe(false);
    expect(lineOf(6, { body: foreign })).toBe(lineOf(6, { body: '{}' }));
  });

  it.each(['GET', 'get', 'HEAD', 'head'])('does not count the body on %s', (method) => {
    expect(lineOf(6, { method })).toBe(emptyHash);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'options'])('counts the body on %s', (method) => {
    expect(lineOf(6, { method })).not.toBe(emptyHash);
    expect(lineOf(6, { method, body: undefined })).toBe(emptyHash);
    expect(lineOf(6, { method, body: '' })).toBe(emptyHash);
    expect(lineOf(6, { method, body: new Uint8Array() })).toBe(emptyHash);
  });
});

const seconds = 'must be a whole number of Unix seconds';
const visible = 'must be visible ASCII characters, such as a UUID v4';
const onWire = 'must be percent-encoded as it is on the wire: visible ASCII characters only';
const aMethod = 'must be an HTTP method such as GET or POST';
const rules: [part: keyof CanonicalStringInput, value: unknown, ...messages: string[]][] = [
  ['method', '', aMethod],
  ['method', 'GET ', aMethod],
  ['method', 'M-SEARCH', aMethod],
  ['method', 'GET\nPOST', aMethod],
  ['method', undefined, 'must be a string'],
  ['path', 'api/partner/v1/quotes', 'must be the full path on the wire, starting with "/"'],
  ['path', '', 'must be the full path on the wire, starting with "/"'],
  ['path', '/quotes?a=1', 'must not hold "?" or "#"; pass the query separately'],
  ['path', '/quotes#a', 'must not hold "?" or "#"; pass the query separately'],
  ['path', '/domains/münchen', onWire],
  ['path', '/a b', onWire],
  ['path', '/a\nb', onWire],
  ['path', null, 'must be a string'],
  ['timestamp', 1_795_226_400_000, 'is in milliseconds; it must be Unix seconds'],
  ['timestamp', '1795226400000', 'is in milliseconds; it must be Unix seconds'],
  ['timestamp', 1_795_226_400.5, seconds],
  ['timestamp', -1, seconds],
  ['timestamp', Number.NaN, seconds],
  ['timestamp', 1e21, seconds],
  ['timestamp', '', seconds],
  ['timestamp', ' 1795226400', seconds],
  ['timestamp', '0x10', seconds],
  ['timestamp', '1795226400\n', seconds],
  ['timestamp', undefined, seconds],
  ['timestamp', new Date(0), seconds],
  ['nonce', '', visible],
  ['nonce', 'a b', visible],
  ['nonce', 'a\nb', visible],
  ['nonce', 'é', visible],
  ['nonce', 7, 'must be a string'],
  ['body', { domain: 'brew.example' }, 'must be the very string or bytes that are sent'],
  ['body', 7, 'must be the very string or bytes that are sent'],
  ['body', new ArrayBuffer(2), 'must be the very string or bytes that are sent'],
  ['query', '\ud83d', 'contains a lone surrogate, which cannot be encoded as UTF-8'],
];

describe('what cannot be signed as it is', () => {
  it.each(rules)('is refused by name: "%s" as %j', (path, value, message) => {
    const bad = { ...parts, [path]: value };
    const issues: InputIssue[] = [{ path, message }];
    const error = thrownBy(() => canonicalString(bad));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ issues, outcome: 'not_sent', attempts: 0 });
    // signRequest fills in a timestamp and a nonce, and asks for a URL where there is no path.
    if (value === undefined && path !== 'method') return;
    expect(thrownBy(() => signRequest({ ...bad, ...credential }))).toMatchObject({
      name: 'InvalidRequestError',
      issues,
    });
  });

  it('is named all at once', () => {
    const bad = { method: 'GET?', path: 'x y', timestamp: 'now', nonce: '' };
    expect(thrownBy(() => canonicalString(bad))).toMatchObject({
      issues: [
        { path: 'method' },
        { path: 'path', message: expect.stringContaining('starting with') },
        { path: 'path', message: expect.stringContaining('percent-encoded') },
        { path: 'timestamp' },
        { path: 'nonce' },
      ],
    });
  });
});

describe('signRequest', () => {
  const request: SignRequestInput = { ...parts, ...credential };
  const hmac = (secret: string) =>
    `v1=${createHmac('sha256', secret).update(canonicalString(parts)).digest('hex')}`;

  afterEach(() => {
    vi.useRealTimers();
  });

  it('signs the canonical string with the secret’s UTF-8 bytes', () => {
    for (const secret of ['msk_sandbox_tulip', 'pässwörd ☕', ' ', '\0']) {
      expect(signRequest({ ...request, secret }).headers['X-Market-Signature']).toBe(hmac(secret));
    }
  });

  it('takes the present second and a new UUID v4, where neither is passed', () => {
    vi.useFakeTimers({ now: 1_795_226_400_999 });
    const rest = { ...request, timestamp: undefined, nonce: undefined };
    const [one, other] = [signRequest(rest), signRequest(rest)];
    expect(one.headers['X-Market-Timestamp']).toBe('1795226400');
    expect(one.headers['X-Market-Nonce']).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(other.headers['X-Market-Nonce']).not.toBe(one.headers['X-Market-Nonce']);
  });

  it('gives nothing back that holds the secret', () => {
    expect(JSON.stringify(signRequest(request))).not.toContain(request.secret);
  });

  it.each([
    ['https://market.example/api/partner/v1/search?q=a+b', '/api/partner/v1/search?q=a%20b'],
    ['https://market.example:8443/gateway/api/partner/v1/orders', '/gateway/api/partner/v1/orders'],
    ['https://market.example/a/../b/./c', '/b/c'],
    ['https://market.example/münchen', '/m%C3%BCnchen'],
    ['https://market.example', '/'],
    ['http://127.0.0.1:8080/x?b=2&a=1#part', '/x?a=1&b=2'],
  ])('signs for %s what is requested', (url, target) => {
    const signed = signRequest({ ...request, path: undefined, url });
    expect(signed.target).toBe(target);
    expect(signed.url).toBe(new URL(url).origin + target);
    expect(new URL(signed.url!).href).toBe(signed.url);
  });

  const excludes = 'excludes "path" and "query"; pass one or the others';
  it.each<[string, Partial<SignRequestInput>, string]>([
    ['neither', {}, 'is missing; pass "url", or "path" with "query"'],
    ['url and path', { url: 'https://a.example/', path: '/' }, excludes],
    ['url and query', { url: 'https://a.example/', query: { a: 1 } }, excludes],
    ['a relative URL', { url: '/orders' }, 'must be an absolute http(s) URL'],
    ['another scheme', { url: 'file:///orders' }, 'must be an absolute http(s) URL'],
    ['no URL at all', { url: 7 as never }, 'must be an absolute http(s) URL'],
  ])('refuses %s', (_title, changes, message) => {
    const error = thrownBy(() => signRequest({ ...request, path: undefined, ...changes }));
    expect(error).toMatchObject({ issues: [{ path: 'url', message }] });
  });

  it.each([
    ...[undefined, null, '', 7, 'mk 1', 'mk\n1', 'mké'].map((keyId) => ({ keyId })),
    ...[undefined, null, '', 7].map((secret) => ({ secret })),
  ])('refuses the credential %j', (wrong) => {
    const signing = () => signRequest({ ...request, ...wrong } as SignRequestInput);
    const [option] = Object.keys(wrong);
    const variable = option === 'keyId' ? 'MARKET_KEY_ID' : 'MARKET_SECRET';
    expect(thrownBy(signing, ConfigurationError)).toMatchObject({ option, variable });
  });
});

it('a signer of many requests is not made without a key id or a secret', () => {
  expect(thrownBy(() => createSigner('', 'msk_1'))).toMatchObject({ option: 'keyId' });
  expect(thrownBy(() => createSigner('mk_1', ''))).toMatchObject({ option: 'secret' });
});

describe('the hash of a body', () => {
  it('is the same on a runtime without the one-shot hash', async () => {
    vi.resetModules();
    vi.doMock('node:crypto', async (original) => {
      const crypto: { default: object } = await original();
      return { ...crypto, default: { ...crypto.default, hash: undefined } };
    });
    try {
      const { sha256Hex } = await import('../../../src/client/protocol/digest.js');
      expect(sha256Hex('café')).toBe(createHash('sha256').update('café').digest('hex'));
    } finally {
      vi.doUnmock('node:crypto');
      vi.resetModules();
    }
  });
});
