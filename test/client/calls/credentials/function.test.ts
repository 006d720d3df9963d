import { runInNewContext } from 'node:vm';
import { HttpResponse } from 'msw';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AuthenticationError, ConfigurationError } from 'market-partner-sdk';
import type { ClientOptions, Credentials } from 'market-partner-sdk';
import { rejectionOf } from '../../../support/errors.js';
import { errorResponse, mockMarket, okResponse, type Step } from '../../../support/mock-market.js';
import { isSigned } from '../../../support/signature-check.js';
import { harmfulCalls } from '../../../support/calls.js';

const first = { keyId: 'mk_sandbox_first', secret: 'the-first-secret-of-these-tests' };
const second = { keyId: 'mk_sandbox_second', secret: 'the-second-secret-of-these-tests' };
const refused = errorResponse(401, 'invalid_signature');
const limited = errorResponse(429, 'rate_limited', { 'retry-after': '60' });
const quiet = { validateResponses: 'off' } as const;
const order = { domain: 'brew.example', expected_price: 250_000 };

/** A client whose function returns these in turn, the last one for ever. */
function rotating(
  service: readonly Step[] | ((request: Request) => unknown),
  given: readonly unknown[],
  options: ClientOptions = {},
) {
  const remaining = [...given];
  const credentials = vi.fn(async (): Promise<Credentials> => {
    const next = remaining.length > 1 ? remaining.shift() : remaining[0];
    if (next instanceof Error) throw next;
    return Promise.resolve(next as Credentials);
  });
  const pair = { keyId: undefined, secret: undefined };
  return { ...mockMarket(service, { ...pair, credentials, ...options }), credentials };
}

/** Accepts the second key alone, as a service does after a rotation. */
const onlySecond = (request: Request) =>
  request.headers.get('x-market-key-id') === second.keyId ? okResponse() : refused();

beforeEach(() => {
  vi.stubEnv('MARKET_KEY_ID', 'mk_live_of_the_environment');
  vi.stubEnv('MARKET_SECRET', 'secret-of-the-environment');
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

describe('a credential that a function returns', () => {
  it('is asked for once by 50 calls at once, and kept', async () => {
    const { market, sent, credentials } = rotating([okResponse], [first]);
    await Promise.all(Array.from({ length: 50 }, () => market.orders.get('ord_1')));
    await market.orders.get('ord_1');
    expect(credentials).toHaveBeenCalledTimes(1);
    expect(sent).toHaveLength(51);
    expect(sent.every((request) => isSigned(request, first))).toBe(true);
  });

  it('may be returned without a promise', async () => {
    const { market, sent } = rotating([okResponse], [], { credentials: () => first });
    await market.orders.get('ord_1');
    expect(isSigned(sent[0]!, first)).toBe(true);
  });

  it.each([
    ['a Date', (ms: number) => new Date(ms)],
    ['a Date of another realm', (ms: number) => runInNewContext(`new Date(${ms})`) as Date],
    ['milliseconds', (ms: number) => ms],
    ['ISO 8601', (ms: number) => new Date(ms).toISOString()],
    [
      'ISO 8601 of another zone',
      (ms: number) => new Date(ms + 7_200_000).toISOString().slice(0, -1) + '+02:00',
    ],
  ])('is asked for again after expiresAt: %s', async (_name, expiry) => {
    const start = Date.UTC(2026, 10, 21, 8);
    const expiring = { ...first, expiresAt: expiry(start + 60_000) };
    const { market, time, sent, credentials } = rotating([okResponse], [expiring, second]);
    await market.orders.get('ord_1');
    time.nowMs += 59_999;
    await market.orders.get('ord_1');
    expect(credentials).toHaveBeenCalledTimes(1);
    time.nowMs += 1;
    await market.orders.get('ord_1');
    expect(credentials).toHaveBeenCalledTimes(2);
    expect(isSigned(sent[1]!, first) && isSigned(sent[2]!, second)).toBe(true);
  });

  it.each([
    ['15 minutes fast', 15],
    ['15 minutes slow', -15],
  ])('is compared with the corrected clock of a machine that is %s', async (_name, minutes) => {
    const machine = () => mock.time.nowMs + minutes * 60_000;
    const service = (request: Request) => {
      const offMs = Number(request.headers.get('x-market-timestamp')) * 1000 - mock.time.nowMs;
      if (Math.abs(offMs) < 300_000) return okResponse();
      const date = new Date(mock.time.nowMs).toUTCString();
      return errorResponse(401, 'invalid_timestamp', { date })();
    };
    // A vault whose clock is right.
    const credentials = vi.fn(() => ({ ...first, expiresAt: mock.time.nowMs + 600_000 }));
    const mock = rotating(service, [], { credentials, clock: () => machine() });
    await mock.market.orders.get('ord_1');
    const asked = credentials.mock.calls.length;
    mock.time.nowMs += 590_000;
    for (let call = 0; call < 5; call += 1) await mock.market.orders.get('ord_1');
    await mock.market.withOptions({ maxRetries: 1 }).orders.get('ord_1');
    expect(credentials.mock.calls.length - asked).toBeLessThanOrEqual(1);
    mock.time.nowMs += 601_000;
    await mock.market.orders.get('ord_1');
    expect(credentials.mock.calls.length - asked).toBe(1);
  });

  it('is not known to the client before a call, and its environment never is', async () => {
    const { market } = rotating([okResponse], [first]);
    expect(JSON.parse(JSON.stringify(market))).toEqual({ baseUrl: 'https://market.example' });
    await market.orders.get('ord_1');
    expect(market.environment).toBeUndefined();
    expect(market.toJSON().keyId).toBe(first.keyId);
    expect(JSON.stringify(market)).not.toContain(first.secret);
  });
});

describe('a refused signature', () => {
  it('is answered by asking again, and repeating the call once', async () => {
    const { market, sent, credentials } = rotating(onlySecond, [first, second], quiet);
    const { response } = await market.orders.get('ord_1').withResponse();
    expect(response.attempts).toBe(2);
    expect(credentials).toHaveBeenCalledTimes(2);
    expect(isSigned(sent[1]!, second)).toBe(true);
    await market.orders.get('ord_1');
    expect(sent).toHaveLength(3);
  });

  it.each(Object.keys(harmfulCalls))('is repeated for %s too: nothing was done', async (name) => {
    const { market, sent } = rotating([refused, okResponse], [first, second]);
    await harmfulCalls[name]!(market);
    expect(sent).toHaveLength(2);
  });

  it('of 50 calls asks once more', async () => {
    const { market, sent, credentials } = rotating(onlySecond, [first, second], quiet);
    await Promise.all(Array.from({ length: 50 }, () => market.orders.get('ord_1')));
    expect(credentials).toHaveBeenCalledTimes(2);
    expect(sent).toHaveLength(100);
  });

  it('by another code is one too, but not a missing header', async () => {
    const revoked = rotating([errorResponse(401, 'key_revoked'), okResponse], [first, second]);
    await revoked.market.orders.get('ord_1');
    expect(revoked.sent).toHaveLength(2);
    const dropped = rotating([errorResponse(401, 'missing_credentials')], [first, second]);
    await rejectionOf(dropped.market.orders.get('ord_1'));
    expect(dropped.credentials).toHaveBeenCalledTimes(1);
  });

  it('of both credentials is the error, and the function is asked no third time', async () => {
    const third = { ...second, keyId: 'mk_sandbox_third' };
    const { market, sent, credentials } = rotating([refused], [first, second, third]);
    const error = await rejectionOf(market.orders.refund({ public_id: 'ord_1' }));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ code: 'invalid_signature', attempts: 2, outcome: 'rejected' });
    expect(sent).toHaveLength(2);
    expect(credentials).toHaveBeenCalledTimes(2);
  });

  it('is not repeated with the same credential', async () => {
    const { market, sent, credentials } = rotating([refused], [first, { ...first }]);
    const error = await rejectionOf(market.orders.get('ord_1'));
    expect(error).toMatchObject({ code: 'invalid_signature', attempts: 1 });
    expect(sent).toHaveLength(1);
    expect(credentials).toHaveBeenCalledTimes(2);
  });

  it('is not repeated without retries; the next call has the new credential', async () => {
    const { market, sent } = rotating(onlySecond, [first, second], { maxRetries: 0, ...quiet });
    expect(await rejectionOf(market.orders.get('ord_1'))).toMatchObject({ attempts: 1 });
    await market.orders.get('ord_1');
    expect(isSigned(sent[1]!, second)).toBe(true);
  });

  it('does not make an earlier attempt forgotten whose outcome is unknown', async () => {
    const { market } = rotating(['reset', refused], [first, second]);
    const error = await rejectionOf(market.orders.create(order));
    expect(error).toMatchObject({ code: 'invalid_signature', attempts: 3, outcome: 'unknown' });
    const failing = rotating(['reset', refused], [first, new Error('vault is sealed')]);
    expect(await rejectionOf(failing.market.orders.create(order))).toMatchObject({
      code: 'invalid_signature',
      cause: { option: 'credentials' },
      outcome: 'unknown',
    });
  });
});

describe('a function that fails', () => {
  const secret = first.secret;
  const noDate = '"expiresAt" must be';
  const expiring = (expiresAt: unknown) => ({ ...first, expiresAt });
  const cases: readonly [string, unknown, string][] = [
    ['rejects', new Error('vault is sealed'), 'vault is sealed'],
    ['returns nothing', undefined, 'it must return { keyId, secret }'],
    ['returns a string', secret, 'it must return { keyId, secret }'],
    ['returns no key id', { secret }, '"keyId" is required and must be'],
    ['returns a key id with a line break', { secret, keyId: 'mk\n' }, '"keyId" has leading or'],
    ['returns no secret', { keyId: 'mk_sandbox_1' }, '"secret" is required and must be'],
    ['returns an empty secret', { keyId: 'mk_sandbox_1', secret: '' }, '"secret" must be'],
    ['returns a secret of a file', { ...first, secret: `${secret}\n` }, '"secret" has leading or'],
    ['returns a secret in quotes', { ...first, secret: `"${secret}"` }, '"secret" has quotation'],
    ['returns no date', expiring('soon'), noDate],
    ['returns seconds', expiring(1_790_000_000), noDate],
    ['returns microseconds', expiring(1.79e15), noDate],
    ['returns no date as text', expiring(''), noDate],
    ['returns no zone', expiring('2026-11-24T08:00:00'), noDate],
    ['returns a day', expiring('2026-11-24'), noDate],
    ['returns an invalid date', expiring(new Date(NaN)), noDate],
  ];

  it.each(cases)('%s: nothing is sent, and the next call asks again', async (_name, bad, rule) => {
    const { market, sent, credentials } = rotating([okResponse], [bad, first]);
    const error = await rejectionOf(market.orders.refund({ public_id: 'ord_1' }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ option: 'credentials', attempts: 0, outcome: 'not_sent' });
    expect(error).toMatchObject({ method: 'POST', path: '/api/partner/v1/refunds' });
    expect(error.message).toContain('"credentials" failed');
    expect(error.message).toContain(rule);
    expect(JSON.stringify(error) + String(error.cause)).not.toContain(secret);
    expect(sent).toHaveLength(0);
    await market.orders.get('ord_1');
    expect(credentials).toHaveBeenCalledTimes(2);
  });

  it('may throw at once', async () => {
    const credentials = () => {
      throw new TypeError('no vault');
    };
    const { market } = rotating([okResponse], [], { credentials });
    expect((await rejectionOf(market.orders.get('ord_1'))).message).toContain('no vault');
  });
});

describe('a function that hangs', () => {
  const hanging = () => new Promise<never>(() => undefined);

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });

  it('ends with the deadline of the call, and leaves no timer behind', async () => {
    const { market, sent } = rotating([okResponse], [], { credentials: hanging });
    const call = rejectionOf(market.orders.get('ord_1', { deadlineMs: 5_000 }));
    await vi.advanceTimersByTimeAsync(5_000);
    const timeout = { name: 'TimeoutError', which: 'deadline', outcome: 'not_sent' };
    expect(await call).toMatchObject(timeout);
    expect(sent).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends with the caller's signal", async () => {
    const { market, sent } = rotating([okResponse], [], { credentials: hanging });
    const controller = new AbortController();
    const call = rejectionOf(market.orders.get('ord_1', { signal: controller.signal }));
    await vi.advanceTimersByTimeAsync(10);
    controller.abort();
    expect(await call).toMatchObject({ name: 'AbortedError', outcome: 'not_sent' });
    expect(sent).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is not asked for a call that is aborted already', async () => {
    const { market, credentials } = rotating([okResponse], [first]);
    const call = rejectionOf(market.orders.get('ord_1', { signal: AbortSignal.abort() }));
    expect(await call).toMatchObject({ name: 'AbortedError', outcome: 'not_sent' });
    expect(credentials).not.toHaveBeenCalled();
  });

  it('is asked again after the timeout of an attempt', async () => {
    const credentials = vi.fn().mockImplementationOnce(hanging).mockReturnValue(first);
    const { market, time } = rotating([okResponse], [], { credentials });
    const call = rejectionOf(market.orders.get('ord_1', { deadlineMs: 100 }));
    await vi.advanceTimersByTimeAsync(100);
    await call;
    time.nowMs += 30_000;
    await market.orders.get('ord_1');
    expect(credentials).toHaveBeenCalledTimes(2);
  });

  it('and ends after a later one does not bring its older credential back', async () => {
    let end!: (credential: Credentials) => void;
    const hung = new Promise<Credentials>((resolve) => (end = resolve));
    const credentials = vi.fn().mockReturnValueOnce(hung).mockReturnValue(second);
    const { market, time, sent } = rotating([okResponse], [], { credentials });
    const waiting = market.orders.get('ord_1');
    await vi.advanceTimersByTimeAsync(0);
    time.nowMs += 30_000;
    await market.orders.get('ord_1');
    end(first);
    await waiting;
    await market.orders.get('ord_1');
    expect(sent.map((request) => isSigned(request, second))).toEqual([true, true, true]);
  });
});

describe('the rules for a credential', () => {
  const live = { keyId: 'mk_live_1', secret: 'a-live-secret-of-these-tests' };

  it('forbidLive refuses a live one, also where another client loaded it', async () => {
    const { market, sent } = rotating([okResponse], [live]);
    await market.orders.get('ord_1');
    const error = await rejectionOf(market.withOptions({ forbidLive: true }).orders.get('ord_1'));
    expect(error).toMatchObject({ option: 'credentials', outcome: 'not_sent' });
    expect(error.message).toContain('"forbidLive" allows only sandbox and test keys');
    expect(sent).toHaveLength(1);
  });

  it('one of another environment is refused: the call would be made there', async () => {
    const { market, sent } = rotating([refused], [first, live]);
    const error = await rejectionOf(market.orders.get('ord_1'));
    expect(error.message).toContain('must stay in one environment');
    expect(sent).toHaveLength(1);
  });

  it('no webhook may have its secret', async () => {
    const { market, sent } = rotating([okResponse], [first]);
    const hook = { url: 'https://shop.example/hooks', secret: `x${first.secret}` };
    const error = await rejectionOf(market.events.registerWebhook(hook));
    expect(error).toMatchObject({ name: 'InvalidRequestError', method: 'PUT' });
    expect(error.message).toContain("credential's secret");
    expect(sent).toHaveLength(0);
    await market.events.registerWebhook({ ...hook, secret: 'whsec_of_these_tests' });
    expect(sent).toHaveLength(1);
  });

  it('no error shows a secret that was used', async () => {
    const body = { code: 'invalid_signature', message: `${first.secret} and ${second.secret}` };
    const { market } = rotating([() => HttpResponse.json(body, { status: 401 })], [first, second]);
    const error = await rejectionOf(market.orders.get('ord_1'));
    expect(error.attempts).toBe(2);
    expect(JSON.stringify(error)).toContain('[redacted] and [redacted]');
    expect(JSON.stringify(error)).not.toMatch(/secret-of-these-tests/);
  });

  it('a rate limit is of its key: another key is not held', async () => {
    const expiring = { ...first, expiresAt: Date.UTC(2026, 10, 21, 8) + 1_000 };
    const { market, time } = rotating([limited, okResponse], [expiring, second]);
    await rejectionOf(market.orders.get('ord_1', { maxRetries: 0 }));
    expect(market.rateLimitedUntil).toBeDefined();
    time.nowMs += 1_000;
    await market.orders.get('ord_1');
    expect(time.slept).toEqual([]);
    expect(market.rateLimitedUntil).toBeUndefined();
  });

  it('a call that waits for the limit of the old key goes on once another call loads a new key', async () => {
    const expiring = { ...first, expiresAt: Date.UTC(2026, 10, 21, 8) + 1_000 };
    const sleep = (_ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    const steps = [limited, okResponse];
    const { market, time, sent } = rotating(steps, [expiring, second], { sleep });
    await rejectionOf(market.orders.get('ord_1', { maxRetries: 0 }));
    const waiting = market.orders.get('ord_1');
    for (let turn = 0; turn < 20; turn += 1) await new Promise((next) => setImmediate(next));
    expect(sent).toHaveLength(1);
    time.nowMs += 1_000;
    await market.orders.get('ord_2');
    await waiting;
    expect(sent.slice(1).every((request) => isSigned(request, second))).toBe(true);
  });

  it('a hold that outlasts it ends with the next one', async () => {
    const expiring = { ...first, expiresAt: Date.UTC(2026, 10, 21, 8) + 30_000 };
    const { market, time, sent } = rotating([limited, okResponse], [expiring, second]);
    await market.orders.get('ord_1');
    expect(time.slept[0]).toBe(60_000);
    expect(isSigned(sent[1]!, second)).toBe(true);
  });
});

describe('withOptions', () => {
  it('shares the loaded credential', async () => {
    const { market, credentials } = rotating([okResponse], [first]);
    await market.orders.get('ord_1');
    await market.withOptions({ maxRetries: 0 }).orders.get('ord_1');
    expect(credentials).toHaveBeenCalledTimes(1);
  });

  it('replaces the way in which the credential is given', async () => {
    const { market, sent, credentials } = rotating([okResponse], [first]);
    const fixed = market.withOptions(second);
    expect(fixed.environment).toBe('sandbox');
    await fixed.orders.get('ord_1');
    await fixed.withOptions({ credentials: () => first }).orders.get('ord_1');
    expect(isSigned(sent[0]!, second) && isSigned(sent[1]!, first)).toBe(true);
    expect(credentials).not.toHaveBeenCalled();
  });
});

describe('a function that fails after the service refused its credential', () => {
  const revoked = errorResponse(401, 'invalid_signature', { 'x-request-id': 'req_7' });

  it('leaves the refusal as the error of the call, and says why it was not repeated', async () => {
    const { market, sent } = rotating([revoked], [first, new Error('the vault is down')]);
    const idempotencyKey = 'payment-1001';
    const error = await rejectionOf(market.orders.create(order, { idempotencyKey }));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({
      ...{ response: { status: 401 }, code: 'invalid_signature', requestId: 'req_7' },
      ...{ attempts: 1, outcome: 'rejected', idempotencyKey },
      cause: { name: 'ConfigurationError', option: 'credentials' },
    });
    expect(error.message).toContain('"credentials" failed: the vault is down');
    expect(error.message).not.toContain('was not signed');
    expect(sent).toHaveLength(1);
  });

  it('does not put the secret into the message', async () => {
    const { market } = rotating([revoked], [first, new Error(`bad answer: ${first.secret}`)]);
    const error = await rejectionOf(market.orders.get('ord_1'));
    expect(error.message).not.toContain(first.secret);
  });
});
