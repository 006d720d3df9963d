import { describe, expect, it, onTestFinished } from 'vitest';
import { fault, MarketEmulator, type DeliveryFault, type Fault } from 'market-partner-sdk/testing';
import { freshEmulator, startOfTime } from './emulator-fixture.js';
import { signed } from './independent-signer.js';
import { webhookReceivers } from './webhook-receiver.js';

const market = freshEmulator({ webhookTimeoutMs: 1000 });
const receiver = webhookReceivers();

it('a webhook receiver that answers 101 Switching Protocols has not received the event, and nothing waits for it', async () => {
  const { url } = await receiver((response) => {
    response.socket?.end(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
    );
  });
  await market.call('PUT /api/partner/webhooks', { body: { url, secret: 'whsec_1' } });
  await market.order();
  await market.emulator.idle();
  expect(market.emulator.deliveries).toMatchObject([{ status: 101, outcome: 'failed' }]);
});

describe('a request body over the limit', () => {
  const path = '/api/partner/v1/quotes';
  const body = 'x'.repeat(1_048_577);
  const send = async (base: string, init: RequestInit) => {
    const response = await (base === '' ? market.emulator.fetch : fetch)(
      `${base || 'http://market.example'}${path}`,
      init,
    );
    return { status: response.status, text: await response.text() };
  };

  it.each(['a socket', 'the fetch function'])('and signed is too long, over %s', async (way) => {
    const credential = market.emulator.createCredential();
    const timestamp = startOfTime / 1000;
    const headers = signed(credential, { method: 'POST', path, body, timestamp });
    const base = way === 'a socket' ? market.emulator.baseUrl : '';
    const { status, text } = await send(base, { method: 'POST', headers, body });
    expect([status, text]).toEqual([400, expect.stringContaining('longer than 1048576 bytes')]);
    expect((await send(base, { method: 'POST', body })).status).toBe(401);
  });
});

describe('the diagnosis of a wrong signature', () => {
  const timestamp = startOfTime / 1000;
  const diagnose = async (path: string, body?: string) => {
    const credential = market.emulator.createCredential();
    const request = { method: body === undefined ? 'GET' : 'POST', path, timestamp };
    const headers = signed(credential, { ...request, body: body ?? '' });
    headers['X-Market-Signature'] = `v1=${'0'.repeat(64)}`;
    const before = process.cpuUsage();
    const response = await market.emulator.fetch(`http://market.example${path}`, {
      method: request.method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    // The time of this process, not the clock's: other programs may be busy.
    const { user, system } = process.cpuUsage(before);
    return { status: response.status, ms: (user + system) / 1_000 };
  };

  it('ends soon for a path of 15,000 slashes', async () => {
    const { status, ms } = await diagnose(`/api${'/'.repeat(15_000)}`);
    expect(status).toBe(401);
    expect(ms).toBeLessThan(2_000);
  });

  it.each([
    ['5,000 deep', '['.repeat(5_000) + ']'.repeat(5_000)],
    ['500,000 deep', '['.repeat(500_000) + ']'.repeat(500_000)],
    [
      'a million characters long',
      JSON.stringify(Array.from({ length: 90_000 }, (_, at) => `${at}`)),
    ],
  ])('ends soon for JSON that is %s', async (_name, body) => {
    const { status, ms } = await diagnose('/api/partner/v1/quotes', body);
    expect(status).toBe(401);
    expect(ms).toBeLessThan(2_000);
  });
});

describe('values that are too large', () => {
  it('are no budget', async () => {
    const { status, json } = await market.post(
      '/brokerage',
      '{"tier":"managed","buyer_email":"a@b.example","budget":1e999}',
    );
    expect([status, json.message]).toEqual([400, '"budget" must be a number above zero.']);
  });

  it.each([
    ['advance', () => market.emulator.clock.advance('999999999 weeks')],
    ['set', () => market.emulator.clock.set(8.64e15 + 1)],
  ])('do not move the clock: %s', async (_name, move) => {
    const before = market.emulator.clock.now();
    expect(move).toThrow(TypeError);
    expect(market.emulator.clock.now()).toBe(before);
    expect((await market.order()).status).toBe(201);
  });
});

describe('faults that cannot be', () => {
  it.each([-5, 1.5, NaN, Infinity])('a Retry-After of %s seconds', (seconds) => {
    expect(() => fault.rateLimited(seconds)).toThrow('"retryAfterSeconds"');
  });

  it.each([
    { kind: 'resetAfterwork' },
    { kind: 'answer', status: 500 },
    'internalError',
    undefined,
  ])('a fault %j', (wrong) => {
    const { faults } = market.emulator;
    expect(() => faults.next(wrong as Fault)).toThrow('"fault"');
    expect(() => faults.on('POST /orders', [wrong as Fault])).toThrow('"fault"');
    expect(faults.pending).toBe(0);
  });

  it.each([{ latte: '1 minute' }, 'twise', undefined])('a delivery fault %j', (wrong) => {
    expect(() => market.emulator.faults.deliveries.next(wrong as DeliveryFault)).toThrow('"fault"');
  });

  it.each([
    ['deliveries', (type: string) => market.emulator.faults.deliveries.next('lost', { type })],
    ['the history', (type: string) => market.emulator.faults.history.late(1, { type })],
  ])('of %s, for a type that no event has', (_name, arm) => {
    expect(() => arm('order.recordd')).toThrow('"type"');
    expect(() => arm('order.recorded')).not.toThrow();
  });
});

it('many delayed responses print no warning of Node', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const emulator = await MarketEmulator.start();
  emulator.faults.next(fault.latency(Infinity), { times: 24 });
  const requests = Array.from({ length: 24 }, (_, at) =>
    (at % 2 === 0 ? fetch : emulator.fetch)(`${emulator.baseUrl}/x`).catch(() => undefined),
  );
  while (emulator.requests.length < 24) await new Promise((resolve) => setImmediate(resolve));
  await emulator.stop();
  await Promise.all(requests);
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual([]);
});
