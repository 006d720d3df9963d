import { describe, expect, it } from 'vitest';
import { MarketEmulator, type EmulatorOptions } from 'market-partner-sdk/testing';
import { freshEmulator } from './emulator-fixture.js';

const market = freshEmulator({ idempotencyMemory: '12 hours', historyRetention: '7 days' });

const history = async (query = '') =>
  (await market.call(`GET /events${query}`)).json.events.map(({ id }) => id);
const listedOrders = async () =>
  (await market.call('GET /orders')).json.data.map(({ domain }) => domain);
const ids = () => market.emulator.events.map(({ id }) => id);

describe('a history that is late', () => {
  it('shows an event after the delay and in its place', async () => {
    market.emulator.faults.history.late('2 minutes', { times: 1 });
    await market.order('brew.example');
    await market.order('roast.example');
    const [late, prompt] = ids();
    expect(await history()).toEqual([prompt]);
    market.emulator.clock.advance('119 seconds');
    expect(await history()).toEqual([prompt]);
    market.emulator.clock.advance('1 second');
    expect(await history()).toEqual([late, prompt]);
  });

  it('does not give a late event to a reader whose cursor has passed it', async () => {
    market.emulator.faults.history.late(1_000, { times: 1 });
    await market.order('brew.example');
    await market.order('roast.example');
    const prompt = ids()[1]!;
    market.emulator.clock.advance(1_000);
    expect(await history(`?after_id=${prompt}`)).toEqual([]);
  });

  it('does not know a late event as after_id', async () => {
    market.emulator.faults.history.late(1_000);
    await market.order();
    const [late] = ids();
    const early = await market.call(`GET /events?after_id=${late!}`);
    expect([early.status, early.json.code]).toEqual([400, 'validation_error']);
    market.emulator.clock.advance(1_000);
    expect((await market.call(`GET /events?after_id=${late!}`)).status).toBe(200);
  });

  it('delays the events of one type, until it is cleared', async () => {
    market.emulator.faults.history.late('1 day', { type: 'order.transfer_started' });
    const { public_id } = (await market.order()).json;
    market.emulator.admin.startTransfer(public_id);
    const [recorded] = ids();
    expect(await history()).toEqual([recorded]);
    market.emulator.faults.history.clear();
    market.emulator.admin.completeTransfer(public_id);
    expect(await history()).toEqual([recorded, ids()[2]]);
  });

  it('ends with every other fault', async () => {
    market.emulator.faults.history.late('1 day');
    market.emulator.faults.orderList.late('1 day');
    market.emulator.faults.clear();
    await market.order();
    expect([await history(), await listedOrders()]).toEqual([ids(), ['brew.example']]);
  });
});

it('a history that forgets drops events that are older than historyRetention, and names after_id', async () => {
  await market.order('brew.example');
  market.emulator.clock.advance('4 days');
  await market.order('roast.example');
  const [old, young] = ids();
  market.emulator.clock.advance('3 days');
  expect(await history()).toEqual([old, young]);
  market.emulator.clock.advance('1 second');
  expect(await history()).toEqual([young]);
  const { status, json } = await market.call(`GET /events?after_id=${old!}`);
  expect([status, json.code]).toEqual([400, 'validation_error']);
  expect(json.message).toBe(
    `"after_id" ${old!} has expired, since the history does not go back that far.`,
  );
  expect(await history(`?after_id=${young!}`)).toEqual([]);
  expect(ids()).toHaveLength(2);
});

describe('an Idempotency-Key', () => {
  const customer = () => {
    const call = market.as({ partnerId: 'prt_1' });
    return () => call('POST /orders', { body: { domain: 'brew.example' }, key: 'the-key' });
  };

  it('is remembered as long as idempotencyMemory says', async () => {
    const place = customer();
    const first = await place();
    market.emulator.clock.advance('12 hours');
    const second = await place();
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.json).toEqual(first.json);
  });

  it('means a new operation after that', async () => {
    const place = customer();
    const first = await place();
    market.emulator.admin.cancel(first.json.public_id);
    market.emulator.clock.advance('12 hours');
    market.emulator.clock.advance('1 millisecond');
    const second = await place();
    expect([second.status, second.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expect(second.json.public_id).not.toBe(first.json.public_id);
  });

  it('keeps the moment of the first response: a replay does not prolong it', async () => {
    const place = customer();
    await place();
    market.emulator.clock.advance('7 hours');
    await place();
    market.emulator.clock.advance('6 hours');
    expect((await place()).status).toBe(404);
  });
});

it('a list of orders that lags shows an order after the delay; the order itself is there at once', async () => {
  market.emulator.faults.orderList.late('2 seconds', { times: 1 });
  const { public_id } = (await market.order('brew.example')).json;
  await market.order('roast.example');
  expect(await listedOrders()).toEqual(['roast.example']);
  expect((await market.call(`GET /orders/${public_id}`)).status).toBe(200);
  market.emulator.clock.advance('2 seconds');
  expect(await listedOrders()).toEqual(['roast.example', 'brew.example']);
});

describe('wrong values', () => {
  it.each([
    ['idempotencyMemory', { idempotencyMemory: -1 }],
    ['historyRetention', { historyRetention: 'a while' }],
  ])('of %s are named', async (name, options) => {
    await expect(MarketEmulator.start(options as EmulatorOptions)).rejects.toThrow(`"${name}"`);
  });

  it.each([
    ['"times"', () => market.emulator.faults.history.late(1, { times: 0 })],
    ['"times"', () => market.emulator.faults.orderList.late(1, { times: 0.5 })],
    ['"duration"', () => market.emulator.faults.history.late(-1)],
    ['"duration"', () => market.emulator.faults.orderList.late('soon' as '1 second')],
  ])('of a delay are named: %s', (name, arm) => {
    expect(arm).toThrow(name);
  });
});
