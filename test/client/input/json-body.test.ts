import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serializeBody } from '../../../src/client/input/index.js';
import { pairs, invalidRequestOf } from './violations.js';

const violationsOf = (value: unknown) => pairs(invalidRequestOf(() => serializeBody(value)).issues);

describe('the text of a body', () => {
  it('has the keys of every object in order, at every depth', () => {
    expect(serializeBody({ b: 1, a: { d: [{ z: 1, y: 2 }], c: 'x' }, B: true, ä: null })).toBe(
      '{"B":true,"a":{"c":"x","d":[{"y":2,"z":1}]},"b":1,"ä":null}',
    );
  });

  it('orders keys by code unit, whatever the language of the machine', () => {
    const keys = ['a', 'Z', 'ä', 'z', '10', '9', '\u{1f600}', '\uffee', ''];
    const body = serializeBody(Object.fromEntries(keys.map((key) => [key, 0])));
    const order = [...body.matchAll(/"([^"]*)":/g)].map(([, key]) => key);
    expect(order).toEqual(['', '10', '9', 'Z', 'a', 'z', 'ä', '\u{1f600}', '\uffee']);
  });

  it('leaves out members that are undefined', () => {
    expect(serializeBody({ a: undefined, b: { c: undefined } })).toBe('{"b":{}}');
  });

  it('writes a Date as ISO 8601 and honours toJSON', () => {
    const amount = { toJSON: (key: string) => ({ key, cents: 5 }) };
    expect(serializeBody({ at: new Date(0), amount, list: [amount] })).toBe(
      '{"amount":{"cents":5,"key":"amount"},"at":"1970-01-01T00:00:00.000Z","list":[{"cents":5,"key":"0"}]}',
    );
  });

  it('leaves out a member whose toJSON gives nothing', () => {
    expect(serializeBody({ a: { toJSON: () => undefined }, b: 1 })).toBe('{"b":1}');
  });

  it('takes the same object twice where it is no cycle', () => {
    const shared = { a: 1 };
    expect(serializeBody({ x: shared, y: [shared, shared] })).toBe(
      '{"x":{"a":1},"y":[{"a":1},{"a":1}]}',
    );
  });

  it('takes objects without a prototype', () => {
    expect(serializeBody(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
  });

  it('carries an own key "__proto__" as data and touches no prototype', () => {
    const body = JSON.parse('{"b":1,"__proto__":{"polluted":true}}');
    expect(serializeBody(body)).toBe('{"__proto__":{"polluted":true},"b":1}');
    expect({}).not.toHaveProperty('polluted');
  });

  it('takes any JSON value at the root', () => {
    const texts = ['text', 5, -0, true, null, []].map((value) => serializeBody(value));
    expect(texts).toEqual(['"text"', '5', '0', 'true', 'null', '[]']);
  });
});

it('writes the fields of an instance of a class of the caller', () => {
  class Listing {
    domain = 'brew.example';
    get upper() {
      return this.domain.toUpperCase();
    }
  }
  expect(serializeBody({ listing: new Listing() })).toBe('{"listing":{"domain":"brew.example"}}');
});

describe('what JSON cannot hold is refused with its path', () => {
  class Hidden {
    readonly #domain = 'brew.example';
    isFor(domain: string) {
      return domain === this.#domain;
    }
  }

  const stateful = 'must be an object of fields: an object would lose its state';
  it.each([
    [{ a: { b: [1, Number.NaN] } }, 'a.b[1]', 'must be a finite number; received NaN'],
    [{ a: Infinity }, 'a', 'must be a finite number; received Infinity'],
    [{ a: 10n }, 'a', 'must not be a bigint: JSON has none'],
    [{ a: () => 1 }, 'a', 'must not be a function: JSON has none'],
    [{ a: Symbol('s') }, 'a', 'must not be a symbol: JSON has none'],
    [{ a: [undefined] }, 'a[0]', 'must not be undefined: JSON has none'],
    [Object.assign([1], { length: 2 }), '[1]', 'must not be undefined: JSON has none'],
    [undefined, 'body', 'must not be undefined: JSON has none'],
    [{ at: new Date(Number.NaN) }, 'at', 'must be a valid Date; received an invalid one'],
    [{ a: new Map([['b', 1]]) }, 'a', stateful],
    [new Set([1]), 'body', stateful],
    [new Hidden(), 'body', stateful],
    [{ a: 'x\ud800' }, 'a', 'contains a lone surrogate, which cannot be encoded'],
  ])('refuses %o', (value, path, message) => {
    expect(violationsOf(value)).toEqual([[path, message]]);
  });

  it('refuses half of a character in a key', () => {
    expect(violationsOf({ 'a\udc00': 1 })[0]?.[1]).toMatch(/lone surrogate/);
  });

  it('refuses cycles, through objects and arrays', () => {
    const list: unknown[] = [];
    const body = { list };
    list.push({ back: body });
    expect(violationsOf(body)).toEqual([['list[0].back', 'must not contain itself']]);
  });

  it('names every violation, up to twenty', () => {
    expect(violationsOf({ b: Number.NaN, a: 1n }).map(([path]) => path)).toEqual(['a', 'b']);
    expect(violationsOf(new Array(1000).fill(Number.NaN))).toHaveLength(20);
  });

  it('shortens a long key in the path', () => {
    expect(violationsOf({ ['k'.repeat(5000)]: 1n })[0]?.[0]).toBe(`${'k'.repeat(60)}…`);
  });

  it('makes an error of a call that was not sent', () => {
    expect(invalidRequestOf(() => serializeBody({ a: 1n }))).toMatchObject({
      attempts: 0,
      outcome: 'not_sent',
    });
  });
});

describe('any JSON value', () => {
  const values = fc.jsonValue({ noUnicodeString: false }) as fc.Arbitrary<unknown>;
  const wellFormed = values.filter((value) => !/\\u[dD][89a-fA-F]/.test(JSON.stringify(value)));

  it('reads back as what JSON.stringify would have sent', () => {
    fc.assert(
      fc.property(wellFormed, (value) => {
        expect(JSON.parse(serializeBody(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('reads back as what JSON.stringify would have sent, with undefined members and Dates too', () => {
    const member = fc.oneof(wellFormed, fc.constant(undefined), fc.date({ noInvalidDate: true }));
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), member), (value) => {
        expect(JSON.parse(serializeBody(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('gives the same bytes in whatever order its keys were set', () => {
    fc.assert(
      fc.property(wellFormed, fc.infiniteStream(fc.nat()), (value, seeds) => {
        expect(serializeBody(shuffled(value, seeds))).toBe(serializeBody(value));
      }),
    );
  });
});

/** The same value with the keys of every object in another order. */
function shuffled(value: unknown, seeds: IterableIterator<number>): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, seeds));
  if (typeof value !== 'object' || value === null) return value;
  const placed = Object.entries(value).map(
    ([key, member]) => [seeds.next().value as number, key, shuffled(member, seeds)] as const,
  );
  placed.sort(([a], [b]) => a - b);
  return Object.fromEntries(placed.map(([, key, member]) => [key, member]));
}
