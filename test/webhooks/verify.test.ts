import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import {
  isValidSignature,
  signWebhook,
  verifyWebhook,
  WebhookVerificationError,
  type RawBody,
  type WebhookErrorReason,
  type WebhookSignature,
} from 'market-partner-sdk/webhooks';
import { eventJson, order, SECRET, signed } from './deliveries.js';

interface Vector {
  name: string;
  secret: string;
  body_base64: string;
  signature: string;
}

const vectors = JSON.parse(
  readFileSync(new URL('../vectors/webhook.json', import.meta.url), 'utf8'),
) as Vector[];

const utf8 = (text: string) => new TextEncoder().encode(text);

function thrownBy(call: () => unknown): WebhookVerificationError {
  try {
    call();
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('the signature', () => {
  it.each(vectors)('is that of the vector "$name"', (vector) => {
    const body = Buffer.from(vector.body_base64, 'base64');
    expect(signWebhook(body, vector.secret)).toBe(vector.signature);
    expect(isValidSignature(body, vector.signature, vector.secret)).toBe(true);
    const event = verifyWebhook(body, vector.signature, vector.secret);
    expect(event).toEqual(JSON.parse(body.toString().replace(/^\uFEFF/, '')));
  });

  it.each([
    // RFC 4231, section 4, the cases whose key is text.
    {
      name: 'RFC 4231 case 1',
      key: '\x0b'.repeat(20),
      body: 'Hi There',
      digest: 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    },
    {
      name: 'RFC 4231 case 2',
      key: 'Jefe',
      body: 'what do ya want for nothing?',
      digest: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    },
    {
      name: 'RFC 4231 case 4',
      key: String.fromCharCode(...Array.from({ length: 25 }, (_, at) => at + 1)),
      body: new Uint8Array(50).fill(0xcd),
      digest: '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
    },
    {
      name: 'the documented example of GitHub',
      key: "It's a Secret to Everybody",
      body: 'Hello, World!',
      digest: '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    },
    {
      name: 'a key longer than the block of SHA-256',
      key: 'k'.repeat(131),
      body: '{"id":"evt_1"}',
      digest: '9b38a1ca124a7c618d2d1e04830875b31390ff5eb7676c2a09ca485a0c9196aa',
    },
  ])('is HMAC-SHA256 in lower-case hexadecimal: $name', ({ key, body, digest }) => {
    expect(signWebhook(body, key)).toBe(digest);
    expect(isValidSignature(body, digest, key)).toBe(true);
  });

  it('is that of RFC 4231 case 5 in the 128 bits that the case gives', () => {
    expect(signWebhook('Test With Truncation', '\x0c'.repeat(20)).slice(0, 32)).toBe(
      'a3b6167473100ee06e0c796c2955552b',
    );
  });
});

describe('the body', () => {
  const json = eventJson({ note: 'Zoë ☕' });
  const bytes = utf8(json);
  const signature = signed(bytes);
  const padded = new Uint8Array(bytes.length + 7);
  padded.set(bytes, 3);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  const foreign = runInNewContext('new Uint8Array(bytes)', { bytes }) as Uint8Array;

  it.each<[string, RawBody]>([
    ['a string', json],
    ['a Uint8Array', bytes],
    ['a Buffer', Buffer.from(json)],
    ['a view into a larger buffer', padded.subarray(3, 3 + bytes.length)],
    ['a DataView', new DataView(padded.buffer, 3, bytes.length)],
    ['a view of shared memory', new Uint8Array(shared)],
    ['an ArrayBuffer', bytes.slice().buffer],
    ['a Uint8Array of another realm', foreign],
    ['an ArrayBuffer of another realm', foreign.buffer as ArrayBuffer],
  ])('may be %s', (_kind, body) => {
    expect(verifyWebhook(body, signature, SECRET)).toEqual(JSON.parse(json));
    expect(signWebhook(body, SECRET)).toBe(signature);
  });

  it('is hashed with its byte order mark, which is not part of the JSON', () => {
    const marked = `\uFEFF${json}`;
    for (const body of [marked, utf8(marked)]) {
      expect(verifyWebhook(body, signed(utf8(marked)), SECRET).id).toBe('evt_1');
      expect(isValidSignature(body, signature, SECRET)).toBe(false);
    }
  });

  it('is refused when its bytes are signed but not valid UTF-8, and not changed', () => {
    const body = Buffer.concat([
      Buffer.from('{"id":"evt_9","type":"x","created_at":"now","data":{"note":"'),
      Buffer.from([0xff, 0xc3]),
      Buffer.from('"}}'),
    ]);
    const error = thrownBy(() => verifyWebhook(body, signed(body), SECRET));
    expect(error.reason).toBe('invalid_json');
    expect(error.message).toMatch(/not valid UTF-8/);
    expect(isValidSignature(body, signed(body), SECRET)).toBe(true);
    expect(isValidSignature(body.toString(), signed(body), SECRET)).toBe(false);
  });

  it('may hold a replacement character that the sender wrote', () => {
    const text = eventJson({ note: '\uFFFD' });
    for (const body of [text, utf8(text)]) {
      expect(verifyWebhook(body, signed(text), SECRET).note).toBe('\uFFFD');
    }
  });

  it('is returned as it was parsed: no field is dropped, moved or added', () => {
    const text =
      '{"zzz":1,"id":"evt_1","data":{"x":null,"__proto__":{"a":1}},"type":"transfer.stalled",' +
      '"created_at":"2026-11-21T08:00:00Z"}';
    expect(JSON.stringify(verifyWebhook(text, signed(text), SECRET))).toBe(text);
  });

  it.each<[string, unknown, RegExp]>([
    ['a parsed object', { id: 'evt_1' }, /already parsed.*express\.raw.*parseAs.*rawBody: true/s],
    ['a parsed array', [1], /already parsed/],
    ['a Buffer that went through JSON', { type: 'Buffer', data: [123, 125] }, /already parsed/],
    ['a node stream', { pipe: () => undefined }, /is a stream.*bodyParser: false/s],
    ['a web stream', new ReadableStream(), /is a stream.*arrayBuffer\(\)/s],
    ['undefined', undefined, /is undefined: nothing has read it.*isBase64Encoded/s],
    ['null', null, /is null/],
    ['a number', 5, /of type number/],
  ])('is refused when it is %s, with the way to keep the bytes', (_kind, body, message) => {
    const error = thrownBy(() => verifyWebhook(body as RawBody, signature, SECRET));
    expect(error.reason).toBe('body_not_raw');
    expect(error.message).toMatch(message);
    expect(isValidSignature(body as RawBody, signature, SECRET)).toBe(false);
  });

  it('is refused over 64 MiB, before it is hashed', () => {
    const body = new Uint8Array(64 * 1024 * 1024 + 1);
    expect(thrownBy(() => verifyWebhook(body, signature, SECRET)).reason).toBe('body_too_large');
  });
});

describe('the signature header', () => {
  const json = eventJson();
  const signature = signed(json);

  it.each<[string, WebhookSignature]>([
    ['its value', signature],
    ['a list of one value', [signature]],
    ['Headers', new Headers({ 'X-Market-Signature': signature })],
    ['the headers of node:http', { host: 'a.example', 'x-market-signature': signature }],
    ['a plain object of any case', { 'X-MARKET-Signature': signature, get: 'a header' }],
    [
      'an object without a prototype',
      Object.assign(Object.create(null), { 'X-Market-Signature': signature }) as WebhookSignature,
    ],
    ['multi-value headers', { 'X-Market-Signature': [signature] }],
  ])('may be given as %s', (_kind, header) => {
    expect(verifyWebhook(json, header, SECRET).id).toBe('evt_1');
    expect(isValidSignature(json, header, SECRET)).toBe(true);
  });

  it.each<[string, WebhookSignature]>([
    ['undefined', undefined],
    ['null', null],
    ['empty', ''],
    ['an empty list', []],
    ['absent from Headers', new Headers()],
    ['absent from a plain object', { 'x-market-nonce': 'a' }],
    ['undefined in a plain object', { 'x-market-signature': undefined }],
    ['inherited', Object.create({ 'x-market-signature': signature }) as WebhookSignature],
    ['of another type', 5 as unknown as WebhookSignature],
  ])('is missing when it is %s', (_kind, header) => {
    expect(thrownBy(() => verifyWebhook(json, header, SECRET)).reason).toBe('missing_signature');
    expect(isValidSignature(json, header, SECRET)).toBe(false);
  });

  it('is found in a Map of headers, in any letter case', () => {
    const headers = new Map([
      ['Content-Type', 'application/json'],
      ['X-Market-Signature', signature],
    ]);
    expect(verifyWebhook(json, headers, SECRET).id).toBe('evt_1');
    headers.set('x-market-signature', signature);
    expect(thrownBy(() => verifyWebhook(json, headers, SECRET)).message).toMatch(/2 times/);
  });

  it('is found in headers, and a whole request is recognized', () => {
    const request = { headers: { 'x-market-signature': signature } };
    const error = thrownBy(() =>
      verifyWebhook(json, request as unknown as WebhookSignature, SECRET),
    );
    expect(error.message).toContain('Pass its headers');
  });

  it.each<[string, WebhookSignature, RegExp]>([
    ['with the prefix of API requests', `v1=${signature}`, /starts with "v1="/],
    ['with the prefix of others', `sha256=${signature}`, /starts with "sha256="/],
    ['in upper case', signature.toUpperCase(), /upper-case/],
    ['with white space', ` ${signature}`, /white space/],
    ['with a newline at its end', `${signature}\n`, /white space/],
    ['in base64', Buffer.from(signature, 'hex').toString('base64'), /base64/],
    ['too short', signature.slice(1), /63 characters/],
    ['too long', `${signature}0`, /65 characters/],
    ['of 64 characters that are more bytes', `${signature.slice(1)}é`, /64 characters/],
    ['of full-width digits', '\uff10'.repeat(64), /64 characters/],
    ['twice in one line', `${signature}, ${signature}`, /sent twice/],
    ['twice in a list', [signature, signature], /2 times/],
    [
      'twice in different case',
      { 'x-market-signature': signature, 'X-Market-Signature': signature },
      /2 times/,
    ],
  ])('is malformed %s', (_kind, header, message) => {
    const error = thrownBy(() => verifyWebhook(json, header, SECRET));
    expect(error.reason).toBe('malformed_signature');
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain(signature.slice(1));
    expect(isValidSignature(json, header, SECRET)).toBe(false);
  });
});

describe('the secret', () => {
  const json = eventJson();

  it.each([0, 1, 2])('may be one of several while rotating, at place %i', (at) => {
    const secrets = ['whsec_a', 'whsec_b', 'whsec_c'];
    const signature = signed(json, secrets[at]);
    expect(verifyWebhook(json, signature, secrets).id).toBe('evt_1');
    expect(isValidSignature(json, signature, Object.freeze(secrets))).toBe(true);
  });

  it.each<[string, unknown, RegExp]>([
    ['empty', '', /"secret" is empty/],
    ['undefined', undefined, /"secret" is undefined/],
    ['null', null, /"secret" is null/],
    ['an empty list', [], /empty list/],
    ['empty beside a good one', [SECRET, ''], /"secret\[1\]" is empty/],
    ['not set beside a good one', [SECRET, undefined], /"secret\[1\]" is undefined/],
  ])('is refused when it is %s, though the signature is right', (_kind, secret, message) => {
    for (const signature of [signed(json), signed(json, '')]) {
      const error = thrownBy(() => verifyWebhook(json, signature, secret as string));
      expect(error.reason).toBe('missing_secret');
      expect(error.message).toMatch(message);
      expect(isValidSignature(json, signature, secret as string)).toBe(false);
    }
    expect(thrownBy(() => signWebhook(json, secret as string)).reason).toBe('missing_secret');
  });

  it('does not match when it is another', () => {
    const error = thrownBy(() => verifyWebhook(json, signed(json, 'whsec_other'), SECRET));
    expect(error.reason).toBe('signature_mismatch');
    expect(error.message).toMatch(/parsed or re-encoded.*registered with/s);
  });

  it.each<[string, string, RegExp]>([
    ['a line break', `${SECRET}\n`, /white space/],
    ['quotation marks', `"${SECRET}"`, /quotation marks/],
    ['a comment', `${SECRET} # live`, /a comment/],
    ['JSON', JSON.stringify({ webhook: SECRET }), /JSON around it/],
  ])('is named as the cause where it has %s around it, and not shown', (_what, spoilt, words) => {
    for (const secret of [spoilt, ['whsec_other', spoilt]]) {
      const error = thrownBy(() => verifyWebhook(json, signed(json, SECRET), secret));
      expect(error.reason).toBe('signature_mismatch');
      expect(error.message).toMatch(words);
      expect(error.message).not.toContain('parsed');
      expect(error.message).not.toContain(SECRET);
    }
    // The service may know it as it is.
    expect(verifyWebhook(json, signed(json, spoilt), spoilt).id).toBe('evt_1');
  });

  it('is not named as the probable cause when the body is empty', () => {
    const error = thrownBy(() => verifyWebhook('', signed(json), SECRET));
    expect(error.message).toMatch(/body is empty/);
  });
});

describe('the event', () => {
  it.each(['', 'not json', '{"id":', '{"id":"evt_1",}', '\uFEFF\uFEFF{}'])(
    'is refused when its body is not JSON: %j',
    (body) => {
      const error = thrownBy(() => verifyWebhook(body, signed(body), SECRET));
      expect(error.reason).toBe('invalid_json');
      expect(error.cause).toBeInstanceOf(SyntaxError);
    },
  );

  it.each([
    ['null', 'not a JSON object'],
    ['[]', 'not a JSON object'],
    ['"evt_1"', 'not a JSON object'],
    ['5', 'not a JSON object'],
    ['{}', '"id"'],
    ['{"__proto__":{"id":"evt_1"}}', '"id"'],
    [eventJson({ id: undefined }), '"id"'],
    [eventJson({ id: 5 }), '"id"'],
    [eventJson({ id: '' }), '"id"'],
    [eventJson({ type: null }), '"type"'],
    [eventJson({ created_at: 1_700_000_000 }), '"created_at"'],
    [eventJson({ data: undefined }), '"data"'],
    [eventJson({ data: [] }), '"data"'],
    [eventJson({ data: null }), '"data"'],
  ])('is refused when its JSON is no event: %s', (body, violation) => {
    const error = thrownBy(() => verifyWebhook(body, signed(body), SECRET));
    expect(error.reason).toBe('invalid_event');
    expect(error.message).toContain(violation);
  });

  it('may be of a type that is not known, even one that objects inherit', () => {
    for (const type of ['transfer.stalled', 'constructor', '__proto__']) {
      const body = eventJson({ type, data: {} });
      expect(verifyWebhook(body, signed(body), SECRET).type).toBe(type);
    }
  });

  it('passes new fields and new statuses of an order through', () => {
    const body = eventJson({ data: { order: { ...order, status: 'HELD', registrar: 'x' } } });
    const event = verifyWebhook(body, signed(body), SECRET);
    expect(event.type === 'order.settled' && event.data.order).toEqual({
      ...order,
      status: 'HELD',
      registrar: 'x',
    });
  });

  it('may be nested as deep as the sender likes', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const body = eventJson({ type: 'deep', data: {} }).replace('{}', `{"deep":${deep}}`);
    expect(verifyWebhook(body, signed(body), SECRET).type).toBe('deep');
  });
});

describe('WebhookVerificationError', () => {
  it('has a name, a reason and nothing of the secret or the signature', () => {
    const json = eventJson();
    const signature = signed(json, 'whsec_private_1');
    const error = thrownBy(() => verifyWebhook(json, signature, 'whsec_private_2'));
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('WebhookVerificationError');
    expect(Object.keys(error)).toEqual(['reason']);
    expect(error.stack).not.toMatch(/private|[0-9a-f]{64}/);
    expect(error.message).not.toContain(signed(json, 'whsec_private_2'));
  });

  it('is recognized by instanceof in another copy of the class, and nothing else is', async () => {
    // A query makes a second module of the same file, as ESM and CommonJS make two.
    const copy = (await import(
      /* @vite-ignore */ new URL('../../src/webhooks/verification-error.ts?copy', import.meta.url)
        .href
    )) as { WebhookVerificationError: typeof WebhookVerificationError };
    expect(copy.WebhookVerificationError).not.toBe(WebhookVerificationError);
    const theirs = new copy.WebhookVerificationError('invalid_json', 'message');
    expect(theirs).toBeInstanceOf(WebhookVerificationError);
    for (const other of [new Error('x'), null, undefined, 'text', {}]) {
      expect(other instanceof WebhookVerificationError).toBe(false);
    }
  });

  it('compares a subclass by identity', () => {
    class Mine extends WebhookVerificationError {}
    const reason: WebhookErrorReason = 'invalid_json';
    expect(new Mine(reason, 'mine')).toBeInstanceOf(Mine);
    expect(new Mine(reason, 'mine')).toBeInstanceOf(WebhookVerificationError);
    expect(new WebhookVerificationError(reason, 'not mine')).not.toBeInstanceOf(Mine);
  });
});
