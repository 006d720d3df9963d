/** What the doctor says about each error of a read. */

import { MarketClient } from 'market-partner-sdk';
import { describe, expect, it } from 'vitest';
import { isFinal, readFailure } from '../../src/command-line/doctor/failure.js';

/** The error of a read that a service answers so. */
async function errorOf(respond: () => Promise<Response>, timeoutMs = 20_000): Promise<unknown> {
  const market = new MarketClient({
    baseUrl: 'https://market.example',
    keyId: 'mk_sandbox_1',
    secret: 'msk_sandbox_1',
    maxRetries: 0,
    timeoutMs,
    fetch: respond,
  });
  return market.orders
    .list()
    .toArray()
    .then(
      () => undefined,
      (error: unknown) => error,
    );
}

const read = { scope: 'buy' };

const answer = (status: number, body: object, headers: Record<string, string> = {}) =>
  errorOf(async () => Response.json(body, { status, headers }));

describe('a read', () => {
  it.each<[string, () => Promise<unknown>, object]>([
    [
      'that is not answered in time is of the connection',
      () => errorOf(() => new Promise(() => undefined), 20),
      { kind: 'connection', detail: 'no complete response in time' },
    ],
    [
      'that is refused for a missing header is of the credential',
      () => answer(401, { code: 'missing_signature', message: 'X-Market-Signature is missing' }),
      { kind: 'credential', detail: '401 missing_signature: X-Market-Signature is missing' },
    ],
    [
      'that is refused for a nonce is of the credential, whatever its status',
      () => answer(409, { code: 'replay_detected', message: 'seen' }),
      { kind: 'credential', detail: '409 replay_detected: seen' },
    ],
    [
      'that a limit refuses without Retry-After waits a second',
      () => answer(429, { code: 'rate_limited', message: 'slower' }),
      { kind: 'connection', advice: 'Wait 1 s and run this again.' },
    ],
    [
      'that fails without a message is of the service',
      () => answer(500, { code: 'internal_error' }),
      { kind: 'service', detail: '500 internal_error' },
    ],
    [
      'that fails without a code is of the service',
      () => answer(500, {}),
      { kind: 'service', detail: '500' },
    ],
    [
      'that a page without a type answers is of the connection',
      () => errorOf(async () => new Response(new TextEncoder().encode('<html>'), { status: 502 })),
      { kind: 'connection', detail: expect.stringContaining('status 502 with no content-type') },
    ],
  ])('%s', async (_what, makeError, expected) => {
    expect(readFailure(await makeError(), read)).toMatchObject(expected);
  });

  it('that fails in the program itself is told as it is', () => {
    const failure = readFailure(new RangeError('out of range'), read);
    expect(failure).toEqual({ kind: 'connection', detail: 'out of range', advice: '' });
    expect(isFinal(failure)).toBe(true);
  });
});
