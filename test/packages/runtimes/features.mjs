// One feature of the packed package in the runtime that runs this program, against the emulator of
// another process: `node features.mjs client`. It prints what it found out, or fails.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import { setTimeout as wait } from 'node:timers/promises';
import { ConfigurationError, MarketClient, NotFoundError } from 'market-partner-sdk';

const control = `${new URL(process.env.MARKET_BASE_URL).origin}/_emulator/v1`;

async function post(path, body) {
  const response = await fetch(`${control}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.ok(response.ok, `${path}: ${response.status} ${await response.text()}`);
}

const price = { expected_price: 250_000, currency: 'USD' };

async function newDomain() {
  const domain = `runtime-${randomUUID()}.example`;
  await post('list', { domain, price_cents: price.expected_price });
  return domain;
}

/** A sale whose first response is lost, the same key again, a refusal, a timeout, an abort. */
async function sell(options) {
  const market = new MarketClient({ ...options, random: () => 0 });
  const sale = { domain: await newDomain(), ...price };
  await post('faults/on', { match: 'POST /orders', fault: 'resetAfterWork', times: 1 });
  const idempotencyKey = randomUUID();
  const { data, response } = await market.orders.create(sale, { idempotencyKey }).withResponse();
  assert.equal(response.attempts, 2, 'the lost response was not retried');
  const again = await market.orders.create(sale, { idempotencyKey });
  assert.equal(again.public_id, data.public_id);
  assert.equal((await market.orders.list({ domain: sale.domain }).toArray()).length, 1);

  const missing = await rejection(market.orders.get('ord_none'));
  assert.ok(missing instanceof NotFoundError && missing.outcome === 'rejected', String(missing));

  await post('faults/on', { match: 'GET /availability', fault: 'latency(2 seconds)', times: 2 });
  const check = (call) => market.domains.checkAvailability(sale.domain, { maxRetries: 0, ...call });
  const late = await rejection(check({ timeoutMs: 100 }));
  assert.equal(late.name, 'TimeoutError', String(late));
  const aborted = await rejection(check({ signal: AbortSignal.timeout(100) }));
  assert.equal(aborted.name, 'AbortedError', String(aborted));

  const input = { domain: sale.domain, ...price };
  const nobody = new MarketClient({ ...options, baseUrl: await closedAddress(), maxRetries: 0 });
  const offline = await rejection(nobody.orders.create(input));
  assert.equal(offline.name, 'ConnectionError', String(offline));
  await Promise.all([market.close(), nobody.close()]);
  return offline.outcome === 'not_sent' ? undefined : `a refused connection is ${offline.outcome}`;
}

async function closedAddress() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

async function rejection(call) {
  return call.then(
    () => assert.fail('it was not refused'),
    (error) => error,
  );
}

const features = {
  client: () => sell({}),
  fetch: () => sell({ fetch }),

  /** A dispatcher of undici 8: its handlers, its proxy agent, and a certificate of the client. */
  async undici8() {
    const { Agent, ProxyAgent } = await import('undici8');
    const agent = new Agent();
    assert.equal(await sell({ dispatcher: agent }), undefined);
    const tunnel = new ProxyAgent({ uri: process.env.RUNTIME_PROXY });
    const domain = await newDomain();
    const proxied = new MarketClient({ dispatcher: tunnel });
    assert.equal((await proxied.domains.checkAvailability(domain)).available, true);

    const pem = (name) => readFileSync(`${process.env.RUNTIME_CERTIFICATES}/${name}`);
    const clients = [];
    const server = createSecureServer(
      { ca: pem('ca.crt'), cert: pem('server.crt'), key: pem('server.key'), requestCert: true },
      (request, response) => {
        clients.push(`${request.httpVersion} ${request.socket.getPeerCertificate().subject?.CN}`);
        response.end('{"public_id":"ord_1"}');
      },
    );
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `https://127.0.0.1:${server.address().port}`;
    const connect = { ca: pem('ca.crt'), cert: pem('client.crt'), key: pem('client.key') };
    const mutual = new Agent({ connect });
    const market = new MarketClient({ baseUrl, dispatcher: mutual, validateResponses: 'off' });
    await market.orders.get('ord_1');
    assert.deepEqual(clients, ['2.0 partner of the tests']);
    await Promise.all([agent, tunnel, mutual].map((dispatcher) => dispatcher.destroy()));
    server.close();
  },

  async proxy() {
    const proxy = process.env.RUNTIME_PROXY;
    const domain = await newDomain();
    if (process.versions.bun === undefined) {
      const market = new MarketClient({ proxy });
      assert.equal((await market.domains.checkAvailability(domain)).available, true);
      await market.close();
      return undefined;
    }
    assert.throws(
      () => new MarketClient({ proxy }),
      (error) => {
        return error instanceof ConfigurationError && /Bun.*"fetch".*proxy:/.test(error.message);
      },
    );
    // What the message says to do.
    const market = new MarketClient({ fetch: (url, init) => fetch(url, { ...init, proxy }) });
    assert.equal((await market.domains.checkAvailability(domain)).available, true);
    return 'by `fetch`; the option is refused';
  },

  async webhooks() {
    const { createWebhookHandler, signWebhook, verifyWebhook } =
      await import('market-partner-sdk/webhooks');
    const event = { id: 'evt_1', type: 'order.settled', created_at: new Date().toISOString() };
    const body = JSON.stringify({ ...event, data: {} });
    const headers = { 'x-market-signature': signWebhook(body, 'whsec') };
    assert.equal(verifyWebhook(body, headers['x-market-signature'], 'whsec').id, 'evt_1');
    const handler = createWebhookHandler({ secret: 'whsec', onEvent: () => {}, onError: () => {} });
    const request = (text) =>
      new Request('http://shop.example/', { method: 'POST', headers, body: text });
    assert.equal((await handler.fetch(request(body))).status, 200);
    assert.equal((await handler.fetch(request(`${body} `))).status, 401);

    const server = createServer((request, response) => void handler.node(request, response));
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${server.address().port}/`;
    const status = async (text) =>
      (await fetch(url, { method: 'POST', headers, body: text })).status;
    assert.deepEqual([await status(body), await status(`${body} `)], [200, 401]);
    server.closeAllConnections();
    server.close();
  },

  async sqlite() {
    const { sqliteEngine } = await import('market-partner-sdk/durable');
    const open = () => sqliteEngine(`outbox-${process.env.RUNTIME_NAME}.db`);
    await placeByOutbox(open());
    await placeByOutbox(open());
  },

  async postgres() {
    const [{ default: pg }, { PgBoss }, { pgBossEngine }] = await Promise.all([
      import('pg'),
      import('pg-boss'),
      import('market-partner-sdk/durable/pg-boss'),
    ]);
    const connectionString = process.env.DATABASE_URL;
    const schema = `runtime_${process.env.RUNTIME_NAME.replaceAll(/\W/g, '_')}`;
    const pool = new pg.Pool({ connectionString });
    const boss = new PgBoss({ connectionString, schema });
    boss.on('error', (error) => console.error(error));
    await pool.query(`drop schema if exists ${schema} cascade`);
    await boss.start();
    await placeByOutbox(pgBossEngine(boss, { pool, schema, pollMs: 50 }));
    await boss.stop({ graceful: false });
    await pool.query(`drop schema ${schema} cascade`);
    await pool.end();
  },

  async emulator() {
    const { fault, MarketEmulator } = await import('market-partner-sdk/testing');
    const emulator = await MarketEmulator.start({ control: true });
    const { keyId, secret } = emulator.createCredential();
    const own = { baseUrl: emulator.baseUrl, keyId, secret };
    const market = new MarketClient({ ...own, fetch, random: () => 0 });
    emulator.faults.on('POST /orders', fault.resetAfterWork(), { times: 1 });
    const create = market.orders.create({ domain: 'brew.example', ...price });
    assert.equal((await create.withResponse()).response.attempts, 2);
    assert.equal((await market.orders.list()).items.length, 1);
    const page = await fetch(`${emulator.baseUrl}/_emulator/`);
    assert.match(await page.text(), /<script/);
    await emulator.stop();
  },
};

/** An order that the outbox places: a first response that is lost, one order, a verdict that is stored. */
async function placeByOutbox(engine) {
  const { createOrderOutbox } = await import('market-partner-sdk/durable');
  const market = new MarketClient();
  const placed = [];
  const outbox = createOrderOutbox({
    market,
    engine,
    onPlaced: (order, { key }) => void placed.push([key, order.domain]),
    onRefused: ({ reason }) => assert.fail(`refused: ${reason}`),
    onAttention: ({ message }) => assert.fail(`attention: ${message}`),
  });
  await outbox.start();
  const key = randomUUID();
  const order = { domain: await newDomain(), ...price };
  await outbox.add({ key, order });
  const { state } = await outbox.waitFor(key);
  assert.equal(state, 'placed');
  for (let turn = 0; placed.length === 0 && turn < 100; turn += 1) await wait(20);
  assert.deepEqual(placed, [[key, order.domain]]);
  await outbox.stop();
  await market.close();
}

const note = await features[process.argv[2]]();
if (note !== undefined) console.log(note);
// An open socket or a timer that is left must not look like a feature that works.
setTimeout(() => {
  console.error('the process has not ended by itself');
  process.exit(3);
}, 15_000).unref();
