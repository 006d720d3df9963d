import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError, type ClientOptions, type RequestSigner } from 'market-partner-sdk';
import { rejectionOf } from '../../../support/errors.js';
import {
  credential,
  errorResponse,
  mockMarket,
  okResponse,
  type Step,
} from '../../../support/mock-market.js';
import { isSigned } from '../../../support/signature-check.js';

const { keyId, secret } = credential;
const hmac = (text: string) => createHmac('sha256', secret).update(text).digest('hex');

function marketWith(sign: unknown, steps: readonly Step[] = [okResponse], options = {}) {
  const signer = { keyId, sign } as RequestSigner;
  const given: ClientOptions = { keyId: undefined, secret: undefined, signer, ...options };
  return mockMarket(steps, given);
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a signer', () => {
  it.each([
    ['a promise', (text: string) => Promise.resolve(hmac(text))],
    ['a string', hmac],
  ])('signs each attempt, and returns %s', async (_name, sign) => {
    const { market, sent } = marketWith(sign, [errorResponse(500), okResponse]);
    await market.orders.get('ord_1');
    expect(sent).toHaveLength(2);
    expect(sent.every((request) => isSigned(request, credential))).toBe(true);
    expect(market.environment).toBe('sandbox');
    expect(market.toJSON()).toMatchObject({ keyId });
  });

  it('keeps its own this', async () => {
    class Kms {
      readonly keyId = keyId;
      readonly #key = secret;
      sign(text: string) {
        return createHmac('sha256', this.#key).update(text).digest('hex');
      }
    }
    const { market, sent } = marketWith(undefined, [okResponse], { signer: new Kms() });
    await market.orders.get('ord_1');
    expect(isSigned(sent[0]!, credential)).toBe(true);
  });

  const wrong: readonly [string, unknown, string][] = [
    ['upper-case hex', 'AB'.repeat(32), 'returned a string'],
    ['base64', 'c2lnbmF0dXJl', 'returned a string'],
    ['a prefix', `v1=${'ab'.repeat(32)}`, 'returned a string'],
    ['bytes', Buffer.from('signature'), 'returned an object'],
    ['nothing', undefined, 'returned undefined'],
  ];

  it.each(wrong)('that returns %s: nothing is sent', async (_name, returned, shape) => {
    const { market, sent } = marketWith(() => Promise.resolve(returned));
    const error = await rejectionOf(market.orders.refund({ public_id: 'ord_1' }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ option: 'signer', method: 'POST', outcome: 'not_sent' });
    expect(error.message).toContain('must return 64 lower-case hex characters');
    expect(error.message).toContain(shape);
    if (typeof returned === 'string') expect(JSON.stringify(error)).not.toContain(returned);
    expect(sent).toHaveLength(0);
  });

  const deny = () => {
    throw new Error('the KMS denies it');
  };
  it.each([
    ['rejects', async () => deny()],
    ['throws', deny],
  ])('that %s: nothing is sent, and no timer is left', async (_name, sign) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { market, sent } = marketWith(sign);
    const error = await rejectionOf(market.orders.get('ord_1'));
    expect(error).toMatchObject({ option: 'signer', outcome: 'not_sent' });
    expect(error.message).toContain('the KMS denies it');
    expect(sent).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that hangs ends with the timeout of the attempt, which is retried', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let resolveFirst: (hex: string) => void = () => undefined;
    const sign = vi
      .fn<(text: string) => string | Promise<string>>(hmac)
      .mockImplementationOnce(() => new Promise<string>((resolve) => (resolveFirst = resolve)));
    const { market, sent } = marketWith(sign);
    const call = market.orders.refund({ public_id: 'ord_1' });
    call.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(30_000);
    vi.useRealTimers();
    await call;
    resolveFirst('ab'.repeat(32));
    expect(sign).toHaveBeenCalledTimes(2);
    expect(sent).toHaveLength(1);
  });

  it("that hangs ends with the caller's signal", async () => {
    const { market, sent } = marketWith(() => new Promise(() => undefined));
    const controller = new AbortController();
    const call = rejectionOf(market.orders.get('ord_1', { signal: controller.signal }));
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await call).toMatchObject({ name: 'AbortedError', outcome: 'not_sent' });
    expect(sent).toHaveLength(0);
  });

  it('whose signature is refused is not asked again', async () => {
    const sign = vi.fn(hmac);
    const { market } = marketWith(sign, [errorResponse(401, 'invalid_signature')]);
    expect(await rejectionOf(market.orders.get('ord_1'))).toMatchObject({ attempts: 1 });
    expect(sign).toHaveBeenCalledTimes(1);
  });
});
