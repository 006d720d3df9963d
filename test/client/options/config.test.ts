import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Agent } from 'undici';
import { ConfigurationError, InvalidRequestError, MarketClient } from 'market-partner-sdk';
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
    const { message } = configurationErrorOf({ ...live, environment: 'sandbox' });
    expect(message).toContain('"environment" is not an option');
    const market = new MarketClient({ ...good, ...spread });
    const change = { keyId: 'mk_live_1f0c', secret: 'another secret of these tests' };
    expect(market.withOptions(change).environment).toBe('live');
    expect(
      thrownBy(
        () => market.withOptions({ ...change, environment: 'sandbox' } as never),
        ConfigurationError,
      ).message,
    ).toContain('"environment"');
    const asItIs = { environment: 'live' } as never;
    expect(thrownBy(() => market.withOptions(asItIs), ConfigurationError).message).toContain(
      'sandbox',
    );
  });
});

describe('options that are missing', () => {
  it('are all named at once, with their variables and the emulator', () => {
    const error = configurationErrorOf({});
    expect(error.message).toBe(
      '"baseUrl", "keyId", "secret" are missing: pass them, or set MARKET_BASE_URL, MARKET_KEY_ID, MARKET_SECRET. ' +
        'No credential yet? "npx market-partner-sdk emulator --env" starts a local emulator and prints these variables.',
    );
    expect(error).toMatchObject({ option: 'baseUrl', variable: 'MARKET_BASE_URL' });
  });

  it('do not include a key id where the credentials come from a function', () => {
    const { message } = configurationErrorOf({ credentials: () => good });
    expect(message).toMatch(/^"baseUrl" is missing: pass it, or set MARKET_BASE_URL\. /);
  });
});

describe('a bad option', () => {
  const rules: readonly [string, object, string, string][] = [
    [
      'no address',
      { baseUrl: undefined },
      'baseUrl',
      'is missing: pass it, or set MARKET_BASE_URL',
    ],
    ['a blank address', { baseUrl: ' ' }, 'baseUrl', 'must be a non-empty string'],
    ['an address as URL object', { baseUrl: new URL('https://a.example') }, 'baseUrl', 'string'],
    ['a relative address', { baseUrl: 'market.example' }, 'baseUrl', 'must be an absolute URL'],
    ['another scheme', { baseUrl: 'ftp://market.example' }, 'baseUrl', 'must be an https URL'],
    ['plain http', { baseUrl: 'http://market.example' }, 'baseUrl', 'Plain http is for loopback'],
    ['a look-alike of loopback', { baseUrl: 'http://127.0.0.1.example' }, 'baseUrl', 'loopback'],
    ['a look-alike of localhost', { baseUrl: 'http://localhost.example' }, 'baseUrl', 'loopback'],
    ['a private address', { baseUrl: 'http://192.168.0.1' }, 'baseUrl', 'loopback'],
    [
      'a password',
      { baseUrl: 'https://ada:pw@market.example' },
      'baseUrl',
      'user name or password',
    ],
    ['a query', { baseUrl: 'https://market.example/?a=1' }, 'baseUrl', 'query or a fragment'],
    ['an empty fragment', { baseUrl: 'https://market.example/#' }, 'baseUrl', 'fragment'],
    [
      'two schemes',
      { baseUrl: 'https://https://market.example' },
      'baseUrl',
      'must have one scheme',
    ],
    ['the API path', { baseUrl: 'https://market.example/api/partner' }, 'baseUrl', '/api/partner'],
    ['the version', { baseUrl: 'https://m.example/gw/api/partner/v1/' }, 'baseUrl', '/api/partner'],
    ['no key id', { keyId: undefined }, 'keyId', 'is missing: pass it, or set MARKET_KEY_ID'],
    [
      'a key id with a line break',
      { keyId: 'mk_sandbox_1\n' },
      'keyId',
      "a file's last line break",
    ],
    ['a key id as a number', { keyId: 5 }, 'keyId', 'must be a non-empty string'],
    ['no secret', { secret: undefined }, 'secret', 'is missing: pass it, or set MARKET_SECRET'],
    ['an empty secret', { secret: '' }, 'secret', 'must be a non-empty string'],
    ['a time of zero', { timeoutMs: 0 }, 'timeoutMs', 'above 0, at most 2147483647'],
    ['a negative deadline', { deadlineMs: -1 }, 'deadlineMs', 'above 0, at most 2147483647'],
    ['a time without an end', { timeoutMs: Infinity }, 'timeoutMs', 'at most 2147483647'],
    ['a time that is no number', { timeoutMs: '5s' }, 'timeoutMs', 'number of milliseconds'],
    ['retries with a fraction', { maxRetries: 0.5 }, 'maxRetries', 'whole number from 0 to 100'],
    ['too many retries', { maxRetries: 101 }, 'maxRetries', 'whole number from 0 to 100'],
    ['an unknown mode', { validateResponses: 'throw' }, 'validateResponses', '"off", "warn"'],
    ['a logger without functions', { logger: { warn: 'yes' } }, 'logger', 'are functions'],
    ['a logger that is a string', { logger: 'console' }, 'logger', 'must be an object'],
    ['a dispatcher that is none', { dispatcher: {} }, 'dispatcher', 'dispatch method'],
    ['a fetch that is none', { fetch: true }, 'fetch', 'must be a function'],
    ['a clock that is a time', { clock: 5 }, 'clock', 'must be a function'],
    ['a random that is a number', { random: 0.5 }, 'random', 'must be a function'],
    ['a sleep that is a number', { sleep: 5 }, 'sleep', 'must be a function'],
    ['a class as fetch', { fetch: class extends Map {} }, 'fetch', 'not a class'],
    ['a class as clock', { clock: class extends Map {} }, 'clock', 'not a class'],
    ['null as a time', { timeoutMs: null }, 'timeoutMs', 'must be a number of milliseconds'],
    ['null as retries', { maxRetries: null }, 'maxRetries', 'must be a whole number'],
    ['a flag that is a word', { forbidLive: 'yes' }, 'forbidLive', 'must be true or false'],
    ['hosts that are a text', { allowHttp: 'emulator' }, 'allowHttp', 'array of host names'],
    ['a host with a port', { allowHttp: ['emulator:4010'] }, 'allowHttp.0', 'host name'],
    [
      'a host that is not allowed',
      { baseUrl: 'http://market.example', allowHttp: ['emulator'] },
      'baseUrl',
      'that "allowHttp" names',
    ],
    [
      'a browser flag as a number',
      { dangerouslyAllowBrowser: 1 },
      'dangerouslyAllowBrowser',
      'true',
    ],
    ['headers that are a Headers', { headers: new Headers({ a: 'b' }) }, 'headers', 'plain object'],
    ['headers that are pairs', { headers: [['a', 'b']] }, 'headers', 'plain object'],
    [
      'a misspelt option',
      { timeout_ms: 5 },
      'timeout_ms',
      'is not an option; the options are baseUrl',
    ],
  ];

  for (const [title, options, option, rule] of rules) {
    it(`is refused by name and with its rule: ${title}`, () => {
      const error = configurationErrorOf({ ...good, ...options });
      expect(error.option).toBe(option);
      expect(error.message).toContain(`"${option}" `);
      expect(error.message).toContain(rule);
      expect(error.message).not.toContain(credential.secret);
    });
  }

  it('does not have its password repeated', () => {
    expect(
      configurationErrorOf({ ...good, baseUrl: 'https://ada:hunter2@m.example' }).message,
    ).not.toContain('hunter2');
  });

  it('a fetch together with a dispatcher is refused: a dispatcher goes with undici', () => {
    const error = configurationErrorOf({ ...good, fetch, dispatcher: new Agent() });
    expect(error).toMatchObject({ option: 'fetch' });
    expect(error.message).toContain('"dispatcher" cannot be combined');
  });

  it('that no client has is refused by name, by withOptions too', () => {
    const options = { ...good, region: 'eu' };
    const error = configurationErrorOf(options);
    expect(error.option).toBe('region');
    expect(error.message).toMatch(/^"region" is not an option; the options are baseUrl, keyId, /);
    const market = new MarketClient(good);
    expect(() => market.withOptions({ region: 'eu' } as object)).toThrow(
      '"region" is not an option',
    );
  });

  it.each([
    ['a Promise', Promise.resolve(good), 'must be an object of options; await the Promise first'],
    ['null', null, 'must be an object of options'],
    ['a string', 'https://market.example', 'must be an object of options'],
    ['an array', [good], 'must be an object of options'],
  ])('%s is refused in the place of the options', (_title, options, rule) => {
    expect(configurationErrorOf(options as object).message).toBe(`"options" ${rule}`);
  });

  it('is read once: a getter cannot change a value after its check', () => {
    let reads = 0;
    const options = Object.defineProperty({ ...good }, 'maxRetries', {
      enumerable: true,
      get: () => (reads++ === 0 ? 2 : 1e9),
    });
    expect(() => new MarketClient(options).withOptions({})).not.toThrow();
    expect(reads).toBe(1);
  });

  it.each([
    ['secret', '"'],
    ['secret', "'"],
    ['keyId', '"'],
  ] as const)('%s with %s around it is refused', (option, mark) => {
    const error = configurationErrorOf({ ...good, [option]: `${mark}${good[option]}${mark}` });
    expect(error.option).toBe(option);
    expect(error.message).toContain('has quotation marks around it');
    expect(error.message).not.toContain(good.secret);
  });

  it('leaves the options of the caller as they were', () => {
    const options = Object.freeze({ ...good, headers: Object.freeze({ 'X-A': '1' }) });
    expect(() => new MarketClient(options)).not.toThrow();
  });
});

describe('the variables', () => {
  it('stand in for options that are left out', async () => {
    vi.stubEnv('MARKET_BASE_URL', 'https://from-variable.example/gw');
    vi.stubEnv('MARKET_KEY_ID', 'mk_test_9');
    vi.stubEnv('MARKET_SECRET', 'secret-of-the-variable');
    const { market, sent } = mockMarket(() => ({}), {
      baseUrl: undefined,
      keyId: undefined,
      secret: undefined,
    });
    await market.request({ path: '/pricing' });
    expect(market.environment).toBe('test');
    expect(market.toJSON()).toMatchObject({ baseUrl: 'https://from-variable.example/gw' });
    expect(isSigned(sent[0]!, { keyId: 'mk_test_9', secret: 'secret-of-the-variable' })).toBe(true);
  });

  it('do not come before options', () => {
    vi.stubEnv('MARKET_KEY_ID', 'mk_live_9');
    expect(new MarketClient(good).environment).toBe('sandbox');
  });

  it('are named when they are what is wrong', () => {
    vi.stubEnv('MARKET_BASE_URL', 'http://market.example');
    expect(configurationErrorOf({ ...credential })).toMatchObject({ variable: 'MARKET_BASE_URL' });
  });

  it('count as missing when they are empty', () => {
    expect(configurationErrorOf({})).toMatchObject({
      option: 'baseUrl',
      variable: 'MARKET_BASE_URL',
    });
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
    for (const keyId of ['mk_live_1', 'mk_1']) {
      const error = configurationErrorOf({ ...good, keyId, baseUrl, allowHttp });
      expect(error.option).toBe('keyId');
      expect(error.message).toContain('"allowHttp" allows only sandbox and test keys');
    }
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

  const prefixes: readonly [string, string][] = [
    ['https://gw.example', ''],
    ['https://gw.example/', ''],
    ['https://gw.example/market', '/market'],
    ['https://gw.example/market/', '/market'],
    ['https://gw.example/a/b.c/~d//', '/a/b.c/~d'],
    ['https://gw.example/m%C3%BC/x', '/m%C3%BC/x'],
    ['https://gw.example/mü x', '/m%C3%BC%20x'],
    ['https://gw.example/a/../b', '/b'],
  ];

  for (const [baseUrl, prefix] of prefixes) {
    it(`may have a gateway's prefix, which is signed as it is sent: ${baseUrl}`, async () => {
      const { market, sent } = mockMarket(() => ({ url: 'https://shop.example/' }), { baseUrl });
      await market.domains.get('brew.example');
      await market.request({ method: 'PUT', path: '/api/partner/webhooks', body: {} });
      expect(sent.map(({ target }) => target)).toEqual([
        `${prefix}/api/partner/v1/domains/brew.example`,
        `${prefix}/api/partner/webhooks`,
      ]);
      expect(sent.every((request) => isSigned(request, credential))).toBe(true);
    });
  }
});

describe('the environment', () => {
  const markers: readonly [string, string | undefined][] = [
    ['mk_sandbox_1f0c', 'sandbox'],
    ['mk_live_1f0c', 'live'],
    ['mk-test-1f0c', 'test'],
    ['LIVE.1f0c', 'live'],
    ['mk_alive_1f0c', undefined],
    ['mk_livetest', undefined],
    ['1f0c', undefined],
  ];

  for (const [keyId, environment] of markers) {
    it(`of ${keyId} is ${String(environment)}`, () => {
      expect(new MarketClient({ ...good, keyId }).environment).toBe(environment);
    });
  }

  it('is held against "forbidLive", which a key without a marker does not pass either', () => {
    for (const keyId of ['mk_sandbox_1', 'mk_test_1']) {
      expect(() => new MarketClient({ ...good, keyId, forbidLive: true })).not.toThrow();
    }
    expect(
      configurationErrorOf({ ...good, keyId: 'mk_live_1', forbidLive: true }).message,
    ).toContain('"keyId" is a live key');
    expect(configurationErrorOf({ ...good, keyId: '1f0c', forbidLive: true }).message).toContain(
      'forbidLive',
    );
    expect(
      () => new MarketClient({ ...good, keyId: 'mk_live_1', forbidLive: false }),
    ).not.toThrow();
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
  const own = [
    'X-Market-Key-Id',
    'x-market-timestamp',
    'X-MARKET-NONCE',
    'X-Market-Signature',
    'Idempotency-Key',
    'Content-Type',
    'content-length',
    'Content-Encoding',
    'Transfer-Encoding',
    'Host',
    'Connection',
    'Proxy-Connection',
    'Keep-Alive',
    'Upgrade',
    'Expect',
    'TE',
    'Trailer',
  ];

  for (const name of own) {
    it(`cannot replace ${name}, neither the client's nor a call's`, async () => {
      const headers = { [name]: 'x' };
      expect(configurationErrorOf({ ...good, headers }).message).toContain(
        `"headers.${name}" is set by`,
      );
      const { market, sent } = mockMarket(() => ({}));
      const error = await rejectionOf(market.orders.get('ord_1', { headers }));
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect(error).toMatchObject({ issues: [{ path: `headers.${name}` }] });
      expect(sent).toEqual([]);
    });
  }

  it('point to the option where there is one', () => {
    expect(
      configurationErrorOf({ ...good, headers: { 'idempotency-key': 'k' } }).message,
    ).toContain('use the option "idempotencyKey"');
  });

  const bad: readonly [string, object][] = [
    ['a line feed', { 'X-A': 'a\nX-Evil: 1' }],
    ['a carriage return', { 'X-A': 'a\rb' }],
    ['a NUL', { 'X-A': 'a\0b' }],
    ['a character beyond Latin-1', { 'X-A': '€' }],
    ['a number', { 'X-A': 5 }],
    ['nothing', { 'X-A': undefined }],
    ['a name with a line break', { 'X-A\r\nX-Evil': '1' }],
    ['a name with a space', { 'X A': '1' }],
    ['an empty name', { '': '1' }],
  ];

  for (const [title, headers] of bad) {
    it(`are refused with ${title}`, async () => {
      expect(configurationErrorOf({ ...good, headers }).option).toMatch(/^headers\./);
      const { market, sent } = mockMarket(() => ({}));
      const options = { headers: headers as Record<string, string> };
      expect(await rejectionOf(market.orders.get('ord_1', options))).toBeInstanceOf(
        InvalidRequestError,
      );
      expect(sent).toEqual([]);
    });
  }

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

  it('is refused where the secret has leading or trailing white space, which is not repeated', () => {
    for (const secret of ['msk_hidden\n', ' msk_hidden']) {
      const make = () => new MarketClient({ ...options, secret });
      expect(make).toThrow(/"secret" has leading or trailing white space/);
      expect(make).not.toThrow(/msk_hidden/);
    }
  });

  it.each<[string, (text: string) => string, RegExp]>([
    ['an invisible space at its end', (text) => `${text}\u200b`, /an invisible character/],
    ['a byte order mark before it', (text) => `\ufeff${text}`, /white space/],
    ['a line break at its end', (text) => `${text}\n`, /a file's last line break/],
    ['typographic quotation marks', (text) => `“${text}”`, /quotation marks/],
    ['the comment of an .env file', (text) => `${text} # sandbox`, /a comment after it/],
    [
      "a secrets manager's JSON around it",
      (text) => JSON.stringify({ MARKET: text }),
      /JSON around it.*Pass the value inside/,
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
