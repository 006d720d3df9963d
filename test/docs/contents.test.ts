import { createHash, createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as sdk from 'market-partner-sdk';
import { WebhookVerificationError } from 'market-partner-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { pageAt, pages, root } from './pages.js';

// Pages for maintainers are not in the package; CONTRIBUTING.md leads to them.
const guides = pages
  .map(({ path }) => path)
  .filter((path) =>
    /^docs\/(?!README|architecture|conformance|emulator-choices|performance)/.test(path),
  );

function targetsOf(path: string): string[] {
  return pageAt(path).links.map(({ target }) => target);
}

describe('the pages as a whole', () => {
  it('are found from the page of contents, each of them', () => {
    const targets = targetsOf('docs/README.md').map((target) => `docs/${target}`);
    expect(guides.filter((path) => !targets.includes(path))).toEqual([]);
  });

  it('are found by a coding assistant from llms.txt, each of them', () => {
    expect(guides.filter((path) => !targetsOf('llms.txt').includes(path))).toEqual([]);
  });

  it('begin with one heading', () => {
    for (const { path, text } of pages) expect(text, path).toMatch(/^# \S/);
  });

  it('begin with what they do, and not with whom they are for', () => {
    const lines = guides.map((path) => pageAt(path).text.split('\n')[2] ?? '');
    expect(lines.filter((line) => /^For |^$/.test(line))).toEqual([]);
  });

  it('have at most 18,000 words, told once', () => {
    const words = guides.map((path) => pageAt(path).text.split(/\s+/).length);
    expect(words.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(18_000);
  });

  it('name no address but reserved ones', () => {
    const addresses = pages.flatMap(({ text }) => text.match(/[\w.-]+@[\w-]+\.[\w.-]+/g) ?? []);
    expect(addresses.filter((address) => !/\.(example|test)$/.test(address))).toEqual([]);
  });
});

describe('the README', () => {
  it('has at most 110 lines', () => {
    expect(pageAt('README.md').text.trimEnd().split('\n').length).toBeLessThanOrEqual(110);
  });

  it('wears no badge', () => {
    expect(pageAt('README.md').text).not.toMatch(/!\[|shields\.io/);
  });
});

describe('the page of errors', () => {
  const { text } = pageAt('docs/errors.md');
  const isError = (value: unknown) =>
    typeof value === 'function' && value.prototype instanceof Error;
  const classes = Object.entries(sdk).flatMap(([name, value]) => (isError(value) ? [name] : []));

  it('names every error class of the package', () => {
    const missing = [...classes, WebhookVerificationError.name].filter(
      (name) => !text.includes(`\`${name}\``),
    );
    expect(classes.length).toBeGreaterThan(15);
    expect(missing).toEqual([]);
  });

  it.each([
    ...['validation_error', 'invalid_signature', 'missing_credentials', 'forbidden', 'not_found'],
    ...['conflict', 'price_mismatch', 'quote_expired', 'rate_limited', 'internal_error'],
    ...['invalid_timestamp', 'replay_detected', 'missing_signature_headers'],
    'missing_idempotency_key',
  ])('explains the code %s of the specification once', (code) => {
    const lines = text.split('\n').filter((line) => /^- `\w+` \(/.test(line));
    expect(lines.filter((line) => line.split(': ')[0]?.includes(`\`${code}\` (`))).toHaveLength(1);
  });
});

describe('the page of operations', () => {
  it('explains lines that the inbox and the outbox log, in their words', () => {
    const { text } = pageAt('docs/operations.md');
    const lines = [...text.matchAll(/^- `([A-Z"][^`]+ [^`]+)`/gm)].map(([, line = '']) => line);
    const folder = join(root, 'src/durable');
    const source = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
    const unknown = lines.filter((line) => !line.split('…').every((part) => source.includes(part)));
    expect(lines.length).toBeGreaterThan(14);
    expect(unknown).toEqual([]);
  });
});

describe('the worked examples of signing', () => {
  type Example = Readonly<Record<string, string>>;
  const { fences } = pageAt('docs/security.md');
  const examples = fences
    .filter(({ language }) => language === 'json')
    .map(({ code }) => JSON.parse(code) as Example);

  it('are there, one with a body and one with a query', () => {
    expect(examples.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });

  it.each(examples)('$method has the values that the algorithm gives, step by step', (example) => {
    const { method, path, timestamp, nonce, body = '', secret = '' } = example;
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    const canonicalQuery = canonical(example.query ?? '');
    const bodySha256 = sha256(body);
    const lines = [method, path, canonicalQuery, timestamp, nonce, bodySha256].join('\n');
    expect(example).toMatchObject({
      canonical_query: canonicalQuery,
      body_sha256: bodySha256,
      canonical_string: lines,
      canonical_string_sha256: sha256(lines),
      signature: `v1=${createHmac('sha256', secret).update(lines).digest('hex')}`,
    });
  });

  it.each(examples)('$method has the values that this package gives', (example) => {
    const { method = '', path = '', query, timestamp = '', nonce = '', body, secret } = example;
    const parts = { method, path, query, timestamp, nonce, body };
    expect(sdk.canonicalString(parts)).toBe(example.canonical_string);
    const signed = sdk.signRequest({ ...parts, keyId: 'mk_sandbox_1', secret: secret ?? '' });
    expect(signed.headers['X-Market-Signature']).toBe(example.signature);
  });

  /** Written from the page's own four steps, and not with the package. */
  function canonical(query: string): string {
    const encode = (text: string) =>
      encodeURIComponent(text).replace(
        /[!'()*]/g,
        (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
      );
    const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
    return query
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => pair.split('=').map(decode))
      .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
      .map(([key = '', value = '']) => `${encode(key)}=${encode(value)}`)
      .join('&');
  }
});
