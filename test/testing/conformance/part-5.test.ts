import { createHash, createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { EmulatorCredential, Scope } from 'market-partner-sdk/testing';
import { freshEmulator, startOfTime } from '../emulator-fixture.js';
import { caller, sendRaw, signed } from '../independent-signer.js';
import { everyCall } from '../../specification.js';

const market = freshEmulator();
const now = startOfTime / 1000;

/** Signs six lines of one's own choice and sends the request over a real socket. */
async function sendSigned(
  credential: EmulatorCredential,
  lines: readonly [string, string, string, string, string, string],
  { method, target, body = '' }: { method: string; target: string; body?: string },
) {
  const mac = createHmac('sha256', credential.secret).update(lines.join('\n')).digest('hex');
  return sendRaw(market.emulator.baseUrl, {
    method,
    target,
    body,
    headers: {
      'X-Market-Key-Id': credential.keyId,
      'X-Market-Timestamp': lines[3],
      'X-Market-Nonce': lines[4],
      'X-Market-Signature': `v1=${mac}`,
    },
  });
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const verdict = () => market.emulator.requests.at(-1)!.verdict;
const root = '/api/partner/v1';

describe('part 5, request headers', () => {
  it('5: "Unix time in seconds, UTC (not milliseconds)."', async () => {
    const { status, json } = await market.call('GET /orders', { timestamp: startOfTime });
    expect(status).toBe(401);
    expect(json.code).toBe('invalid_timestamp');
    expect(json.message).toContain('looks like milliseconds');
    for (const wrong of ['1e9', '-5', '0x10', `${now}.5`, `0${now}`, 'now']) {
      const reply = await market.call('GET /orders', { timestamp: wrong });
      expect(reply.json.code, wrong).toBe('invalid_timestamp');
    }
  });

  it('5: "Unique per request. A UUID v4 is used."', async () => {
    const credential = market.as({});
    const nonce = randomUUID();
    expect((await credential('GET /orders', { nonce })).status).toBe(200);
    expect((await credential('GET /orders', { nonce })).json.code).toBe('replay_detected');
    expect((await market.as({})('GET /orders', { nonce })).status).toBe(200);
  });

  it('5: "v1= followed by the lowercase hex HMAC-SHA256 of the canonical string."', async () => {
    const credential = market.emulator.createCredential();
    const call = caller(market.emulator, credential);
    const nonce = randomUUID();
    const right = signed(credential, {
      method: 'GET',
      path: `${root}/orders`,
      timestamp: now,
      nonce,
    });
    const signature = right['X-Market-Signature']!;
    const hex = signature.slice(3);
    for (const [wrong, why] of [
      [hex, 'the prefix v1= is missing'],
      [`v1=${hex.toUpperCase()}`, 'the hex is not all lowercase'],
      [`v1=${Buffer.from(hex, 'hex').toString('base64')}`, 'this is base64'],
      [`v2=${hex}`, 'the prefix v1= is missing'],
      ['v1=abc', 'this has 3 characters after the prefix'],
      [`${signature} `.padEnd(70, 'é'), 'v1='],
    ] as const) {
      const headers = { 'X-Market-Signature': Buffer.from(wrong).toString('latin1') };
      const { status, json } = await call('GET /orders', { nonce, timestamp: now, headers });
      expect(status).toBe(401);
      expect(json.code).toBe('invalid_signature');
      expect(json.message).toContain(why);
    }
    expect((await call('GET /orders', { nonce, timestamp: now })).status).toBe(200);
  });

  it('5: "Only on POST /orders"', async () => {
    for (const { call } of everyCall.filter(({ call }) => !call.startsWith('GET'))) {
      const { json } = await market.call(call, { body: {} });
      const isKeyed = call === 'POST /orders';
      expect(json.code === 'missing_idempotency_key', call).toBe(isKeyed);
    }
  });
});

describe('part 5, canonical string', () => {
  const empty = sha256('');
  const send = (
    lines: readonly [string, string, string, string, string, string],
    request: { method: string; target: string; body?: string },
  ) => sendSigned(market.emulator.createCredential(), lines, request);

  it('5: "Exactly six lines joined by a newline character"', async () => {
    const request = { method: 'GET', target: `${root}/orders` };
    const lines = ['GET', `${root}/orders`, '', String(now), 'n1', empty] as const;
    expect((await send(lines, request)).status).toBe(200);
    const credential = market.emulator.createCredential();
    for (const [text, why] of [
      [lines.join('\r\n'), 'not by \\r\\n'],
      [`${lines.join('\n')}\n`, 'no newline at its end'],
      [lines.join(''), 'joined by a newline'],
      [lines.filter((line) => line !== '').join('\n'), 'an empty line; it was left out'],
    ] as const) {
      const mac = createHmac('sha256', credential.secret).update(text).digest('hex');
      const { json } = await sendRaw(market.emulator.baseUrl, {
        ...request,
        headers: {
          ...signed(credential, {
            method: 'GET',
            path: request.target,
            timestamp: now,
            nonce: 'n1',
          }),
          'X-Market-Signature': `v1=${mac}`,
        },
      });
      expect(json.code).toBe('invalid_signature');
      expect(json.message).toContain(why);
    }
  });

  it('5: "METHOD: uppercase HTTP verb."', async () => {
    const request = { method: 'GET', target: `${root}/orders` };
    await send(['get', `${root}/orders`, '', String(now), 'n1', empty], request);
    expect(verdict()).toBe('invalid_signature');
    expect(market.emulator.requests.at(-1)!.reason).toContain('line 1 (METHOD)');
  });

  it('5: "it must be the full path (for example with the /api/partner/v1 prefix)"', async () => {
    const request = { method: 'GET', target: `${root}/orders` };
    for (const path of ['/orders', '/v1/orders', `${root}/orders/`, `http://x${root}/orders`]) {
      await send(['GET', path, '', String(now), 'n1', empty], request);
      expect(verdict(), path).toBe('invalid_signature');
    }
    const encoded = `${root}/domains/m%C3%BCnchen.example`;
    await send(['GET', encoded, '', String(now), 'n2', empty], { method: 'GET', target: encoded });
    expect(verdict()).toBe('accepted');
    const dotted = `${root}/./domains/../orders`;
    await send(['GET', dotted, '', String(now), 'n3', empty], { method: 'GET', target: dotted });
    expect(verdict()).toBe('accepted');
  });

  it('5: "canonical query (below), or an empty line when there is no query"', async () => {
    const path = `${root}/orders`;
    await send(['GET', path, '', String(now), 'n1', empty], { method: 'GET', target: `${path}?` });
    expect(verdict()).toBe('accepted');
  });

  it('5: "the same integer string as in the timestamp header"', async () => {
    const credential = market.emulator.createCredential();
    const headers = signed(credential, { method: 'GET', path: `${root}/orders`, timestamp: now });
    headers['X-Market-Timestamp'] = String(now + 1);
    const { json } = await sendRaw(market.emulator.baseUrl, {
      method: 'GET',
      target: `${root}/orders`,
      headers,
    });
    expect(json.message).toContain('line 4 (TIMESTAMP)');
  });

  it('5: "the same string as in the nonce header"', async () => {
    const credential = market.emulator.createCredential();
    const headers = signed(credential, {
      method: 'GET',
      path: `${root}/orders`,
      timestamp: now,
      nonce: 'ab-cd',
    });
    headers['X-Market-Nonce'] = 'AB-CD';
    const { json } = await sendRaw(market.emulator.baseUrl, {
      method: 'GET',
      target: `${root}/orders`,
      headers,
    });
    expect(json.message).toContain('line 5 (NONCE)');
  });

  it('5: "lowercase hex SHA-256 of the raw request body bytes exactly as sent"', async () => {
    const path = `${root}/quotes`;
    const body = '{ "domain" : "brew.example" }\n';
    const request = { method: 'POST', target: path, body };
    const reply = await send(['POST', path, '', String(now), 'n1', sha256(body)], request);
    expect(reply.status).toBe(201);
    await send(
      ['POST', path, '', String(now), 'n1', sha256(JSON.stringify(JSON.parse(body)))],
      request,
    );
    expect(verdict()).toBe('invalid_signature');
    expect(market.emulator.requests.at(-1)!.reason).toContain(
      'The body was parsed and serialized again',
    );
  });

  it('5: "With no body, or on GET and HEAD, it is the SHA-256 of the empty byte string."', async () => {
    const path = `${root}/orders`;
    for (const method of ['GET', 'HEAD', 'DELETE']) {
      await send([method, path, '', String(now), method, empty], { method, target: path });
      expect(verdict()).toBe('accepted');
    }
    const withBody = { method: 'GET', target: path, body: '{}' };
    await send(['GET', path, '', String(now), 'n1', empty], withBody);
    expect(verdict()).toBe('accepted');
    await send(['GET', path, '', String(now), 'n1', sha256('{}')], withBody);
    expect(market.emulator.requests.at(-1)!.reason).toContain('On GET and HEAD it is');
  });

  it('5: "HMAC-SHA256 with the secret string as key (UTF-8) and the canonical string (UTF-8) as message"', async () => {
    const credential = market.emulator.createCredential({ secret: 'päss wörd ☕' });
    const target = `${root}/domains/caf%C3%A9.example`;
    const lines = ['GET', target, '', String(now), 'n1', empty] as const;
    expect((await sendSigned(credential, lines, { method: 'GET', target })).status).toBe(404);
    expect(verdict()).toBe('accepted');
  });
});

describe('part 5, canonical query', () => {
  const vectors = JSON.parse(
    readFileSync(new URL('../../vectors/canonical-query.json', import.meta.url), 'utf8'),
  ) as {
    pairs: { name: string; pairs: [string, string][]; canonical: string }[];
    raw: { raw: string; canonical: string }[];
  };
  const path = `${root}/orders`;
  const accepts = async (raw: string, canonical: string) => {
    const lines = ['GET', path, canonical, String(now), randomUUID(), sha256('')] as const;
    const target = raw === '' ? path : `${path}?${raw}`;
    const { headers } = await sendSigned(market.emulator.createCredential(), lines, {
      method: 'GET',
      target,
    });
    expect(market.emulator.requests.at(-1)!.requestId).toBe(headers['x-request-id']);
    return verdict();
  };

  it('5: "Split the query into key/value pairs. Keys and values are decoded, and blank values are kept."', async () => {
    // What is not ASCII cannot stand in a request line; the other vectors can.
    for (const { raw, canonical } of vectors.raw.filter(({ raw }) => /^[ -~]*$/.test(raw))) {
      expect(await accepts(raw, canonical), raw).toBe('accepted');
    }
    expect(await accepts('b=&a=1', 'a=1')).toBe('invalid_signature');
    expect(await accepts('q=100%', 'q=100%25')).toBe('accepted');
    expect(await accepts('q=%ff', 'q=%EF%BF%BD')).toBe('accepted');
  });

  it('5: "Sort ascending by key. When keys tie, sort by value."', async () => {
    expect(await accepts('b=1&a=2&a=10&a=1', 'a=1&a=10&a=2&b=1')).toBe('accepted');
    expect(await accepts('b=1&a=2&a=10&a=1', 'a=2&a=10&a=1&b=1')).toBe('invalid_signature');
    expect(await accepts('%7B=1&A=3&%5B=2&a=4', 'A=3&%5B=2&a=4&%7B=1')).toBe('accepted');
    // A rocket is a surrogate pair, and so comes before what is above the surrogates.
    expect(await accepts('%EF%BF%BD=1&%F0%9F%9A%80=2', '%F0%9F%9A%80=2&%EF%BF%BD=1')).toBe(
      'accepted',
    );
  });

  it(`5: "Encode each key and each value as a URI component, then additionally percent-encode the characters ! ' ( ) * using uppercase hex."`, async () => {
    expect(await accepts("q=it's(a)!*", 'q=it%27s%28a%29%21%2A')).toBe('accepted');
    expect(await accepts("q=it's(a)!*", "q=it's(a)!*")).toBe('invalid_signature');
    expect(market.emulator.requests.at(-1)!.reason).toContain('line 3 (QUERY_STRING)');
    expect(await accepts('q=%c3%a9', 'q=%c3%a9')).toBe('invalid_signature');
  });

  it('5: "Join as key=value pairs with &."', async () => {
    for (const { name, pairs, canonical } of vectors.pairs) {
      const raw = pairs
        .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
        .reverse()
        .join('&');
      expect(await accepts(raw, canonical), name).toBe('accepted');
    }
  });
});

describe('part 5, verification by the service', () => {
  const without = (...names: string[]) => ({
    headers: Object.fromEntries(names.map((name) => [name, undefined])),
  });

  it('5: "Missing one of the four signature headers gives missing_signature_headers."', async () => {
    for (const name of ['X-Market-Timestamp', 'X-Market-Nonce', 'X-Market-Signature']) {
      for (const headers of [{ [name]: undefined }, { [name]: '' }]) {
        const { status, json } = await market.call('GET /orders', { headers });
        expect(status).toBe(401);
        expect(json).toEqual({ code: 'missing_signature_headers', message: `Missing: ${name}.` });
      }
    }
  });

  it('5: "A missing key id header gives 401 missing_credentials."', async () => {
    for (const options of [
      without('X-Market-Key-Id'),
      without('X-Market-Key-Id', 'X-Market-Nonce'),
    ]) {
      const { status, json } = await market.call('GET /orders', options);
      expect(status).toBe(401);
      expect(json.code).toBe('missing_credentials');
    }
  });

  it('5: "The timestamp must be Unix seconds within ±300 seconds of server time."', async () => {
    for (const [offset, status] of [
      [-300, 200],
      [300, 200],
      [-301, 401],
      [301, 401],
    ] as const) {
      const reply = await market.call('GET /orders', { timestamp: now + offset });
      expect(reply.status, String(offset)).toBe(status);
      if (status === 401)
        expect(reply.json.message).toContain(`301 seconds ${offset < 0 ? 'behind' : 'ahead of'}`);
    }
    const { headers } = await market.call('GET /orders', { timestamp: now - 5000 });
    expect(Date.parse(headers.date!)).toBe(startOfTime);
  });

  it('5: "A nonce that is still tracked and is used again gives replay_detected."', async () => {
    const call = market.as({});
    const nonce = 'n'.repeat(200);
    await call('GET /orders', { nonce });
    expect((await call('GET /pricing', { nonce })).json.code).toBe('replay_detected');
    market.emulator.clock.advance('11 minutes');
    expect((await call('GET /orders', { nonce })).status).toBe(200);
    const strange = { 'X-Market-Signature': `v1=${'0'.repeat(64)}` };
    expect((await call('GET /orders', { nonce: 'm', headers: strange })).json.code).toBe(
      'invalid_signature',
    );
    expect((await call('GET /orders', { nonce: 'm' })).status).toBe(200);
    expect((await call('GET /orders', { nonce: 'm', headers: strange })).json.code).toBe(
      'replay_detected',
    );
  });

  it('5: "A fresh nonce is required on every request, including retries."', async () => {
    const call = market.as({});
    const attempt = { body: { domain: 'brew.example' }, key: 'order-1', nonce: 'n1' };
    const first = await call('POST /orders', attempt);
    expect((await call('POST /orders', attempt)).json.code).toBe('replay_detected');
    expect((await call('POST /orders', { ...attempt, nonce: 'n2' })).text).toBe(first.text);
  });

  it('5: "The service rebuilds the canonical string and compares signatures in constant time. A mismatch gives 401 invalid_signature."', async () => {
    const credential = market.emulator.createCredential();
    const unknownKey = caller(market.emulator, { ...credential, keyId: 'mk_sandbox_none' });
    const unknown = await unknownKey('GET /orders');
    expect(unknown.status).toBe(401);
    expect(unknown.json.message).toContain('"mk_sandbox_none" is not a credential');
    const forger = caller(market.emulator, { ...credential, secret: 'guess' });
    const { json } = await forger('POST /orders', { body: { domain: 'brew.example' }, key: 'k' });
    expect(json.code).toBe('invalid_signature');
    expect(market.emulator.events).toEqual([]);
  });

  it('5: "Causes: wrong secret, wrong canonical string, body changed after signing."', async () => {
    const credential = market.emulator.createCredential();
    const headers = signed(credential, {
      method: 'POST',
      path: `${root}/quotes`,
      body: '{"domain":"a.example"}',
      timestamp: now,
    });
    const { json } = await sendRaw(market.emulator.baseUrl, {
      method: 'POST',
      target: `${root}/quotes`,
      headers,
      body: '{"domain":"b.example"}',
    });
    expect(json.code).toBe('invalid_signature');
    expect(json.details.canonical_string.split('\n')[5]).toBe(sha256('{"domain":"b.example"}'));
  });

  it('5: "The credential must hold the scope of the endpoint, otherwise 403 forbidden."', async () => {
    const { status, json } = await market.as({ scopes: ['search'] })('POST /quotes', { body: {} });
    expect(status).toBe(403);
    expect(json).toMatchObject({ code: 'forbidden', details: { required_scope: 'buy' } });
    expect(json.message).toContain('"buy"');
    const early = await market.as({ scopes: [] })('GET /orders', { timestamp: 5 });
    expect(early.json.code).toBe('invalid_timestamp');
  });

  it('5: "A retry of the same write reuses the Idempotency-Key with a new nonce."', async () => {
    const call = market.as({});
    const attempt = { body: { domain: 'brew.example' }, key: 'order-1' };
    const replies = [await call('POST /orders', attempt), await call('POST /orders', attempt)];
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    expect(market.emulator.events).toHaveLength(1);
  });

  it('the steps are taken in the documented order', async () => {
    const call = market.as({ scopes: ['search'] });
    const bad = 'v1=bad';
    await call('GET /orders', { nonce: 'used' });
    const code = async (options: Parameters<typeof call>[1]) =>
      (await call('POST /orders', options)).json.code;
    const everythingWrong = {
      timestamp: 5,
      nonce: 'used',
      body: 'x',
      headers: { 'X-Market-Signature': bad },
    };
    const nothing = { ...everythingWrong, headers: { 'X-Market-Signature': undefined } };
    expect(await code(nothing)).toBe('missing_signature_headers');
    expect(await code(everythingWrong)).toBe('invalid_timestamp');
    expect(await code({ ...everythingWrong, timestamp: now })).toBe('replay_detected');
    expect(await code({ ...everythingWrong, timestamp: now, nonce: 'new' })).toBe(
      'invalid_signature',
    );
    expect(await code({ body: 'x' })).toBe('forbidden');
    const buyer = market.as({ scopes: ['buy'] });
    expect((await buyer('POST /orders', { body: 'x' })).json.code).toBe('missing_idempotency_key');
    expect((await buyer('POST /orders', { body: 'x', key: 'k' })).json.code).toBe(
      'validation_error',
    );
  });
});

describe('part 5, scopes', () => {
  const granted = (scope: Scope) => async () => {
    const call = market.as({ scopes: [scope] });
    for (const endpoint of everyCall) {
      const body = endpoint.call.startsWith('GET') ? undefined : {};
      const { status } = await call(endpoint.call, { body, key: 'k' });
      expect(status !== 403, `${scope}: ${endpoint.call}`).toBe(endpoint.scopes.includes(scope));
    }
  };

  it('5: "Search inventory, get prices, check availability."', granted('search'));
  it('5: "Create hosted checkout sessions."', granted('embed'));
  it('5: "Get quotes, record orders, request refunds, view settlements."', granted('buy'));
  it('5: "Check brokerage eligibility, open cases, track progress."', granted('broker'));
  it('5: "Create and list referral links."', granted('refer'));
  it(
    '5: "Read clicks, sales, commissions, payouts, analytics, transaction history."',
    granted('report'),
  );
  it('5: "Register the delivery endpoint, read event history."', granted('webhook'));
});
