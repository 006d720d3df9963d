/** The `data` of an error's causes shows no secret, whatever holds it. */

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/client/endpoints.js';
import { connectionError } from '../../../src/client/errors/create-error.js';
import { failed } from './failed-calls.js';

const secret = 'kept "between" us & them';
const signature = 'ab'.repeat(32);
const call = failed(endpoints.orders.list, { secrets: [secret] });
const errorOf = (cause: unknown) => connectionError(call, { kind: 'connection_lost', cause });
const withData = (data: unknown) => Object.assign(new Error('broken'), { data });
const shown = (value: unknown) =>
  inspect(value, { depth: 20, customInspect: false, maxStringLength: null });

describe('the data of a cause', () => {
  const request = { headers: { 'x-secret': secret, 'x-market-signature': `v1=${signature}` } };
  const places: readonly [string, unknown][] = [
    ['text', withData(`GET / ${secret} ${signature}`)],
    ['bytes', withData(Buffer.from(`${secret} ${signature}`))],
    ['an object', withData(request)],
    ['a list', withData([[secret], signature])],
    ['a name of a member', withData({ [secret]: 1, [signature]: 2 })],
    ['a cause of the cause', new Error('outer', { cause: withData(request) })],
    ['one of several errors', new AggregateError([new Error('a'), withData(request)])],
    ['what is no error', { message: 'thrown', data: request }],
    ['a frozen error', Object.freeze(withData(request))],
    ['a cycle', withData(Object.assign({ ...request }, { self: undefined }))],
    ['a long text', withData('x'.repeat(490) + secret)],
    ['a long object', withData({ ...request, filler: 'x'.repeat(2_000) })],
  ];
  const [, cyclic] = places.find(([name]) => name === 'a cycle')!;
  const { data } = cyclic as { data: { self: unknown } };
  data.self = data;

  it.each(places)('as %s is redacted', (_where, cause) => {
    const error = errorOf(cause);
    expect(shown(error.cause)).not.toContain('between');
    expect(shown(error.cause)).not.toContain(signature);
    expect(error.cause).toHaveProperty('message');
  });

  it('keeps its shape while it is short, and has at most 500 characters', () => {
    expect(errorOf(withData({ a: [1, 'b'] })).cause).toHaveProperty('data', { a: [1, 'b'] });
    expect(errorOf(withData('x'.repeat(501))).cause).toHaveProperty('data', 'x'.repeat(500));
    expect(errorOf(withData({ a: 'x'.repeat(600) })).cause).toHaveProperty('data.length', 500);
    expect(errorOf(withData(7)).cause).toHaveProperty('data', 7);
  });

  it('that throws when it is read leaves the message of its cause', () => {
    const cause = new Error(`broken by ${secret}`);
    Object.defineProperty(cause, 'data', {
      get: () => {
        throw new Error(secret);
      },
    });
    expect(errorOf(cause).cause).toMatchObject({ message: 'broken by [redacted]' });
  });
});
