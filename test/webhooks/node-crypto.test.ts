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
      expect(use).toThrow(/needs process\.getBuiltinModule, which Node 20\.18\.1/);
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
    expect(String(thrown)).toMatch(/needs process\.getBuiltinModule/);
    expect(String(thrown)).toContain('compatibility flag nodejs_compat');
  });
});
