import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/client/endpoints.js';
import { findFieldProblems } from '../../../src/client/responses/check-fields.js';

const order = {
  public_id: 'ord_1',
  domain: 'brew.example',
  status: 'EXTERNALLY_PAID',
  sale_price_cents: 250_000,
  currency: 'USD',
};
const { documentedFields } = endpoints.orders.get;

describe('the documented fields of a record', () => {
  it('are all that is looked at', () => {
    const record = Object.freeze({ ...order, status: 'A_STATE_OF_TOMORROW', x_new: { a: 1 } });
    expect(findFieldProblems(record, documentedFields)).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['public_id', undefined, 'is missing'],
    ['public_id', null, 'is null, not a string'],
    ['public_id', 7, 'is an integer, not a string'],
    ['status', true, 'is a boolean, not a string'],
    ['status', { id: 1 }, 'is an object, not a string'],
    ['status', ['a'], 'is an array, not a string'],
    ['sale_price_cents', undefined, 'is missing'],
    ['sale_price_cents', 2 ** 53, 'is a number beyond 2^53, which JSON rounds, not an integer'],
    ['public_id', 2 ** 60, 'is a number beyond 2^53, which JSON rounds, not a string'],
    ['sale_price_cents', 2_500.5, 'is a fraction, not an integer'],
    ['sale_price_cents', '250000', 'is a string, not an integer'],
  ])('%s as %j', (field, value, message) => {
    expect(findFieldProblems({ ...order, [field]: value }, documentedFields)).toEqual([
      { field, message },
    ]);
  });

  it('are reported one by one', () => {
    const fields = findFieldProblems({}, documentedFields).map(({ field }) => field);
    expect(fields).toEqual(Object.keys(order));
  });

  it.each<[string, unknown, string]>([
    ['available', 'yes', 'is a string, not a boolean'],
    ['data', [], 'is an array, not an object'],
    ['data', null, 'is null, not an object'],
  ])('may be of any kind: %s as %j', (field, value, message) => {
    const fields = [
      ['available', 'boolean'],
      ['data', 'object'],
    ] as const;
    const record = { available: false, data: {}, [field]: value };
    expect(findFieldProblems(record, fields)).toEqual([{ field, message }]);
  });

  it.each<[unknown, string]>([
    [null, 'is null, not an object'],
    [undefined, 'is undefined, not an object'],
    [[order], 'is an array, not an object'],
    ['ord_1', 'is a string, not an object'],
    [7, 'is an integer, not an object'],
  ])('need a record: %j', (record, message) => {
    expect(findFieldProblems(record, documentedFields)).toEqual([{ field: '', message }]);
  });

  it('are none where none is documented, whatever the record is', () => {
    for (const record of [null, 'text', {}, []]) {
      expect(findFieldProblems(record, endpoints.orders.quote.documentedFields)).toEqual([]);
    }
  });
});
