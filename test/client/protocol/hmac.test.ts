import { createHmac, randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { hmacSha256, hmacSha256Once } from '../../../src/client/protocol/hmac.js';

const byNode = (secret: string, message: string) =>
  createHmac('sha256', secret).update(message).digest('hex');

/** RFC 4231, those test cases whose key and message are text. */
const published = [
  {
    secret: 'Jefe',
    message: 'what do ya want for nothing?',
    hmac: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  },
  {
    secret: '\u000b'.repeat(20),
    message: 'Hi There',
    hmac: 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  },
];

const onceWith =
  (once: typeof hmacSha256Once): typeof hmacSha256 =>
  (secret) =>
  (message) =>
    once(secret, message);

/** How it is made: with the one-shot hash of newer runtimes, and without. */
async function hmacs(): Promise<(readonly [string, typeof hmacSha256])[]> {
  vi.resetModules();
  vi.doMock('node:crypto', async (original) => {
    const crypto: { default: object } = await original();
    return { ...crypto, default: { ...crypto.default, hash: undefined } };
  });
  try {
    const without = await import('../../../src/client/protocol/hmac.js');
    return [
      ['with a one-shot hash', hmacSha256],
      ['without one', without.hmacSha256],
      ['of one message', onceWith(hmacSha256Once)],
      ['of one message, without a one-shot hash', onceWith(without.hmacSha256Once)],
    ];
  } finally {
    vi.doUnmock('node:crypto');
    vi.resetModules();
  }
}

describe.each(await hmacs())('HMAC-SHA256 %s', (_how, hmac) => {
  it.each(published)('is the published one: $message', ({ secret, message, hmac: expected }) => {
    expect(hmac(secret)(message)).toBe(expected);
  });

  it.each([0, 1, 63, 64, 65, 200])('takes a key of %i bytes', (length) => {
    const secret = 'k'.repeat(length);
    expect(hmac(secret)('message')).toBe(byNode(secret, 'message'));
  });

  it.each([0, 1, 55, 56, 64, 4_096, 100_000])('takes %i characters', (length) => {
    for (const character of ['a', 'é', '漢', '\ud83d']) {
      const message = character.repeat(length);
      expect(hmac('secret')(message)).toBe(byNode('secret', message));
    }
  });

  it('is that of Node for any key and any messages after one another', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 });
    fc.assert(
      fc.property(text, fc.array(text, { minLength: 1, maxLength: 5 }), (secret, messages) => {
        const sign = hmac(secret);
        for (const message of messages) expect(sign(message)).toBe(byNode(secret, message));
      }),
    );
  });

  it('does not mix up its keys', () => {
    const [one, other] = [hmac('one'), hmac('other')];
    expect([one('m'), other('m'), one('m')]).toEqual([
      byNode('one', 'm'),
      byNode('other', 'm'),
      byNode('one', 'm'),
    ]);
  });

  it('keeps its key out of the memory that small buffers share', () => {
    // Not a literal: the text of this file may have passed through that memory.
    const secret = randomUUID();
    const sign = hmac(secret);
    const shared = Buffer.from(Buffer.from('small').buffer);
    const kept = Buffer.from(shared);
    try {
      for (const pad of [0, 0x36, 0x5c]) {
        const key = new TextEncoder().encode(secret).map((byte) => byte ^ pad);
        expect(shared.includes(Buffer.from(key.buffer))).toBe(false);
      }
      shared.fill(0);
      expect(sign('message')).toBe(byNode(secret, 'message'));
    } finally {
      shared.set(kept);
    }
  });

  it('shows nothing of its key', () => {
    const sign = hmac('msk_sandbox_tulip');
    expect(inspect(sign, { depth: 9, showHidden: true })).not.toContain('tulip');
    expect(JSON.stringify({ sign })).toBe('{}');
  });
});

describe('in FIPS mode', () => {
  it('each HMAC is made by createHmac, of the FIPS module', async () => {
    const made = vi.fn(createHmac);
    vi.resetModules();
    vi.doMock('node:crypto', async (original) => {
      const crypto: { default: object } = await original();
      return { ...crypto, default: { ...crypto.default, getFips: () => 1, createHmac: made } };
    });
    try {
      const fips = await import('../../../src/client/protocol/hmac.js');
      expect(fips.hmacSha256('secret')('message')).toBe(byNode('secret', 'message'));
      expect(fips.hmacSha256Once('secret', 'message')).toBe(byNode('secret', 'message'));
      expect(made).toHaveBeenCalledTimes(2);
    } finally {
      vi.doUnmock('node:crypto');
      vi.resetModules();
    }
  });
});
