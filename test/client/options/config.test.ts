import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError, MarketClient } from 'market-partner-sdk';
import { isSigned } from '../../support/signature-check.js';
import { rejectionOf, thrownBy } from '../../support/errors.js';
import { credential, mockMarket } from '../../support/mock-market.js';

const good = { baseUrl: 'https://market.example', ...credential };

beforeEach(() => {
  for (const name of ['MARKET_BASE_URL', 'MARKET_KEY_ID', 'MARKET_SECRET']) vi.stubEnv(name, '');
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

const configurationErrorOf = (options: object): ConfigurationError =>
  thrownBy(() => new MarketClient(options), ConfigurationError);

describe("the fields of the emulator's credential", () => {
  const spread = { scopes: ['search'], partnerId: 'p_1', environment: 'sandbox' };

  it('are ignored where the environment is that of the key id, or the key id names none', () => {
    expect(new MarketClient({ ...good, ...spread }).environment).toBe('sandbox');
    const unmarked = { ...good, ...spread, keyId: 'mk_1f0c', environment: 'live' };
    expect(new MarketClient(unmarked).environment).toBeUndefined();
  });

  it('refuse an environment that is not that of the key id', () => {
    const live = { ...good, keyId: 'mk_live_1f0c' };
    expect(configurationErrorOf({ ...live, environment: 'sandbox' }).option).toBe('environment');
    const market = new MarketClient({ ...good, ...spread });
    const change = { keyId: 'mk_live_1f0c', secret: 'another secret of these tests' };
    expect(market.withOptions(change).environment).toBe('live');
    for (const wrong of [{ ...change, environment: 'sandbox' }, { environment: 'live' }]) {
      expect(() => market.withOptions(wrong as never)).toThrow('"environment" is not an option');
    }
  });
});

describe('options', () => {
  it('are read once: a getter cannot change a value after its check', () => {
    let reads = 0;
    const options = Object.defineProperty({ ...good }, 'maxRetries', {
      enumerable: true,
      get: () => (reads++ === 0 ? 2 : 1e9),
    });
    expect(() => new MarketClient(options).withOptions({})).not.toThrow();
    expect(reads).toBe(1);
  });

  it('are left as they were', () => {
    const options = Object.freeze({ ...good, headers: Object.freeze({ 'X-A': '1' }) });
    expect(() => new MarketClient(options)).not.toThrow();
  });
});

describe('the variables', () => {
  it('stand in for options that are left out', async () => {
    vi.stubEnv('MARKET_BASE_URL', 'https://from-variable.example/gw');
    vi.stubEnv('MARKET_KEY_ID', 'mk_test_9');
    vi.stubEnv('MARKET_SECRET', 'secret-of-the-variable');
    const leftOut = { baseUrl: undefined, keyId: undefined, secret: undefined };
    const { market, sent } = mockMarket(() => ({}), leftOut);
    await market.request({ path: '/pricing' });
    expect(market.environment).toBe('test');
    expect(market.toJSON()).toMatchObject({ baseUrl: 'https://from-variable.example/gw' });
    expect(isSigned(sent[0]!, { keyId: 'mk_test_9', secret: 'secret-of-the-variable' })).toBe(true);
  });

  it('do not come before options', () => {
    vi.stubEnv('MARKET_KEY_ID', 'mk_live_9');
    expect(new MarketClient(good).environment).toBe('sandbox');
  });

  it('are named when they are what is wrong, or empty', () => {
    expect(configurationErrorOf({})).toMatchObject({ variable: 'MARKET_BASE_URL' });
    vi.stubEnv('MARKET_BASE_URL', 'http://market.example');
    expect(configurationErrorOf({ ...credential })).toMatchObject({ variable: 'MARKET_BASE_URL' });
  });
});

describe('the address', () => {
  it('may be plain http to a host that is allowed, with a key that is not live', async () => {
    const baseUrl = 'http://Emulator:4010';
    const allowHttp = ['other', 'emulator'];
    const { market, sent } = mockMarket(() => ({ public_id: 'ord_1' }), { baseUrl, allowHttp });
    await market.orders.get('ord_1');
    expect(sent).toHaveLength(1);
    expect(market.toJSON()).toMatchObject({ baseUrl: 'http://emulator:4010' });
    const unmarked = configurationErrorOf({ ...good, keyId: 'mk_1', baseUrl, allowHttp });
    expect(unmarked.message).toContain('"allowHttp" allows only sandbox and test keys');
    expect(() => new MarketClient({ ...good, keyId: 'mk_live_1', allowHttp })).not.toThrow();
  });

  it('may be an IPv6 address that is allowed', () => {
    const allowed = { ...good, baseUrl: 'http://[fd00::4]:4010', allowHttp: ['[fd00::4]'] };
    expect(() => new MarketClient(allowed)).not.toThrow();
  });

  it('may be plain http on loopback', () => {
    for (const host of ['localhost:8080', '127.0.0.1', '127.1.2.3:1', '[::1]:8080']) {
      expect(() => new MarketClient({ ...good, baseUrl: `http://${host}` })).not.toThrow();
    }
  });

  it.each([
    ['https://gw.example', ''],
    ['https://gw.example/', ''],
    ['https://gw.example/market', '/market'],
    ['https://gw.example/market/', '/market'],
    ['https://gw.example/a/b.c/~d//', '/a/b.c/~d'],
    ['https://gw.example/m%C3%BC/x', '/m%C3%BC/x'],
    ['https://gw.example/mü x', '/m%C3%BC%20x'],
    ['https://gw.example/a/../b', '/b'],
  ])("may have a gateway's prefix, which is signed as it is sent: %s", async (baseUrl, prefix) => {
    const { market, sent } = mockMarket(() => ({ url: 'https://shop.example/' }), { baseUrl });
    await market.domains.get('brew.example');
    await market.request({ method: 'PUT', path: '/api/partner/webhooks', body: {} });
    expect(sent.map(({ target }) => target)).toEqual([
      `${prefix}/api/partner/v1/domains/brew.example`,
      `${prefix}/api/partner/webhooks`,
    ]);
    expect(sent.every((request) => isSigned(request, credential))).toBe(true);
  });
});

describe('the environment', () => {
  it.each([
    ['mk_sandbox_1f0c', 'sandbox'],
    ['mk_live_1f0c', 'live'],
    ['mk-test-1f0c', 'test'],
    ['LIVE.1f0c', 'live'],
    ['sandbox', 'sandbox'],
    ['live:7', 'live'],
    ['7.test', 'test'],
    ['mk_alive_1f0c', undefined],
    ['mk_lively', undefined],
    ['mk_latest_1', undefined],
    ['mk_sandbox2', undefined],
    ['mk_livetest', undefined],
    ['1f0c', undefined],
  ])('of %s is %s', (keyId, environment) => {
    expect(new MarketClient({ ...good, keyId }).environment).toBe(environment);
  });

  it('is held against "forbidLive", which a key without a marker does not pass either', () => {
    for (const keyId of ['mk_sandbox_1', 'mk_test_1']) {
      expect(() => new MarketClient({ ...good, keyId, forbidLive: true })).not.toThrow();
    }
    for (const keyId of ['mk_live_1', '1f0c']) {
      expect(configurationErrorOf({ ...good, keyId, forbidLive: true }).option).toBe('keyId');
      expect(() => new MarketClient({ ...good, keyId, forbidLive: false })).not.toThrow();
    }
  });
});

describe("a browser's globals", () => {
  it('are refused, as everyone who opens the page could read the secret', () => {
    vi.stubGlobal('window', { document: {} });
    const error = configurationErrorOf(good);
    expect(error.option).toBe('dangerouslyAllowBrowser');
    expect(error.message).toContain('Call it from your backend');
  });

  it('may be there where the partner says so, or where there is no document', () => {
    vi.stubGlobal('window', { document: {} });
    expect(() => new MarketClient({ ...good, dangerouslyAllowBrowser: true })).not.toThrow();
    vi.stubGlobal('window', {});
    expect(() => new MarketClient(good)).not.toThrow();
  });
});

describe('headers of the caller', () => {
  it.each([
    ...['X-Market-Key-Id', 'x-market-timestamp', 'X-MARKET-NONCE', 'X-Market-Signature', 'Host'],
    ...['Idempotency-Key', 'Content-Type', 'content-length', 'Content-Encoding', 'Connection'],
    ...[
      'Transfer-Encoding',
      'Proxy-Connection',
      'Keep-Alive',
      'Upgrade',
      'Expect',
      'TE',
      'Trailer',
    ],
  ])("cannot replace %s, neither the client's nor a call's", async (name) => {
    const headers = { [name]: 'x' };
    const { message } = configurationErrorOf({ ...good, headers });
    expect(message).toContain(`"headers.${name}" is set by`);
    const { market, sent } = mockMarket(() => ({}));
    const error = await rejectionOf(market.orders.get('ord_1', { headers }));
    expect(error).toMatchObject({ issues: [{ path: `headers.${name}` }] });
    expect(sent).toEqual([]);
  });

  it.each<object>([
    { 'X-A': 'a\nX-Evil: 1' },
    { 'X-A': 'a\rb' },
    { 'X-A': 'a\0b' },
    { 'X-A': '€' },
    { 'X-A': undefined },
    { 'X-A\r\nX-Evil': '1' },
    { '': '1' },
  ])("are refused, the client's and a call's: %j", async (headers) => {
    expect(configurationErrorOf({ ...good, headers }).option).toMatch(/^headers\./);
    const { market, sent } = mockMarket(() => ({}));
    const options = { headers: headers as Record<string, string> };
    const error = await rejectionOf(market.orders.get('ord_1', options));
    expect(error).toMatchObject({ issues: [{ path: expect.stringMatching(/^headers\./) }] });
    expect(sent).toEqual([]);
  });

  it("are sent, a call's over the client's, whatever their case", async () => {
    const { market, sent } = mockMarket(() => ({}), {
      validateResponses: 'off',
      headers: { 'X-Gateway': 'a', 'User-Agent': 'shop/1.0', 'X-Note': 'tab\tand é' },
    });
    await market.orders.get('ord_1', { headers: { 'x-GATEWAY': 'b' } });
    await market.orders.get('ord_1');
    expect(sent[0]?.headers).toMatchObject({
      'x-gateway': 'b',
      'user-agent': 'shop/1.0',
      'x-note': 'tab\tand é',
    });
    expect(sent[1]?.headers['x-gateway']).toBe('a');
  });

  it('are read once: what the caller does to them later is not sent', async () => {
    const headers: Record<string, string> = { 'X-A': '1' };
    const { market, sent } = mockMarket(() => ({}), { validateResponses: 'off', headers });
    headers['X-A'] = '2';
    await market.orders.get('ord_1');
    expect(sent[0]?.headers['x-a']).toBe('1');
  });
});

describe('a credential that would fail later', () => {
  const options = { baseUrl: 'https://market.example', keyId: 'mk_sandbox_1', secret: 's' };

  it.each<[string, (text: string) => string, RegExp]>([
    ['an invisible space at its end', (text) => `${text}\u200b`, /an invisible character/],
    ['a byte order mark before it', (text) => `\ufeff${text}`, /white space/],
    ['a space before it', (text) => ` ${text}`, /leading or trailing white space/],
    ['quotation marks', (text) => `'${text}'`, /quotation marks/],
    ['a line break at its end', (text) => `${text}\n`, /a file's last line break/],
    ['typographic quotation marks', (text) => `“${text}”`, /quotation marks/],
    ['the comment of an .env file', (text) => `${text} # sandbox`, /a comment after it/],
    [
      'JSON of a secrets manager',
      (text) => JSON.stringify({ MARKET: text }),
      /JSON around it.*Pass/,
    ],
  ])('is refused with %s, and named', (_what, spoil, words) => {
    for (const name of ['keyId', 'secret'] as const) {
      const make = () => new MarketClient({ ...options, [name]: spoil('msk_hidden') });
      expect(make).toThrow(new RegExp(`^"${name}" has .*${words.source}`));
      expect(make).not.toThrow(/msk_hidden/);
    }
  });

  it('is refused by forbidLive where the key id has two markers', () => {
    const keyId = 'test-co_live_1';
    expect(new MarketClient({ ...options, keyId }).environment).toBeUndefined();
    expect(() => new MarketClient({ ...options, keyId, forbidLive: true })).toThrow(/forbidLive/);
  });
});
