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
    ['a cause of the cause', new Error('outer', { cause: withData(request) })],
    ['one of several errors', new AggregateError([new Error('a'), withData(request)])],
    ['what is no error', { message: 'thrown', data: request }],
    ['a frozen error', Object.freeze(withData(request))],
    ['a long text', withData('x'.repeat(490) + secret)],
  ];
  it.each(places)('as %s is redacted', (_where, cause) => {
    const error = errorOf(cause);
    expect(shown(error.cause)).not.toContain('between');
    expect(shown(error.cause)).not.toContain(signature);
    expect(error.cause).toHaveProperty('message');
  });

  it('has at most 500 characters', () => {
    expect(errorOf(withData('x'.repeat(501))).cause).toHaveProperty('data', 'x'.repeat(500));
  });
});
