import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  brokerageCaseInput,
  checkInput,
  dateRange,
  idempotencyKey,
  orderInput,
  pageRequest,
  webhookInput,
} from '../../../src/client/input/index.js';
import { text } from '../../../src/client/input/values.js';
import { violations, pairs, invalidRequestOf } from './violations.js';

const order = (fields: object) => ({ domain: 'brew.example', expected_price: 250_000, ...fields });
const loneSurrogate = 'contains a lone surrogate, which cannot be encoded';

/** The one violation of a field. */
function violation(check: Parameters<typeof violations>[0], input: unknown): string {
  const found = violations(check, input);
  expect(found).toHaveLength(1);
  return found[0]?.[1] ?? '';
}

describe('money', () => {
  it.each([1, 250_000, Number.MAX_SAFE_INTEGER])('may be %d', (expected_price) => {
    expect(checkInput(orderInput, order({ expected_price }))).toEqual(order({ expected_price }));
  });

  it.each([19.99, 0, -5, NaN, Infinity, null, '', 'ten', '2500', '19.99', 2500n, 2 ** 53])(
    'may not be %o',
    (expected_price) => {
      const found = violations(orderInput, order({ expected_price }));
      expect(found).toEqual([['expected_price', expect.stringMatching(/^must be .*; received /)]]);
    },
  );
});

describe('a budget', () => {
  const input = (budget: unknown) => ({
    tier: 'managed',
    buyer_email: 'ada@buyer.example',
    budget,
  });

  it.each([0.5, 5000, 1e300])('may be %d', (budget) => {
    expect(checkInput(brokerageCaseInput, input(budget)).budget).toBe(budget);
  });

  it.each([0, -1, Infinity, NaN, '5000', {}])('may not be %o', (budget) => {
    expect(violation(brokerageCaseInput, input(budget))).toMatch(
      /^must be a .*number.*; received /,
    );
  });
});

describe('a tier', () => {
  it.each(['gold', 'MANAGED', 'self-serve', '', null])('may not be %o', (tier) => {
    expect(violation(brokerageCaseInput, { tier, buyer_email: 'ada@buyer.example' })).toMatch(
      /^must be "managed" or "self_serve"; /,
    );
  });
});

describe('the length of a page', () => {
  it.each([1, 5, 1_000_000])('may be %d', (limit) => {
    expect(checkInput(pageRequest, { limit })).toEqual({ limit });
  });

  it.each([0, -1, 1.5, Number.NaN, Infinity, null, true])('may not be %o', (limit) => {
    expect(violation(pageRequest, { limit })).toBe(
      `must be a whole number from 1 up; received ${String(limit)}`,
    );
  });
});

describe('currencies and countries', () => {
  it('are sent in upper case', () => {
    const input = order({ currency: 'usd', buyer: { country: 'gB' } });
    expect(checkInput(orderInput, input)).toEqual(
      order({ currency: 'USD', buyer: { country: 'GB' } }),
    );
    expect(input).toEqual(order({ currency: 'usd', buyer: { country: 'gB' } }));
  });

  it.each(['US', 'USDT', 'U5D', ' USD', 'ＵＳＤ', '', '€€€', 840])(
    'do not take %o for a currency',
    (currency) => {
      expect(violation(orderInput, order({ currency }))).toMatch(
        /^must be three letters, such as "USD"; received .*$/,
      );
    },
  );

  it.each(['G', 'GBR', 'g1', '', null])('do not take %o for a country', (country) => {
    expect(violations(orderInput, order({ buyer: { country } }))).toEqual([
      ['buyer.country', expect.stringMatching(/^must be two letters, such as "GB"; received .*$/)],
    ]);
  });
});

describe('e-mail addresses', () => {
  it.each([
    'ada@buyer.example',
    "ada+tea.o'hara@mail.buyer.example",
    'ÄDA@bücher.example',
    'ada@例え。テスト',
    'ada@例え',
  ])('may be %s', (email) => {
    expect(checkInput(orderInput, order({ buyer: { email } })).buyer?.email).toBe(email);
  });

  it.each([
    ...[
      'ada',
      'ada@b@c.example',
      '@buyer.example',
      'ada@',
      'ada@buyer',
      'ada@.example',
      '',
      5,
      null,
    ],
    ...['ada@buyer..example', 'ada@buyer.example.', 'ada@buyer_1.example', 'ada@[127.0.0.1]'],
    ...['ada@buyer.example,bob', '<ada@buyer.example', 'mailto:ada@buyer.example'],
    ...['ada lovelace@buyer.example', 'ada@buyer.example\n', 'a\u0000da@buyer.example'],
  ])('may not be %j', (email) => {
    expect(violation(orderInput, order({ buyer: { email } }))).toBe('must be an e-mail address');
  });

  it('are not repeated in messages, which end in logs', () => {
    const buyer = { email: 'ada lovelace@buyer.example' };
    expect(invalidRequestOf(() => checkInput(orderInput, order({ buyer }))).message).not.toContain(
      'lovelace',
    );
  });
});

describe('URLs', () => {
  it.each([
    'https://partner.example/thanks?order={id}&x=a@b#top',
    'http://localhost:3000',
    'HTTPS://PARTNER.example',
    'https://bücher.example/straße',
    'http://[::1]:8080/hook',
  ])('may be %s, sent as given', (url) => {
    expect(checkInput(orderInput, order({ return_url: url })).return_url).toBe(url);
  });

  it('may have a letter that is not ASCII at the 20,000th check too, which Node 20 optimises', () => {
    const checked = order({ return_url: 'https://bücher.example/straße' });
    for (let count = 0; count < 20_000; count += 1) checkInput(orderInput, checked);
  });

  it.each([
    ...['partner.example/thanks', '/thanks', 'ftp://partner.example', 'javascript:alert(1)', ''],
    ...['https:partner.example', 'https:///thanks', 'https://partner.example:99999'],
    ...[
      ' https://partner.example',
      'https://partner.example\\x',
      new URL('https://partner.example'),
    ],
    ...['https://ada:tulip@partner.example', 'https://@partner.example'],
  ])('may not be %j', (url) => {
    const found = violations(orderInput, order({ return_url: url, cancel_url: url }));
    expect(found.map(([path]) => path)).toEqual(['return_url', 'cancel_url']);
    expect(found.join()).not.toMatch(/ada|tulip/);
  });

  it('have their user name and password left out of messages', () => {
    const url = 'htps://ada:tulip@partner.example';
    const { message } = invalidRequestOf(() => checkInput(orderInput, order({ return_url: url })));
    expect(message).toContain('received "…@partner.example"');
    expect(message).not.toMatch(/ada|tulip/);
  });
});

describe('dates', () => {
  it.each([
    '2026-01-31',
    '2024-02-29',
    '2026-01-31T23:59Z',
    '2026-01-31T23:59:59.123456Z',
    '2026-01-31T23:59:59+05:30',
  ])('may be %s, sent as given', (from) => {
    expect(checkInput(dateRange, { from })).toEqual({ from });
  });

  it('may be a Date, sent as ISO 8601 UTC', () => {
    const range = { from: new Date(0), to: new Date(86_400_000) };
    expect(checkInput(dateRange, range)).toEqual({
      from: '1970-01-01T00:00:00.000Z',
      to: '1970-01-02T00:00:00.000Z',
    });
    expect(range.from).toBeInstanceOf(Date);
  });

  it('may be Unix milliseconds', () => {
    const from = '2023-11-14T22:13:20.000Z';
    expect(checkInput(dateRange, { from: 1_700_000_000_000 })).toEqual({ from });
  });

  it.each([
    ...[
      '2026-02-30',
      '2025-02-29',
      '2026-13-01',
      '2026-01-31T12:60:00Z',
      '01/31/2026',
      '2026-1-31',
    ],
    ...['2026-01-31T12:00:00+99:00', '2026-01-31 12:00', '2026-01-31T12', '2026-01-31T12:00:00'],
    ...[' 2026-01-31', `2026-01-01T00:00:00.${'1'.repeat(10)}Z`, 'yesterday', '', null, {}, true],
    ...[1_700_000_000, 1.7e15, new Date(Number.NaN), new Date(1.7e15 / 1.01)],
  ])('may not be %o', (from) => {
    expect(violation(dateRange, { from })).toMatch(/^must be a Date, Unix milliseconds/);
  });

  it.each([
    ['2026-02-01', '2026-01-31'],
    ['2026-01-31T12:00:00Z', '2026-01-31T11:59:59Z'],
    ['2026-01-31T12:00:00+01:00', '2026-01-31T10:59:59Z'],
  ])('from %s to %s run backwards', (from, to) => {
    expect(violations(dateRange, { from, to })).toEqual([
      ['from', `must not be after "to"; "${from}" is after "${to}"`],
    ]);
  });

  it.each([
    ['2026-01-31', '2026-01-31'],
    ['2026-01-31T12:00:00Z', '2026-01-31'],
    ['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00Z'],
  ])('from %s to %s are a span', (from, to) => {
    expect(checkInput(dateRange, { from, to })).toEqual({ from, to });
  });

  it('come back from any Date as the same moment', () => {
    const years = {
      min: new Date('0000-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
    };
    fc.assert(
      fc.property(fc.date({ ...years, noInvalidDate: true }), (from) => {
        expect(new Date(checkInput(dateRange, { from }).from ?? '')).toEqual(from);
      }),
    );
  });
});

describe('idempotency keys', () => {
  it.each(['k', '0b7a4a1e-4c0e-4d0e-9f5e-0f2a3b4c5d6e', '!~', 'x'.repeat(255)])(
    'may be %s',
    (key) => {
      expect(checkInput(idempotencyKey, key)).toBe(key);
    },
  );

  it.each(['', 'x'.repeat(256), 'a b', 'a\n', 'é', '\u007f', 5, null])('may not be %o', (key) => {
    expect(violation(idempotencyKey, key)).toMatch(
      /^must be 1 to 255 visible ASCII characters; received .*$/,
    );
  });
});

describe('text', () => {
  it('is sent as given', () => {
    expect(checkInput(text, ' craft  beer 🍺 ')).toBe(' craft  beer 🍺 ');
  });

  it.each([
    ['', '""'],
    [' \t\u00a0', '" \\t\\u{a0}"'],
    [null, 'null'],
    [['a'], 'an array'],
  ])('is not %o', (q, shown) => {
    expect(pairs(invalidRequestOf(() => checkInput(text, q, 'q')).issues)).toEqual([
      ['q', `must be a string that is not blank; received ${shown}`],
    ]);
  });

  it('is required for a search, and cannot hold half of a character', () => {
    expect(violation(text, undefined)).toBe('is required and must be a string that is not blank');
    expect(violation(text, 'a\ud83d')).toBe(loneSurrogate);
  });

  it('is shortened where a message shows it, and made visible', () => {
    expect(violation(orderInput, order({ currency: 'x'.repeat(10_000) }))).toBe(
      `must be three letters, such as "USD"; received "${'x'.repeat(60)}…"`,
    );
    expect(violation(orderInput, order({ currency: '\u202eDSU\u2028' }))).toContain(
      '"\\u{202e}DSU\\u{2028}"',
    );
  });
});

describe('the secret of a webhook', () => {
  const url = 'https://partner.example/hook';

  it('is sent as given', () => {
    const hook = { url, secret: ' tulip ' };
    expect(checkInput(webhookInput, hook)).toEqual(hook);
  });

  it.each([
    [undefined, 'is required and must be a string that is not blank'],
    ['  ', 'must be a string that is not blank'],
    [['tulip'], 'must be a string that is not blank'],
    [8_443_221, 'must be a string that is not blank'],
    ['tulip\ud800', loneSurrogate],
  ])('is refused without repeating it: %o', (secret, message) => {
    const error = invalidRequestOf(() => checkInput(webhookInput, { url, secret }));
    expect(pairs(error.issues)).toEqual([['secret', message]]);
    expect(JSON.stringify(error)).not.toMatch(/tulip|8443221/);
  });
});
