import { describe, expect, it } from 'vitest';
import { startOfTime } from './emulator-fixture.js';
import { raw, start } from './control-fixture.js';
import { signed } from './independent-signer.js';

const target = '/api/partner/v1/orders';

/** An emulator, and a signed GET /orders to it with these headers. */
async function signedCalls(options: Parameters<typeof start>[0] = {}) {
  const { emulator, port } = await start({ seed: 1, ...options });
  const credential = emulator.createCredential();
  let nonces = 0;
  const call = (headers: object) => {
    const nonce = `nonce-${(nonces += 1)}-0123456789abcdef`;
    const timestamp = startOfTime / 1000;
    const own = signed(credential, { method: 'GET', path: target, timestamp, nonce });
    return raw(port, 'GET', target, undefined, { ...own, ...headers });
  };
  return { emulator, port, call };
}

describe('a page of another site that reaches an emulator on loopback', () => {
  it.each([
    'evil.example',
    'evil.example:4010',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '[::2]:4010',
    '127.0.0.1@evil.example',
    'a b',
  ])('is refused for its Host %s, and nothing is done', async (host) => {
    const { emulator, call } = await signedCalls();
    const { status, json } = await call({ host });
    expect([status, json.code]).toEqual([421, 'wrong_host']);
    expect(json.message).toContain('--host 0.0.0.0');
    expect(emulator.requests).toEqual([]);
  });

  it.each(['http://evil.example', 'https://localhost.evil.example', 'null', ''])(
    'is refused for its Origin %j, though it knows a secret',
    async (origin) => {
      const { emulator, call } = await signedCalls();
      expect(await call({ origin })).toMatchObject({ status: 403, json: { code: 'wrong_origin' } });
      expect(emulator.requests).toEqual([]);
    },
  );

  it('is refused before its body is read, on a connection that then ends', async () => {
    const { port } = await signedCalls();
    const { status, headers } = await raw(port, 'POST', target, '{}', { origin: 'http://a.test' });
    expect([status, headers.connection]).toEqual([403, 'close']);
  });

  it.each([
    { host: 'localhost:3000' },
    { host: '[::1]:80' },
    { host: '127.0.0.2' },
    { host: 'shop.localhost' },
    { host: 'localhost.:4010' },
    { host: '[::ffff:127.0.0.1]:4010' },
    { origin: 'http://localhost.:3000' },
    { origin: 'http://localhost:3000' },
    { origin: 'https://127.0.0.1:3000' },
  ])('is not one with the headers %j', async (headers) => {
    const { call } = await signedCalls();
    expect((await call(headers)).status).toBe(200);
  });

  it('cannot be known where the emulator has other names on purpose', async () => {
    const { call } = await signedCalls({ host: '0.0.0.0', control: false });
    expect((await call({ host: 'emulator:4010' })).status).toBe(200);
  });
});

it.each([
  '/_emulator/%2e%2e/x',
  '/_emulator/%2e%2e/%2e%2e/x',
  '/_emulator/..%2fx',
  '/_emulator/../_emulator/console.css',
  '/_emulator/v1/%2e%2e/console.css',
])('the path %s, which leads out of the control API, is not found', async (path) => {
  const { port } = await start();
  const { status, json } = await raw(port, 'GET', path);
  expect([status, json.code]).toEqual([404, 'not_found']);
});
