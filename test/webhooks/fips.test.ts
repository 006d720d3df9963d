import { createHmac, randomUUID } from 'node:crypto';
import { expect, it, onTestFinished, vi } from 'vitest';
import type * as NodeCrypto from '../../src/webhooks/node-crypto.js';

it('in FIPS mode a handler computes signatures by createHmac, of the FIPS module', async () => {
  const made = vi.fn(createHmac);
  vi.resetModules();
  vi.doMock('../../src/webhooks/node-crypto.js', async (original) => {
    const { nodeCrypto } = await original<typeof NodeCrypto>();
    return { nodeCrypto: () => ({ ...nodeCrypto(), getFips: () => 1, createHmac: made }) };
  });
  onTestFinished(() => {
    vi.doUnmock('../../src/webhooks/node-crypto.js');
    vi.resetModules();
  });
  const { SigningKey } = await import('../../src/webhooks/hmac.js');
  const [secret, body] = [randomUUID(), Buffer.from('{}')];
  const expected = createHmac('sha256', secret).update(body).digest('hex');
  expect(new SigningKey(secret).sign(body)).toBe(expected);
  expect(made).toHaveBeenCalledOnce();
});
