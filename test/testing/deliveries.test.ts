import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { DeliveryFault } from 'market-partner-sdk/testing';
import { freshEmulator } from './emulator-fixture.js';
import { webhookReceivers } from './webhook-receiver.js';

const market = freshEmulator({
  webhookTimeoutMs: 1000,
  webhookRetries: ['1 minute', '10 minutes'],
});
const receiver = webhookReceivers();

async function registered(answer?: Parameters<typeof receiver>[0]) {
  const { url, received } = await receiver(answer);
  await market.call('PUT /api/partner/webhooks', { body: { url, secret: 'whsec_1' } });
  return () => received.map(({ body }) => (JSON.parse(body) as { id: string }).id);
}

const ids = () => market.emulator.events.map(({ id }) => id);

async function threeOrders(): Promise<void> {
  for (const name of ['brew', 'roast', 'latte']) await market.order(`${name}.example`);
  await market.emulator.idle();
}

describe('deliveries without faults', () => {
  it('come in the order of the events', async () => {
    const received = await registered();
    await threeOrders();
    expect(received()).toEqual(ids());
  });

  it('are repeated on the schedule that was asked for, and then given up', async () => {
    const received = await registered((response) => response.writeHead(500).end());
    await market.order();
    const attempts = async (move: () => void) => {
      move();
      await market.emulator.idle();
      return received().length;
    };
    const { clock } = market.emulator;
    expect(await attempts(() => undefined)).toBe(1);
    expect(await attempts(() => clock.advance('59 seconds'))).toBe(1);
    expect(await attempts(() => clock.advance('1 second'))).toBe(2);
    expect(await attempts(() => clock.advance('10 minutes'))).toBe(3);
    expect(await attempts(() => clock.advance('7 days'))).toBe(3);
    expect(
      market.emulator.deliveries.map(({ at }) => at - market.emulator.deliveries[0]!.at),
    ).toEqual([0, 60_000, 660_000]);
  });

  it('keep the beginning of the response, where the receiver says what was wrong', async () => {
    const texts = ['{"error":"signature_mismatch"}', 'é'.repeat(4_000), ''];
    let count = 0;
    await registered((response) => response.writeHead(200).end(texts[count++]));
    await threeOrders();
    const bodies = market.emulator.deliveries.map(({ responseBody }) => responseBody);
    expect(bodies).toEqual([texts[0], 'é'.repeat(1_024), '']);
  });

  it('go to where the endpoint is by then, signed with its secret by then', async () => {
    const old = await receiver((response) => response.writeHead(500).end());
    const body = { url: old.url, secret: 'old' };
    await market.call('PUT /api/partner/webhooks', { body });
    await market.order();
    await market.emulator.idle();
    const received = await registered();
    market.emulator.clock.advance('1 minute');
    await market.emulator.idle();
    expect(received()).toEqual(ids());
    const [first, second] = market.emulator.deliveries;
    expect(second!.body).toBe(first!.body);
    expect(second!.signature).not.toBe(first!.signature);
  });

  it('follow no redirect, read no endless answer, and survive a receiver that is not there', async () => {
    const { url: elsewhere, received } = await receiver();
    await registered((response) => response.writeHead(302, { location: elsewhere }).end());
    await market.order('brew.example');
    await market.emulator.idle();
    await registered((response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    });
    await market.order('roast.example');
    await market.emulator.idle();
    const body = { url: 'http://127.0.0.1:1/hook', secret: 'whsec_1' };
    await market.call('PUT /api/partner/webhooks', { body });
    await market.order('latte.example');
    await market.emulator.idle();
    expect(received).toEqual([]);
    expect(market.emulator.deliveries).toMatchObject([
      { status: 302, outcome: 'failed' },
      { status: undefined, outcome: 'failed' },
      {
        status: undefined,
        outcome: 'failed',
        error: expect.stringContaining('ECONNREFUSED') as string,
      },
    ]);
  });

  it.each([
    ['in capitals', 'HTTPS://127.0.0.1:1/hook', 'ECONNREFUSED'],
    ['with a password that is not percent-encoded', 'http://shop:%zz@127.0.0.1:1/hook', 'URI'],
  ])('fail, and end nothing, for an address %s', async (_, url, reason) => {
    await market.call('PUT /api/partner/webhooks', { body: { url, secret: 'whsec_1' } });
    await market.order();
    await market.emulator.idle();
    expect(market.emulator.deliveries).toMatchObject([
      { url, outcome: 'failed', error: expect.stringContaining(reason) as string },
    ]);
  });

  it('are not due after a reset while one is under way', async () => {
    let arrive: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const responses: ServerResponse[] = [];
    await registered((response) => {
      responses.push(response);
      arrive();
    });
    await market.order();
    await arrived;
    market.emulator.reset();
    expect(market.emulator.snapshot().deliveries).toEqual([]);
    for (const response of responses) response.end();
    await market.emulator.idle();
    expect(market.emulator.deliveries).toEqual([]);
  });

  it('reach only the partner whose event it is', async () => {
    const received = await registered();
    await market.as({ partnerId: 'prt_2' })('POST /orders', {
      body: { domain: 'brew.example' },
      key: 'k',
    });
    await market.emulator.idle();
    expect(received()).toEqual([]);
    expect(ids()).toHaveLength(1);
  });

  it('end with the emulator, one that is under way included', async () => {
    await registered(() => undefined);
    await market.order();
    await market.emulator.stop();
    expect(market.emulator.deliveries.every(({ outcome }) => outcome === 'failed')).toBe(true);
  });
});

describe('deliveries with faults', () => {
  it('twice: the same bytes come two times', async () => {
    const received = await registered();
    market.emulator.faults.deliveries.next('twice');
    await threeOrders();
    const [a, b, c] = ids();
    expect(received()).toEqual([a, a, b, c]);
  });

  it('lost: nothing comes, the history has it', async () => {
    const received = await registered();
    market.emulator.faults.deliveries.next('lost', { times: 2 });
    await threeOrders();
    expect(received()).toEqual(ids().slice(2));
    expect(market.emulator.deliveries.map(({ outcome }) => outcome)).toEqual([
      'lost',
      'lost',
      'delivered',
    ]);
    expect((await market.call('GET /events')).json.events).toHaveLength(3);
  });

  it('outOfOrder: it comes after the event that follows it', async () => {
    const received = await registered();
    market.emulator.faults.deliveries.next('outOfOrder');
    await threeOrders();
    const [a, b, c] = ids();
    expect(received()).toEqual([b, a, c]);
  });

  it('outOfOrder, and nothing follows: it comes when the clock moves', async () => {
    const received = await registered();
    market.emulator.faults.deliveries.next('outOfOrder');
    await market.order();
    await market.emulator.idle();
    expect(received()).toEqual([]);
    market.emulator.clock.advance('1 second');
    await market.emulator.idle();
    expect(received()).toEqual(ids());
  });

  it('late: it comes when the clock has moved on by that much', async () => {
    const received = await registered();
    market.emulator.faults.deliveries.next({ late: '1 hour' }, { type: 'order.transfer_started' });
    await market.delivered();
    await market.emulator.idle();
    const [a, b, c] = ids();
    expect(received()).toEqual([a, c]);
    market.emulator.clock.advance('1 hour');
    await market.emulator.idle();
    expect(received()).toEqual([a, c, b]);
  });

  it('clear takes them back, and what is not a fault is refused', async () => {
    const received = await registered();
    market.emulator.faults.deliveries.next('lost', { times: Infinity });
    market.emulator.faults.clear();
    await threeOrders();
    expect(received()).toHaveLength(3);
    const { deliveries } = market.emulator.faults;
    expect(() => deliveries.next('slow' as DeliveryFault)).toThrow(/"fault"/);
    expect(() => deliveries.next('lost', { times: 0 })).toThrow(/"times"/);
    expect(() => deliveries.next({ late: -1 })).toThrow(/"fault\.late"/);
  });
});

describe('a long queue of deliveries', () => {
  it('takes 200,000 late ones, and delivers the earliest first', async () => {
    const received = await registered();
    const { admin, clock, faults } = market.emulator;
    const count = 200_000;
    faults.deliveries.next({ late: '2 hours' }, { times: count });
    for (let at = 0; at < count; at += 1) admin.emitEvent('order.settled', { data: {} });
    faults.deliveries.next({ late: '1 hour' }, { times: 2 });
    const early = [admin.emitEvent('order.refunded'), admin.emitEvent('order.settled')];
    clock.advance('1 hour');
    await market.emulator.idle();
    expect(received()).toEqual(early.map(({ id }) => id));
    market.emulator.reset();
  });

  it('keeps the order of what is due at the same time', async () => {
    const received = await registered();
    market.emulator.faults.deliveries.next({ late: '1 hour' }, { times: 100 });
    for (let at = 0; at < 100; at += 1) market.emulator.admin.emitEvent('order.settled');
    market.emulator.clock.advance('2 hours');
    await market.emulator.idle();
    expect(received()).toEqual(ids());
  });
});
