import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalString,
  explainSignature,
  signRequest,
  type CanonicalStringInput,
} from 'market-partner-sdk';

const parts: CanonicalStringInput = {
  method: 'post',
  path: '/api/partner/v1/orders',
  query: 'b=2&a=x+y',
  timestamp: 1_795_226_400,
  nonce: '7a0c2f6e-3d39-4b2b-8d0e-4b1a6b4c5d6e',
  body: '{"domain":"café.example"}',
};

describe('explainSignature', () => {
  it('prints the six lines, what they stand for, and what to look at', () => {
    expect(explainSignature(parts)).toBe(
      [
        'The six lines that are signed, joined by \\n (spaces shown as ·, invisible characters escaped):',
        '  1 METHOD          "POST"',
        '  2 PATH            "/api/partner/v1/orders"',
        '  3 QUERY_STRING    "a=x%20y&b=2"',
        '  4 TIMESTAMP       "1795226400"  (2026-11-21T02:00:00.000Z)',
        '  5 NONCE           "7a0c2f6e-3d39-4b2b-8d0e-4b1a6b4c5d6e"',
        '  6 BODY_SHA256_HEX "cde99737761dd455e144c5de4969d9db46a7ee5c7b4b47390b959e4769ed8b42"  (26 bytes)',
        'SHA-256 of the six lines: f6fbc48efcb72fde85ad32cdfd49d1b32f071fef1b403506a22265e52c24d0f6',
        'Compare each line with what the other side computed. If all six are equal, the secret differs.',
        'Look at:',
        '  - line 1: The method must be in upper case.',
        '  - line 3: The query must be canonical (decoded, sorted, encoded strictly). Send this line in place of the query.',
      ].join('\n'),
    );
  });

  it('has no warnings about a request that is signed as it is sent', () => {
    const { timestamp, nonce, path } = parts;
    const text = explainSignature({ method: 'GET', path, timestamp, nonce, query: { a: '1' } });
    expect(text).not.toContain('Look at:');
    expect(text).toContain('(no body)');
  });

  it('distinguishes an empty query line from a missing one', () => {
    expect(explainSignature({ ...parts, query: undefined })).toContain(
      '3 QUERY_STRING    ""  (an empty line: no query)',
    );
  });

  it('marks spaces and invisible characters', () => {
    const text = explainSignature({
      ...parts,
      path: '/api/partner/ a\u200b\u00a0\t',
      nonce: 'a\r\nb\u0430',
    });
    expect(text).toContain('"/api/partner/·a\\u{200b}\\u{a0}\\t"');
    expect(text).toContain('"a\\r\\nb\\u{430}"');
  });

  it('counts one byte as one', () => {
    expect(explainSignature({ ...parts, body: 'x' })).toContain('(1 byte)');
    expect(explainSignature({ ...parts, body: new Uint8Array(3) })).toContain('(3 bytes)');
  });

  // The sentence is what a person looks at.
  // prettier-ignore
  const warnings: [string, Partial<CanonicalStringInput>, string][] = [
    ['a body on GET', { method: 'GET' }, 'line 6: On GET and HEAD it is the SHA-256 of the empty byte string, whatever the body.'],
    ['a path below the version', { path: '/orders' }, 'line 2 has no /api/partner/. It must be the full path on the wire, prefix included.'],
    ['a space as plus', { query: 'a=x+y&b=2' }, 'line 3: A space is %20, not +. Send this line in place of the query.'],
    ['a path with dot segments', { path: '/api/partner/v1/a/../orders' }, 'path has parts that URL parsers rewrite. Look at what is really on the wire'],
    ['a query in the path', { path: '/api/partner/v1/orders?a=1' }, 'path must not hold "?" or "#"'],
    ['no leading slash', { path: 'api/partner/v1' }, 'path must be the full path on the wire'],
    ['milliseconds', { timestamp: 1_795_226_400_000 }, 'timestamp is in milliseconds'],
    ['no nonce', { nonce: '' }, 'nonce must be visible ASCII characters'],
    ['a body that is no text', { body: {} as never }, 'body must be the very string or bytes'],
    ['half of a pair in the query', { query: { 'a b': '\ud83d' } }, 'query parameter "a·b" contains a lone'],
    ['something else as a query', { query: 7 as never }, 'query must be a string, pairs,'],
  ];
  it.each(warnings)('warns of %s', (_title, changes, warning) => {
    expect(explainSignature({ ...parts, ...changes })).toContain(`\n  - ${warning}`);
  });

  it('says that a timestamp is not Unix seconds', () => {
    for (const timestamp of ['now', 1_795_226_400_000, -5]) {
      expect(explainSignature({ ...parts, timestamp })).toContain('(not Unix seconds)');
    }
  });

  it('names a part once, though both its type and its content are wrong', () => {
    const text = explainSignature({ ...parts, nonce: undefined as never });
    expect(text.match(/- nonce /g)).toHaveLength(1);
  });

  it('reads a query that can be read only once', () => {
    function* pairs(): Generator<[string, string]> {
      yield ['a', '1'];
    }
    expect(explainSignature({ ...parts, query: pairs() })).toContain('"a=1"');
  });

  it('hashes the same six lines that are signed', () => {
    const hash = createHash('sha256').update(canonicalString(parts)).digest('hex');
    expect(explainSignature(parts)).toContain(`SHA-256 of the six lines: ${hash}`);
  });

  it('shows no secret and no signature, even when it gets the whole input of signRequest', () => {
    const input = { ...parts, keyId: 'mk_sandbox_1', secret: 'msk_sandbox_tulip' };
    const text = explainSignature(input);
    expect(text).not.toContain(input.secret);
    expect(text).not.toContain(signRequest(input).headers['X-Market-Signature'].slice(3));
  });

  it('never throws, and prints only what can be seen', () => {
    const junk = fc.anything({ withBigInt: true, withDate: true, withTypedArray: true });
    const part = fc.oneof(junk, fc.string({ unit: 'binary' }), fc.constant(undefined));
    const names = ['method', 'path', 'query', 'timestamp', 'nonce', 'body'];
    const anyParts = fc.record(Object.fromEntries(names.map((name) => [name, part])));
    fc.assert(
      fc.property(fc.oneof(anyParts, junk), (input) => {
        const text = explainSignature(input as CanonicalStringInput);
        expect(text.split('\n').length).toBeGreaterThanOrEqual(9);
        expect(text.replaceAll('·', '')).toMatch(/^[\x20-\x7e\n]+$/);
      }),
      { numRuns: 500 },
    );
  });
});
