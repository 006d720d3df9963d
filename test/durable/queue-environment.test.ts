import { describe, expect, it, vi } from 'vitest';
import { QueueNames, type QueueEnvironment } from '../../src/durable/queue/queue-names.js';
import { ManualTime } from './support/manual-time.js';

function namesOf(resolveEnvironment?: () => Promise<'sandbox'>, environment?: QueueEnvironment) {
  const time = new ManualTime();
  const market = { environment: undefined, ...(resolveEnvironment && { resolveEnvironment }) };
  return { time, names: new QueueNames({ market, name: 'shop', environment, time: time.options }) };
}

const sandbox = () => vi.fn(() => Promise.resolve('sandbox' as const));

describe('the environment in the name of a queue', () => {
  it('is known to a synchronous call once the first credential has come', async () => {
    const orders = namesOf(sandbox()).names.of('orders');
    expect(() => orders.resolveNow()).toThrow(
      expect.objectContaining({
        name: 'DurableStateError',
        message:
          'The name of the queue is unknown until "credentials" has returned a credential: await start() first, or set the option "environment".',
      }),
    );
    expect(await orders.resolve()).toBe('market-shop-sandbox-orders');
    expect(orders.resolveNow()).toBe('market-shop-sandbox-orders');
  });

  it('is "any" for a client that cannot tell it', async () => {
    const { names } = namesOf();
    expect(names.of('events').resolveNow()).toBe('market-shop-any-events');
    expect(await names.environment()).toBe('any');
  });

  it('is waited for at most 30 seconds', async () => {
    const { time, names } = namesOf(() => new Promise(() => undefined));
    const failed = names.environment().catch((error: unknown) => error);
    await time.advance(29_999);
    expect(time.sleeping).toBe(1);
    await time.advance(1);
    expect(await failed).toMatchObject({
      name: 'DurableStateError',
      message: expect.stringContaining('"credentials" returned nothing within 30000 ms') as string,
    });
  });

  it('fails with the error of "credentials", and leaves no timer', async () => {
    const sealed = new Error('the vault is sealed');
    const { time, names } = namesOf(() => Promise.reject(sealed));
    await expect(names.environment()).rejects.toBe(sealed);
    expect(time.sleeping).toBe(0);
  });

  it('is compared with an option once, and never without one', async () => {
    const ask = sandbox();
    const { names } = namesOf(ask, 'sandbox');
    await names.check();
    await names.check();
    expect(ask).toHaveBeenCalledTimes(1);
    const unused = sandbox();
    await namesOf(unused).names.check();
    expect(unused).not.toHaveBeenCalled();
  });

  it('is compared with an option later if there is no credential yet', async () => {
    const ask = sandbox().mockRejectedValueOnce(new Error('the vault is sealed'));
    const { names } = namesOf(ask, 'live');
    await names.check();
    await expect(names.check()).rejects.toThrow(
      '"environment" is "live", and the credential of "market" is of sandbox.',
    );
    await expect(names.check()).rejects.toThrow('"environment" is "live"');
  });
});
