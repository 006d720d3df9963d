import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from 'market-partner-sdk';
import { endpoints } from '../../../src/client/endpoints.js';
import { checkedPath } from '../../../src/client/engine/check-arguments.js';
import { checkRawPath } from '../../../src/client/protocol/path.js';
import { thrownBy } from '../../support/errors.js';

const pathOf = (publicId: unknown) => checkedPath(endpoints.orders.get, publicId);

/** The result, or `undefined` where the function throws an InvalidRequestError. */
function accepted(run: () => string): string | undefined {
  try {
    return run();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidRequestError);
    return undefined;
  }
}

/** Texts in which the characters that matter to paths are frequent. */
const tricky = fc.string({
  unit: fc.oneof(
    fc.constantFrom('.', '/', '\\', '%', '2', 'e', 'E', 'F', '?', '#', ' ', ':', ';', '@', '\0'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom('\ud83d', '\ufeff', '\u2028', '\uff0e', '\u200b', '\n', '\t', '*', "'"),
  ),
  maxLength: 8,
});

describe('an identifier in a path', () => {
  it('stays in its one segment under any URL parser, or is refused by name', () => {
    let kept = 0;
    fc.assert(
      fc.property(tricky, (id) => {
        const path = accepted(() => pathOf(id));
        if (path === undefined) return;
        kept += 1;
        const url = new URL(path, 'https://market.example');
        expect(url.href).toBe(`https://market.example${path}`);
        const segments = url.pathname.split('/');
        expect(segments).toHaveLength(6);
        expect(decodeURIComponent(segments[5]!)).toBe(id);
        expect(path).toMatch(/^[A-Za-z0-9/_.~%-]+$/);
      }),
      { numRuns: 1_000 },
    );
    expect(kept).toBeGreaterThan(100);
  });

  it.each([
    ['ord_9f2', 'ord_9f2'],
    ['...', '...'],
    ['a.b~c-d', 'a.b~c-d'],
    ['x'.repeat(256), 'x'.repeat(256)],
    ['a:b@c;d=e,f+g&h', 'a%3Ab%40c%3Bd%3De%2Cf%2Bg%26h'],
    ["(*')!", '%28%2A%27%29%21'],
    ['münchen', 'm%C3%BCnchen'],
    ['\u{1f680}', '%F0%9F%9A%80'],
  ])('%s is sent as %s', (id, segment) => {
    expect(pathOf(id)).toBe(`/api/partner/v1/orders/${segment}`);
  });

  it.each([
    ...[
      '',
      '.',
      '..',
      'a/b',
      'a\\b',
      'a?b',
      'a#b',
      '%2e%2e',
      'a b',
      'a\nb',
      'a\0b',
      '\ufeff',
      'a\n',
    ],
    ...['\u0085', '\u00a0', '\u007f', 'a\ud83d', 'x'.repeat(257), undefined, 5],
  ])('%j is refused by the argument’s name', (id) => {
    const error = thrownBy(() => pathOf(id), InvalidRequestError);
    expect(error.issues.map(({ path }) => path)).toEqual(['publicId']);
  });
});

describe('a path as the caller wrote it', () => {
  it('is unchanged by any URL parser, or refused by name', () => {
    let kept = 0;
    const path = fc.oneof(
      tricky.map((rest) => `/${rest}`),
      tricky,
      fc.webPath().map((rest) => rest || '/'),
    );
    fc.assert(
      fc.property(path, (text) => {
        const checked = accepted(() => checkRawPath(text));
        if (checked === undefined) return;
        kept += 1;
        expect(checked).toBe(text);
        const url = new URL(checked, 'https://market.example');
        expect(url.href).toBe(`https://market.example${text}`);
      }),
      { numRuns: 1_000 },
    );
    expect(kept).toBeGreaterThan(100);
  });

  it.each(['/', '/api/partner/v1/orders', '/a/', '/a%2Fb', '/a;b=c,d@e:f', '/...', '/%C3%A9'])(
    '%s is accepted',
    (path) => {
      expect(checkRawPath(path)).toBe(path);
    },
  );

  it.each([
    ['', 'must start with "/"'],
    ['orders', 'must start with "/"'],
    ['https://evil.example/', 'must start with "/"'],
    ['//evil.example/orders', 'empty segment'],
    ['/a//b', 'empty segment'],
    ['/orders?status=SETTLED', 'pass the query as "query"'],
    ['/orders#x', 'pass the query as "query"'],
    ['/a/../b', 'dot segments'],
    ['/a/./b', 'dot segments'],
    ['/a/..', 'dot segments'],
    ['/a/%2E%2E/b', 'dot segments'],
    ['/a/.%2E', 'dot segments'],
    ['/a/%2e%2e', 'upper-case hex'],
    ['/a%', 'upper-case hex'],
    ['/a%2', 'upper-case hex'],
    ['/a%zz', 'upper-case hex'],
    ['/a\\b', 'percent-encoded'],
    ['/a b', 'percent-encoded'],
    ['/a\nb', 'percent-encoded'],
    ['/é', 'percent-encoded'],
    ['/a"b', 'characters that URLs escape'],
    ['/{name}', 'characters that URLs escape'],
  ])('%j is refused: %s', (path, reason) => {
    expect(thrownBy(() => checkRawPath(path))).toMatchObject({
      name: 'InvalidRequestError',
      issues: [{ path: 'path', message: expect.stringContaining(reason) }],
    });
  });
});
