/** What an answer echoes or says at length does not reach the error as it is. */

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/client/endpoints.js';
import { unexpectedError } from '../../../src/client/errors/create-error.js';
import { failed, refused } from './failed-calls.js';

const signature = `v1=${'ab'.repeat(32)}`;
const call = failed(endpoints.orders.list);
const answer = { status: 200, headers: {}, requestId: undefined };

describe('an answer that echoes a signature', () => {
  it('shows none in the error, neither of its headers nor of its body', () => {
    const errors = [
      refused(500, {}, { headers: { 'x-echo': signature } }),
      unexpectedError(call, { ...answer, body: { echo: signature } }, 'JSON that holds no list'),
    ];
    for (const error of errors) {
      expect(JSON.stringify(error) + inspect(error)).not.toContain(signature);
      expect(JSON.stringify(error)).toContain('v1=[redacted]');
    }
  });
});

describe('a success that is not as documented', () => {
  it('is on the error whole while it is short, and with its beginning when it is long', () => {
    const short = unexpectedError(call, { ...answer, body: { a: 1 } }, 'JSON that holds no list');
    expect(short.body).toEqual({ a: 1 });
    const body = { filler: 'x'.repeat(1_000_000) };
    const long = unexpectedError(call, { ...answer, body }, 'JSON that holds no list');
    expect(long.body).toHaveLength(2000);
  });
});

describe('a conflict', () => {
  it('never speaks of an order that was not placed, nor advises a new key', () => {
    for (const outcome of ['rejected', 'unknown'] as const) {
      const call = failed(endpoints.orders.create, { outcome });
      const { message } = refused(409, { code: 'conflict' }, { call });
      expect(message).toContain('the first input may have placed an order');
      expect(message).toContain('Do not use a new key.');
      expect(message).not.toContain('placed no order');
      expect(message).toContain('to orders.resume');
      expect(message).not.toContain('orders.list');
    }
  });

  it('does not speak of a key where none was sent', () => {
    const { message } = refused(
      409,
      { code: 'conflict' },
      { call: failed(endpoints.orders.refund) },
    );
    expect(message).not.toContain('Idempotency-Key');
  });
});
