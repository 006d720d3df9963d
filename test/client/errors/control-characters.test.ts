/** No message forges a log line, moves a cursor or turns the reading direction. */

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { MarketClient, MarketError } from 'market-partner-sdk';
import { endpoints } from '../../../src/client/endpoints.js';
import { connectionError, unexpectedError } from '../../../src/client/errors/create-error.js';
import { rejectionOf, thrownBy } from '../../support/errors.js';
import { failed, refused } from './failed-calls.js';

const hostile = 'a\r\nERROR paid\x1b[2J\0\x7f\x85\u202e\u2066\u200b\u2028\ufeff\ud800z';
const escaped =
  'a\\u{d}\\u{a}ERROR paid\\u{1b}[2J\\u{0}\\u{7f}\\u{85}\\u{202e}\\u{2066}\\u{200b}\\u{2028}\\u{feff}\\u{d800}z';
const unsafe = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

const call = failed(endpoints.orders.list);

describe('control characters', () => {
  it('of an answer are not in the message', () => {
    const { message } = refused(422, { code: `x_${hostile}`, message: hostile });
    expect(message).not.toMatch(unsafe);
    expect(message).not.toContain('\n');
  });

  it('of a network error are escaped, also where its causes are printed', () => {
    const cause = new Error('outer', {
      cause: Object.assign(new Error(hostile), { code: 'X\x1b' }),
    });
    const error = connectionError(call, { kind: 'connection_lost', cause });
    // Of several lines the first is told.
    expect(error.message).toContain('a\\u{d}');
    expect(JSON.stringify(error)).toContain('\\\\u{202e}');
    for (const text of [error.message, error.stack ?? '', inspect(error)]) {
      expect(text).not.toMatch(unsafe);
    }
  });

  it('of what was wrong with a response are escaped', () => {
    const info = { status: 302, headers: {}, requestId: undefined, body: undefined };
    const error = unexpectedError(call, info, `JSON that has no "${hostile}"`);
    expect(error.message).toContain(escaped);
  });

  it.each([
    ['a field', { domain: 'brew.example', expected_price: 1, [hostile]: () => 1 }],
    ['a currency', { domain: 'brew.example', expected_price: 1, currency: hostile }],
  ])('of %s of the input are escaped', async (_what, input) => {
    const market = new MarketClient({
      baseUrl: 'https://market.example',
      keyId: 'mk_sandbox_1',
      secret: 'a secret of this test',
    });
    const { message } = (await rejectionOf(market.orders.create(input))) as Error;
    expect(message).toContain('ERROR paid');
    expect(message).toMatch(/\\u(\{1b\}|001b)/);
    expect(message).not.toMatch(unsafe);
    expect(message).not.toContain('\n');
  });

  it('of an option of the client are escaped', () => {
    const { message } = thrownBy(() => new MarketClient({ [hostile]: 1 } as never), MarketError);
    expect(message).not.toMatch(unsafe);
    expect(message).not.toContain('\n');
  });

  it('leave other languages and emoji as they are', () => {
    expect(new MarketError('価格が違います 👍 naïve').message).toBe('価格が違います 👍 naïve');
  });
});
