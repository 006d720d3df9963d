import * as crypto from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const present = Object.getOwnPropertyDescriptor(process, 'getBuiltinModule');

describe('a runtime without node:crypto', () => {
  beforeEach(() => {
    vi.resetModules();
    Object.assign(process, { getBuiltinModule: undefined });
  });

  afterEach(() => {
    Object.defineProperty(process, 'getBuiltinModule', present ?? {});
    vi.resetModules();
  });

  it('a runtime that cannot load node:crypto is reported, not taken for a wrong signature', async () => {
    const { explainWebhookMismatch, isValidSignature, signWebhook, verifyWebhook } =
      await import('../../src/webhooks/index.js');
    const signature = 'a'.repeat(64);
    for (const use of [
      () => isValidSignature('{}', signature, 'whsec_public'),
      () => verifyWebhook('{}', signature, 'whsec_public'),
      () => signWebhook('{}', 'whsec_public'),
      () => explainWebhookMismatch('{}', signature, 'whsec_public'),
    ]) {
      expect(use).toThrow(/process\.getBuiltinModule, which Node 20\.18\.1/);
    }
  });

  it('a worker without process gets the same explanation', async () => {
    const { verifyWebhook } = await import('../../src/webhooks/index.js');
    let thrown: unknown;
    vi.stubGlobal('process', undefined);
    try {
      verifyWebhook('{}', 'a'.repeat(64), 'whsec_public');
    } catch (error) {
      thrown = error;
    } finally {
      vi.unstubAllGlobals();
    }
    expect(String(thrown)).toMatch(/needs node:crypto by process\.getBuiltinModule/);
    expect(String(thrown)).toContain('compatibility flag nodejs_compat');
  });

  const broken = () => {
    throw new Error('digital envelope routines::unsupported');
  };
  it.each<[string, () => unknown, RegExp]>([
    ['is absent', () => undefined, /needs node:crypto by process\.getBuiltinModule/],
    ['is a Node without OpenSSL', broken, /does not work.*2024-09-23/s],
    ['refuses HMAC', () => ({ ...crypto, createHmac: broken }), /does not work/],
    ['has no timingSafeEqual', () => ({ createHmac: crypto.createHmac }), /does not work/],
  ])('a handler is not made where it %s', async (_what, getBuiltinModule, message) => {
    Object.assign(process, { getBuiltinModule });
    const { createWebhookHandler } = await import('../../src/webhooks/index.js');
    expect(() => createWebhookHandler({ secret: 'whsec_public' })).toThrow(message);
    expect(() => createWebhookHandler({ secret: () => 'whsec_public' })).toThrow(message);
  });

  it('a handler is not made with a secret that a FIPS module refuses', async () => {
    const createHmac = (name: string, key: string) => {
      if (key.length < 14) throw new Error('invalid key length');
      return crypto.createHmac(name, key);
    };
    Object.assign(process, { getBuiltinModule: () => ({ ...crypto, createHmac }) });
    const { createWebhookHandler } = await import('../../src/webhooks/index.js');
    expect(() => createWebhookHandler({ secret: 'short' })).toThrow(/invalid key length/);
    expect(() => createWebhookHandler({ secret: 'whsec_long_enough' })).not.toThrow();
  });
});
