import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hmacSha256Hex, secretKey } from '../../../src/client/protocol/digest.js';

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

describe.each(published)('the HMAC of $message', ({ secret, message, hmac }) => {
  it('is the published one, by a secret and by its key', () => {
    expect(hmacSha256Hex(secret, message)).toBe(hmac);
    expect(hmacSha256Hex(secretKey(secret), message)).toBe(hmac);
  });
});

describe('the key of a secret', () => {
  it('signs as the secret does, with other characters than ASCII and with half of one', () => {
    for (const secret of ['pässwört', '漢字', '\ud83d', 'k'.repeat(200)]) {
      expect(hmacSha256Hex(secretKey(secret), 'm')).toBe(hmacSha256Hex(secret, 'm'));
    }
  });

  it('shows nothing of the secret', () => {
    const key = secretKey('msk_sandbox_tulip');
    expect(inspect(key, { depth: 9, showHidden: true })).not.toContain('tulip');
    expect(JSON.stringify({ key })).toBe('{"key":{}}');
  });
});
