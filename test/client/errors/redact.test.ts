/** How a response may write a secret or a signature, and what an excerpt of a body costs. */

import { HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import {
  excerptOfJson,
  redact,
  redactHeaders,
  redactJson,
} from '../../../src/core/errors/redact.js';
import { rejectionOf } from '../../support/errors.js';
import { mockMarket, okBody } from '../../support/mock-market.js';
import { recordingLogger } from '../../support/recording-logger.js';

const secret = 'k+/=& "é\'<\u{1f511}>\\';
const secrets = [secret];
const signature = 'ab'.repeat(32);

const bytes = Buffer.from(secret, 'utf8');
const everyByte = bytes.toString('hex').replace(/../g, '%$&');

const writings: [string, string][] = [
  ['plain', secret],
  ['in JSON', JSON.stringify(secret).slice(1, -1)],
  ['in a URL', encodeURIComponent(secret)],
  ['in a URL, lower case', encodeURIComponent(secret).toLowerCase()],
  ['in a form', encodeURIComponent(secret).replaceAll('%20', '+')],
  ['in a URL, each byte', everyByte],
  ['in a URL, as encodeURI leaves it', encodeURI(secret)],
];

describe('a secret', () => {
  it.each(writings)('is redacted in text, values, names and headers: %s', (_how, written) => {
    expect(redact(`a ${written} b`, secrets)).toMatch(/^a \[redacted\]=* b$/);
    expect(JSON.stringify(redactJson({ [written]: [written] }, secrets))).toMatch(
      /^{"\[redacted\]=*":\["\[redacted\]=*"\]}$/,
    );
    const [header] = Object.entries(redactHeaders({ [`x-${written}`]: written }, secrets));
    expect(header?.join(' ')).toMatch(/^x-\[redacted\]=* \[redacted\]=*$/);
  });

  it('does not hide text that is only like it', () => {
    expect(redact(`k+/=& "é'<>\\`, secrets)).toBe(`k+/=& "é'<>\\`);
    expect(redact('ord_1001', ['ord_1001_and_more'])).toBe('ord_1001');
  });
});

describe('a signature', () => {
  it.each([signature, `v1=${signature}`, `v1%3D${signature}`, `x${signature.toUpperCase()}y`])(
    'is redacted: %s',
    (text) => {
      expect(redact(text).toLowerCase()).not.toContain(signature.slice(0, 60));
    },
  );
});

describe('a success that repeats the signature', () => {
  it('in its request id shows it neither in the log nor on the response', async () => {
    const { lines, logger } = recordingLogger();
    const echo = HttpResponse.json(okBody, { headers: { 'x-request-id': `v1=${signature}` } });
    const { market } = mockMarket([echo], { logger });
    const { response } = await market.orders.get('ord_1001').withResponse();
    expect(response.requestId).toBe('v1=[redacted]');
    expect(JSON.stringify(lines)).not.toContain(signature);
  });

  it('in its content type shows it in no error', async () => {
    const headers = { 'content-type': `text/plain; s=${signature}` };
    const { market } = mockMarket([new HttpResponse('<html>', { headers })]);
    const error = await rejectionOf(market.orders.get('ord_1001', { maxRetries: 0 }));
    expect(error).toMatchObject({
      response: { headers: { 'content-type': 'text/plain; s=[redacted]' } },
    });
  });
});

describe('the excerpt of a body', () => {
  it('of a long text and of a short record is its beginning, and the record', () => {
    expect(excerptOfJson('x'.repeat(5_000_000), secrets)).toHaveLength(2_000);
    expect(excerptOfJson({ a: 1 }, secrets)).toEqual({ a: 1 });
    expect(excerptOfJson(undefined, secrets)).toBeUndefined();
  });
});
