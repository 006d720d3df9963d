import { expect, it, vi } from 'vitest';
import { QueueNames, type QueueEnvironment } from '../../src/durable/queue/queue-names.js';
import { ManualTime } from './support/manual-time.js';

function namesOf(resolveEnvironment: () => Promise<'sandbox'>, environment: QueueEnvironment) {
  const time = new ManualTime();
  const market = { environment: undefined, resolveEnvironment };
  return { time, names: new QueueNames({ market, name: 'shop', environment, time: time.options }) };
}

const sandbox = () => vi.fn(() => Promise.resolve('sandbox' as const));

it('a queue has the environment that was passed, and no credential is asked for it', () => {
  const ask = sandbox();
  expect(namesOf(ask, 'live').names.of('orders')).toBe('market-shop-live-orders');
  expect(ask).not.toHaveBeenCalled();
});

it('the environment is compared with the credential once, and "any" never', async () => {
  const ask = sandbox();
  const { names } = namesOf(ask, 'sandbox');
  await names.check();
  await names.check();
  expect(ask).toHaveBeenCalledTimes(1);
  const unused = sandbox();
  await namesOf(unused, 'any').names.check();
  expect(unused).not.toHaveBeenCalled();
});

it('the environment is compared later if there is no credential yet', async () => {
  const ask = sandbox().mockRejectedValueOnce(new Error('the vault is sealed'));
  const { names } = namesOf(ask, 'live');
  await names.check();
  await expect(names.check()).rejects.toThrow(
    '"environment" is "live", and the credential of "market" is of sandbox.',
  );
  await expect(names.check()).rejects.toThrow('"environment" is "live"');
});

it('a credential is waited for at most 30 seconds', async () => {
  const { time, names } = namesOf(() => new Promise(() => undefined), 'live');
  const checked = names.check();
  await time.advance(29_999);
  expect(time.sleeping).toBe(1);
  await time.advance(1);
  await checked;
  expect(time.sleeping).toBe(0);
});
