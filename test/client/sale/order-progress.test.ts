import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError, isOrderProgress } from 'market-partner-sdk';
import { thrownBy } from '../../support/errors.js';

const named = ['EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED', 'SETTLED'];
const takenBack = ['REFUNDED', 'CANCELLED'];

describe('isOrderProgress', () => {
  it('follows the specification from a sale to its settlement, and never back', () => {
    for (const [at, stored] of named.entries()) {
      for (const [later, read] of named.entries()) {
        expect([stored, read, isOrderProgress(stored, read)]).toEqual([stored, read, later > at]);
      }
    }
  });

  it('takes any status where none is stored yet', () => {
    for (const read of [...named, ...takenBack, 'MANUAL_REVIEW', 'NEW_AT_THE_SERVICE']) {
      expect(isOrderProgress(undefined, read)).toBe(true);
      expect(isOrderProgress(null, read)).toBe(true);
    }
  });

  it.each(takenBack)('lets %s follow every status, and nothing follow it', (end) => {
    for (const other of [...named, 'MANUAL_REVIEW', 'PARTIALLY_REFUNDED', 'NEW_AT_THE_SERVICE']) {
      expect([other, isOrderProgress(other, end)]).toEqual([other, true]);
      expect([other, isOrderProgress(end, other)]).toEqual([other, false]);
    }
    for (const other of takenBack) expect(isOrderProgress(end, other)).toBe(false);
  });

  it.each([
    ['EXTERNALLY_PAID', 'MANUAL_REVIEW', true],
    ['MANUAL_REVIEW', 'EXTERNALLY_PAID', true],
    ['TRANSFER_IN_PROGRESS', 'ON_HOLD', true],
    ['MANUAL_REVIEW', 'TRANSFER_IN_PROGRESS', true],
    ['MANUAL_REVIEW', 'SETTLED', true],
    ['TRANSFER_COMPLETED', 'MANUAL_REVIEW', false],
    ['SETTLED', 'MANUAL_REVIEW', false],
  ])('holds an order until it is delivered: %s to %s is %s', (stored, read, expected) => {
    expect(isOrderProgress(stored, read)).toBe(expected);
  });

  it('lets a status that it does not know follow, and be followed by, a named one', () => {
    for (const status of [...named, 'PARTIALLY_REFUNDED']) {
      expect(isOrderProgress(status, 'NEW_AT_THE_SERVICE')).toBe(true);
      expect(isOrderProgress('NEW_AT_THE_SERVICE', status)).toBe(true);
    }
  });

  it('ends in the same status in whatever order jobs see the named ones and a refund', () => {
    const seen = fc.shuffledSubarray([...named, 'REFUNDED'], { minLength: 1 });
    fc.assert(
      fc.property(seen, (statuses) => {
        let stored: string | undefined;
        for (const read of statuses) if (isOrderProgress(stored, read)) stored = read;
        const order = [...named, 'REFUNDED'];
        expect(stored).toBe(order.findLast((status) => statuses.includes(status)));
      }),
    );
  });

  it('refuses what is no status, by its name', () => {
    for (const read of ['', ' ', 5, undefined, null]) {
      const error = thrownBy(() => isOrderProgress('SETTLED', read as string));
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect(error.message).toMatch(/^"read" .*must be the status of an order/);
    }
    const error = thrownBy(() => isOrderProgress('', 'SETTLED'));
    expect(error.message).toContain('"stored" must be the status of an order');
  });
});
