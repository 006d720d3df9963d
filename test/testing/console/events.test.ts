import { expect, it } from 'vitest';
import { orderOf } from '../../../src/testing/console/events.js';
import type { EventView } from '../../../src/testing/console/wire.js';

it('shows the order of an event that has one', () => {
  const order = { public_id: 'ord_1', domain: 'brew.example' };
  expect(orderOf({ data: { order } } as unknown as EventView)).toEqual(order);
  for (const data of [{}, { order: null }, { order: 'ord_1' }]) {
    expect(orderOf({ data } as unknown as EventView)).toEqual({});
  }
});
