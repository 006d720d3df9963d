import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { freshEmulator } from '../emulator-fixture.js';
import { webhookReceivers } from '../webhook-receiver.js';

const market = freshEmulator({ webhookTimeoutMs: 200 });
const receiver = webhookReceivers();

const register = (url: string, secret = 'whsec_1') =>
  market.call('PUT /api/partner/webhooks', { body: { url, secret } });

describe('part 6, delivery', () => {
  it('6: "Each event is sent as an HTTP POST to the registered url with a JSON body."', async () => {
    const { url, received } = await receiver();
    await register(url);
    await market.order();
    await market.emulator.idle();
    expect(received).toHaveLength(1);
    expect(received[0]!.method).toBe('POST');
    expect(received[0]!.headers['content-type']).toBe('application/json');
    expect(JSON.parse(received[0]!.body)).toEqual({ ...market.emulator.events[0] });
  });

  it('6: "The body fields are id, type, created_at, partner_id and data (part 2)."', async () => {
    const { url, received } = await receiver();
    await register(url);
    await market.order();
    await market.emulator.idle();
    const body = JSON.parse(received[0]!.body) as Record<string, unknown>;
    expect(Object.keys(body)).toEqual(['id', 'type', 'created_at', 'partner_id', 'data']);
    expect(body.partner_id).toBe('prt_1');
  });

  it('6: "Header X-Market-Signature carries the lowercase hex HMAC-SHA256 of the raw body bytes, keyed with the webhook secret."', async () => {
    const { url, received } = await receiver();
    await register(url, 'päss ☕');
    await market.order();
    await market.emulator.idle();
    const { headers, body } = received[0]!;
    const expected = createHmac('sha256', 'päss ☕').update(body).digest('hex');
    expect(headers['x-market-signature']).toBe(expected);
    expect(market.emulator.deliveries[0]!.signature).toBe(expected);
  });

  it('6: "The prefix v1= is not used here."', async () => {
    const { url, received } = await receiver();
    await register(url);
    await market.order();
    await market.emulator.idle();
    expect(received[0]!.headers['x-market-signature']).toMatch(/^[0-9a-f]{64}$/);
  });

  it('6: "Delivery can happen more than once, so handlers are idempotent."', async () => {
    const { url, received } = await receiver((response, count) => {
      response.statusCode = count < 3 ? 503 : 200;
      response.end('busy');
    });
    await register(url);
    await market.order();
    await market.emulator.idle();
    market.emulator.clock.advance('1 minute');
    await market.emulator.idle();
    market.emulator.clock.advance('4 minutes');
    await market.emulator.idle();
    expect(received).toHaveLength(2);
    market.emulator.clock.advance('1 minute');
    await market.emulator.idle();
    market.emulator.clock.advance('7 days');
    await market.emulator.idle();
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    expect(
      market.emulator.deliveries.map(({ attempt, status, outcome }) => [attempt, status, outcome]),
    ).toEqual([
      [1, 503, 'failed'],
      [2, 503, 'failed'],
      [3, 200, 'delivered'],
    ]);
  });

  it('6: "The receiver answers 200 within 5 seconds and processes asynchronously."', async () => {
    const slow = await receiver(() => undefined);
    await register(slow.url);
    await market.order('brew.example');
    await market.emulator.idle();
    const accepted = await receiver((response) => {
      response.statusCode = 202;
      response.end();
    });
    await register(accepted.url);
    await market.order('roast.example');
    await market.emulator.idle();
    expect(market.emulator.deliveries).toMatchObject([
      { status: undefined, outcome: 'failed', error: 'no response within 200 ms' },
      { status: 202, outcome: 'failed' },
    ]);
  });

  it('6: "Events are also kept in a history read through GET /events."', async () => {
    const { url } = await receiver();
    await market.order('brew.example');
    await register(url);
    await market.order('roast.example');
    await market.emulator.idle();
    expect((await market.call('GET /events')).json.events).toHaveLength(2);
    expect(market.emulator.deliveries).toHaveLength(1);
  });

  it('6: "The client passes after_id to continue after a known event, and next_cursor from the response gives the next position."', async () => {
    for (const name of ['brew', 'roast', 'latte', 'cafe', 'beans'])
      await market.order(`${name}.example`);
    const seen: string[] = [];
    let cursor: string | null = null;
    for (let pages = 0; pages < 4; pages += 1) {
      const position: string = cursor === null ? '' : `&after_id=${cursor}`;
      const { json } = await market.call(`GET /events?limit=2${position}`);
      seen.push(...json.events.map(({ id }) => id));
      cursor = json.next_cursor;
    }
    expect(seen).toEqual(market.emulator.events.map(({ id }) => id));
    await market.order('flower.example');
    const { json } = await market.call(`GET /events?after_id=${cursor}`);
    expect(json.events).toHaveLength(1);
  });
});

describe('part 6, event types', () => {
  const lastEvent = () => {
    const { type, data } = market.emulator.events.at(-1)!;
    return [type, (data.order as { status: string } | undefined)?.status];
  };
  const recorded = async () => (await market.order()).json.public_id;

  it('6: "A partner-collected sale is recorded (status EXTERNALLY_PAID)."', async () => {
    await recorded();
    expect(lastEvent()).toEqual(['order.recorded', 'EXTERNALLY_PAID']);
  });

  it('6: "A held order was cleared and transfer proceeds."', async () => {
    const id = await recorded();
    market.emulator.admin.hold(id);
    market.emulator.admin.clear(id);
    expect(lastEvent()).toEqual(['order.manual_review_cleared', 'EXTERNALLY_PAID']);
  });

  it('6: "The domain push has started (TRANSFER_IN_PROGRESS)."', async () => {
    market.emulator.admin.startTransfer(await recorded());
    expect(lastEvent()).toEqual(['order.transfer_started', 'TRANSFER_IN_PROGRESS']);
  });

  it(`6: "The domain was delivered to the partner's registrar (TRANSFER_COMPLETED). Settlement clock starts."`, async () => {
    await market.delivered();
    expect(lastEvent()).toEqual(['order.transfer_completed', 'TRANSFER_COMPLETED']);
  });

  it('6: "The settlement period closed and the order is reconciled (SETTLED)."', async () => {
    await market.delivered();
    market.emulator.admin.settle();
    expect(lastEvent()).toEqual(['order.settled', 'SETTLED']);
  });

  it('6: "The order is refunded or cancelled."', async () => {
    await market.post('/refunds', { public_id: await recorded() });
    expect(lastEvent()).toEqual(['order.refunded', 'REFUNDED']);
    market.emulator.admin.cancel(await recorded());
    expect(lastEvent()).toEqual(['order.refunded', 'CANCELLED']);
  });

  it('6: "A brokerage case closed with a deal."', async () => {
    const body = { tier: 'managed', buyer_email: 'b@mail.example' };
    const { case_id } = (await market.post('/brokerage', body)).json;
    market.emulator.admin.closeCase(case_id);
    expect(lastEvent()[0]).toBe('brokerage.case_completed');
  });
});
