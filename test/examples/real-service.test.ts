/** The examples with the three variables set, as with the real service: here, an emulator elsewhere. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MarketClient } from 'market-partner-sdk';
import {
  fault,
  MarketEmulator,
  type CredentialOptions,
  type EmulatorCredential,
} from 'market-partner-sdk/testing';
import { freePort } from '../support/free-port.mjs';
import { exampleNames, runExample, valuesOf, type Run } from './run-example.js';

let service: MarketEmulator;

beforeEach(async () => {
  service = await MarketEmulator.start();
});

afterEach(() => service.stop());

describe('every example', () => {
  it.each(exampleNames)('%s runs to its end', async (name) => {
    const { env, credential } = partner();
    const { code, stdout, stderr } = await runExample(name, { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`with your sandbox credential at ${service.baseUrl}`);
    expect(stdout).not.toMatch(/undefined|NaN|\[object/);
    expect(stdout).not.toContain(credential.secret);
    expect(stdout).not.toMatch(/[?&]pt=[^…]|progress\/[^…]/);
    expect(service.requests.map(({ verdict }) => verdict)).not.toContain('invalid_signature');
  });
});

describe('a live key', () => {
  const readers = ['bulk-availability', 'search-and-price'];

  it.each(exampleNames.filter((name) => !readers.includes(name)))(
    'is refused by %s, before anything is sent',
    async (name) => {
      const { env, credential } = partner({ environment: 'live' });
      const { code, stdout, stderr } = await runExample(name, { env });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^\nConfigurationError: "keyId" is a live key.*\n/);
      expect(stdout + stderr).not.toContain(credential.secret);
      expect(service.requests).toHaveLength(0);
    },
  );

  it.each(readers)('may be used by %s, which only reads', async (name) => {
    const { env } = partner({ environment: 'live' });
    const { code, stderr } = await runExample(name, { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(service.requests.every(({ method }) => method === 'GET')).toBe(true);
  });
});

describe('what goes wrong', () => {
  it('names the variable that is missing, instead of using the emulator', async () => {
    const { MARKET_BASE_URL, MARKET_KEY_ID } = partner().env;
    const { code, stderr } = await runExample('quickstart', {
      env: { MARKET_BASE_URL, MARKET_KEY_ID },
    });
    expect(code).toBe(1);
    expect(stderr).toContain('"secret" is missing: pass it, or set MARKET_SECRET');
  });

  it('names the scope that the credential lacks', async () => {
    const { env } = partner({ scopes: ['search'] });
    const { code, stderr } = await runExample('quickstart', { env });
    expect(code).toBe(1);
    expect(stderr).toContain('ForbiddenError: POST /api/partner/v1/quotes');
    expect(stderr).toContain('needs the scope "buy"');
    expect(stderr).toContain('outcome: rejected');
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it('finds the order whose response was lost, and places no second one', async () => {
    const { env } = partner();
    service.faults.on('POST /orders', fault.resetAfterWork());
    const run = await runExample('sell-a-domain', { env });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(valuesOf(run, 'the sale is')).toEqual(['placed']);
    expect(recorded()).toHaveLength(1);
    const sent = service.requests.filter(({ endpoint }) => endpoint === 'POST /orders');
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('pays the buyer back when the price has risen above the payment', async () => {
    const { env } = partner();
    service.faults.on('POST /orders', fault.status(422, { code: 'price_mismatch' }));
    service.faults.on(({ endpoint }) => {
      if (endpoint === 'POST /orders') service.admin.reprice('garden.example', 90_000_000);
      return false;
    }, fault.latency(0));
    const run = await runExample('sell-a-domain', { env });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(valuesOf(run, 'the sale is')).toEqual(['refused']);
    expect(valuesOf(run, 'no sale')).toEqual(['pay the buyer back: price_mismatch']);
    expect(recorded()).toHaveLength(0);
  });

  it('waits out a rate limit that the service sets', async () => {
    const { env } = partner();
    service.faults.on('GET /availability', fault.rateLimited(1), { times: 2 });
    const run = await runExample('bulk-availability', { env });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(valuesOf(run, 'the service asks to wait')).toHaveLength(1);
    expect(run.stdout).toContain('120 of 120 asked');
  });
});

describe('resume-after-crash', () => {
  it('sends one key twice and the same bytes with it', async () => {
    await runExample('resume-after-crash', { env: partner().env });
    const sent = service.requests.filter(({ endpoint }) => endpoint === 'POST /orders');
    expect(sent).toHaveLength(2);
    const [first, second] = sent;
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(second?.body).toEqual(first?.body);
    expect(recorded()).toHaveLength(1);
  });

  it('says why, when the service takes no order', async () => {
    service.faults.on('POST /orders', fault.status(422, { code: 'price_mismatch' }));
    const { code, stderr } = await runExample('resume-after-crash', { env: partner().env });
    expect(code).toBe(1);
    expect(stderr).toContain('PriceMismatchError');
    expect(stderr).toContain('the first run placed no order');
  });
});

describe('brokerage', () => {
  it('looks for a case only if it may have been opened', async () => {
    service.faults.on('POST /brokerage', fault.status(400));
    const { code, stderr } = await runExample('brokerage', { env: partner().env });
    expect(code).toBe(1);
    expect(stderr).toContain('outcome: rejected');
    const called = service.requests.map(({ endpoint }) => endpoint);
    expect(called.filter((each) => each === 'POST /brokerage')).toHaveLength(1);
    expect(called).not.toContain('GET /brokerage');
  });

  it('opens the case if it turns out that there is none', async () => {
    service.faults.on('POST /brokerage', fault.resetBeforeWork(), { times: 1 });
    const run = await runExample('brokerage', { env: partner().env });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(valuesOf(run, 'not there')).toEqual(['so it is opened now']);
    expect(valuesOf(run, 'case')).toEqual([expect.stringMatching(/^case_\w+, OPEN$/)]);
  });
});

describe('react-to-events', () => {
  it('reads the history of a service that cannot reach it', async () => {
    const { env, market } = partner();
    await sellOne(market);
    const run = await runExample('react-to-events', { env });
    expect(valuesOf(run, 'order.recorded')).toEqual(['handled, from the history']);
    expect(run.stdout).toContain('Events handled: 1, each of them once.');
  });
});

describe('webhook-receiver', () => {
  it('registers no endpoint without a secret that its owner knows', async () => {
    const { env } = partner();
    const MARKET_WEBHOOK_URL = 'https://shop.example/webhooks/market';
    const { code, stderr } = await runExample('webhook-receiver', {
      env: { ...env, MARKET_WEBHOOK_URL },
    });
    expect(code).toBe(1);
    expect(stderr).toContain('MARKET_WEBHOOK_SECRET is missing');
    expect(service.requests).toHaveLength(0);
  });

  it('registers the address that it is given and works on what comes', async () => {
    const { env, market } = partner();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/webhooks/market`;
    const secret = 'chosen by the partner';
    let sale: Promise<unknown> | undefined;
    const run: Run = await runExample('webhook-receiver', {
      env: {
        ...env,
        PORT: String(port),
        MARKET_WEBHOOK_URL: url,
        MARKET_WEBHOOK_SECRET: secret,
      },
      onOutput: (stdout) => {
        if (stdout.includes('waiting')) sale ??= sellOne(market);
      },
    });
    await sale;
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(valuesOf(run, 'worked on')).toEqual([expect.stringMatching(/^order\.recorded ord_/)]);
    expect(run.stdout).not.toContain(secret);
    expect(service.deliveries.map(({ outcome }) => outcome)).toEqual(['delivered']);
  });
});

interface Partner {
  readonly credential: EmulatorCredential;
  readonly env: Record<'MARKET_BASE_URL' | 'MARKET_KEY_ID' | 'MARKET_SECRET', string>;
  readonly market: MarketClient;
}

function partner(options: CredentialOptions = {}): Partner {
  const credential = service.createCredential(options);
  const { keyId, secret } = credential;
  const { baseUrl } = service;
  return {
    credential,
    env: { MARKET_BASE_URL: baseUrl, MARKET_KEY_ID: keyId, MARKET_SECRET: secret },
    market: new MarketClient({ baseUrl, keyId, secret }),
  };
}

async function sellOne(market: MarketClient): Promise<void> {
  await market.orders.create({ domain: 'brew.example', expected_price: 250_000 });
  await market.close();
}

function recorded() {
  return service.events.filter(({ type }) => type === 'order.recorded');
}
