import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { canonicalQuery, canonicalString, signRequest } from 'market-partner-sdk';

interface SignatureVector {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body_base64: string;
  readonly secret: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly canonical_string: string;
  readonly signature: string;
}

interface QueryVectors {
  readonly pairs: readonly { name: string; pairs: [string, string][]; canonical: string }[];
  readonly raw: readonly { raw: string; canonical: string }[];
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../vectors/${name}`, import.meta.url), 'utf8'));
const queries = read('canonical-query.json') as QueryVectors;
const signatures = read('signature.json') as SignatureVector[];

describe('the canonical query of the vectors', () => {
  it.each(queries.pairs)('pairs: $name', ({ pairs, canonical }) => {
    expect(canonicalQuery(pairs)).toBe(canonical);
    expect(canonicalQuery(new Map(pairs.map((pair, index) => [index, pair])).values())).toBe(
      canonical,
    );
    expect(canonicalQuery(new URLSearchParams(pairs))).toBe(canonical);
  });

  it.each(queries.pairs)('pairs as an object of arrays: $name', ({ pairs, canonical }) => {
    const lists: Record<string, string[]> = {};
    for (const [key, value] of pairs) (lists[key] ??= []).push(value);
    expect(canonicalQuery(lists)).toBe(canonical);
  });

  it.each(queries.raw)('raw: $raw', ({ raw, canonical }) => {
    expect(canonicalQuery(raw)).toBe(canonical);
    expect(canonicalQuery(`?${raw}`)).toBe(canonical);
  });
});

describe.each(signatures)('the signature of the vectors: $name', (vector) => {
  const { method, path, query, secret, timestamp, nonce, canonical_string, signature } = vector;
  const body = Buffer.from(vector.body_base64, 'base64');
  const request = { method, path, query, timestamp, nonce, body };
  const credential = { keyId: 'mk_sandbox_1', secret };

  it('has its canonical string', () => {
    expect(canonicalString(request)).toBe(canonical_string);
    expect(canonicalString({ ...request, timestamp: Number(timestamp) })).toBe(canonical_string);
  });

  it('is made from path and query', () => {
    const signed = signRequest({ ...request, ...credential });
    const [upperMethod, , canonical] = canonical_string.split('\n');
    expect(signed).toEqual({
      method: upperMethod,
      path,
      query: canonical,
      target: canonical === '' ? path : `${path}?${canonical ?? ''}`,
      headers: {
        'X-Market-Key-Id': 'mk_sandbox_1',
        'X-Market-Timestamp': timestamp,
        'X-Market-Nonce': nonce,
        'X-Market-Signature': signature,
      },
    });
  });

  it('is made from a URL, as a string or an object, and the URL to request carries the canonical query', () => {
    const url = `https://market.example${path}${query === '' ? '' : `?${query}`}`;
    const rest = { method, timestamp, nonce, body, ...credential };
    for (const form of [url, new URL(url)]) {
      const signed = signRequest({ ...rest, url: form });
      expect(signed.headers['X-Market-Signature']).toBe(signature);
      expect(signed.url).toBe(`https://market.example${signed.target}`);
      // What a URL parser would send is what was signed.
      expect(new URL(signed.url!).href).toBe(signed.url);
    }
  });
});
