/**
 * What each exported function and each method says of a wrong first argument: a sentence of ours that names what is
 * wrong. A connection string in a wrong place has a password, so the value is not quoted.
 */

import * as client from 'market-partner-sdk';
import * as durable from 'market-partner-sdk/durable';
import * as pgBoss from 'market-partner-sdk/durable/pg-boss';
import * as openTelemetry from 'market-partner-sdk/opentelemetry';
import * as testing from 'market-partner-sdk/testing';
import * as webhooks from 'market-partner-sdk/webhooks';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';

const ourSentence = /"[\w. ]+(\[\d\])?" (is|are|must|,)|^"baseUrl", |^sqliteEngine takes /;

type Exported = (...args: unknown[]) => unknown;

const connectionString = 'postgres://shop:a-password@db.example/shop';
const wrongArguments = [undefined, null, 7, 'a text', connectionString];

/** Made by the package alone: partners name them in types, and in `instanceof`. */
const notConstructed = [
  ...['CallPromise', 'CommissionPage', 'MarketEmulator', 'Page', 'PagePromise'],
  'TransactionPage',
];

/** What a function takes, or answers without an error: a verdict on a signature, an explanation. */
const taken: Readonly<Record<string, readonly unknown[]>> = {
  canonicalQuery: ['a text', connectionString],
  explainSignature: wrongArguments,
  explainWebhookMismatch: wrongArguments,
  isValidSignature: wrongArguments,
  memoryEngine: [undefined],
  RecentEvents: [undefined],
  'MarketEmulator.start': [undefined],
  // A path.
  sqliteEngine: ['a text'],
};

const functions = [client, durable, pgBoss, openTelemetry, testing, webhooks]
  .flatMap((entryPoint) => Object.entries<unknown>({ ...entryPoint }))
  .filter((entry): entry is [string, Exported] => typeof entry[1] === 'function')
  .filter(([, value]) => !(value.prototype instanceof Error))
  .map(([name, value]) => [name, callable(value)] as const);
const table: (readonly [string, Exported])[] = [
  ...functions.filter(([name]) => !notConstructed.includes(name)),
  ['MarketEmulator.start', (options) => testing.MarketEmulator.start(options as object)],
];

beforeEach(() => {
  for (const name of ['MARKET_BASE_URL', 'MARKET_KEY_ID', 'MARKET_SECRET']) vi.stubEnv(name, '');
});

it('the table has every function that the entry points export', () => {
  const names = functions.map(([name]) => name);
  expect(names.length).toBeGreaterThan(20);
  expect(notConstructed.filter((name) => !names.includes(name))).toEqual([]);
  expect(Object.keys(taken).filter((name) => !table.some(([each]) => each === name))).toEqual([]);
});

it.each(table)('%s names what is wrong, and quotes no password', async (name, call) => {
  for (const wrong of wrongArguments) {
    const result = await outcomeOf(call, wrong);
    if (taken[name]?.includes(wrong) === true) continue;
    expect(result, `${name}(${String(wrong)})`).toBeInstanceOf(Error);
    // Of the language: `Cannot read properties of undefined (reading 'method')`.
    const { message } = result as Error;
    expect(message).toMatch(ourSentence);
    expect(message).not.toMatch(/argument must be|a-password/);
  }
});

/** Without an argument, or of the platform: what is wrong is then a 500, and our sentence is logged. */
const skipped = [
  ...['start', 'status', 'poll', 'prune', 'fetch', 'node', 'lambda', 'handle'],
  // Of the rehearsal: no type shows it.
  ...['bodyOf', String(Symbol.asyncDispose)],
];
const others: Readonly<Record<string, readonly unknown[]>> = {
  ...{ cancel: ['a reason'], discard: ['a reason'], refund: [{ reason: 'withdrawn' }] },
  ...{ resolve: ['retry'], waitFor: [{ timeoutMs: 1 }], reprice: [1], recordReferralSale: [{}] },
  registerWebhook: ['whsec_1'],
};
const wrongOfMethods = [undefined, null, 7, {}];

it('each method of an outbox, an inbox, an emulator and a client names what is wrong', async () => {
  const emulator = await testing.MarketEmulator.start();
  onTestFinished(() => emulator.stop());
  const { baseUrl, admin, clock, faults } = emulator;
  const market = new client.MarketClient({ baseUrl, ...emulator.createCredential() });
  onTestFinished(() => market.close());
  const engine = durable.memoryEngine();
  const ignore = () => undefined;
  const on = { onPlaced: ignore, onRefused: ignore, onAttention: ignore };
  const outbox = durable.createOrderOutbox({
    ...{ ...on, onRefunded: ignore, onNotRefunded: ignore },
    ...{ market, engine, logger: false },
  });
  const inbox = durable.createEventInbox({
    ...{ market, engine, logger: false, startFrom: 'beginning' },
    onEvent: ignore,
  });
  const order = { domain: 'brew.example', expected_price: 250_000 };
  await outbox.add({ key: 'payment-1', order });
  await market.checkout.createSession({ domain: 'roast.example' });
  const { deliveries, history, orderList } = faults;
  const { domains, orders, checkout, events, brokerage, referral } = market;
  const calls = [domains, orders, checkout, events, brokerage, referral];
  const controls = [admin, clock, faults, deliveries, history, orderList];
  const subjects: object[] = [outbox, inbox, ...calls, ...controls, emulator];

  const accepted: string[] = [];
  for (const subject of subjects) {
    for (const [name, method] of methodsOf(subject)) {
      if (skipped.includes(name) || (subject === emulator && name === 'stop')) continue;
      for (const wrong of wrongOfMethods) {
        const call = (first: unknown) => method.call(subject, first, ...(others[name] ?? []));
        const result = await outcomeOf(call, wrong);
        const label = `${name}(${JSON.stringify(wrong)})`;
        if (!(result instanceof Error)) accepted.push(label);
        else expect(result.message, label).toMatch(ourSentence);
      }
    }
    // `get(undefined)` that says "no such sale" would have its buyer paid back.
    if (subject === outbox) {
      const options = ['stop(undefined)', 'stop({})', 'list(undefined)', 'list({})'];
      expect(accepted.splice(0)).toEqual(options);
    } else if (subject === inbox) {
      const options = ['stop(undefined)', 'stop({})', 'deadLetters(undefined)', 'deadLetters({})'];
      expect(accepted.splice(0)).toEqual(options);
    }
  }
});

/** Its own, which are bound, and those of its class. */
function methodsOf(subject: object): Map<string, Exported> {
  const methods = new Map<string, Exported>();
  const prototype = Object.getPrototypeOf(subject) as object;
  for (const key of [subject, prototype].flatMap(Reflect.ownKeys)) {
    const value: unknown = key === 'constructor' ? undefined : Reflect.get(subject, key);
    if (typeof value === 'function') methods.set(String(key), value as Exported);
  }
  return methods;
}

function callable(value: Exported): Exported {
  const isClass = /^class\b/.test(Function.prototype.toString.call(value));
  return isClass ? (...args) => Reflect.construct(value, args) as unknown : value;
}

/** What it throws or rejects with; else what it returns. */
async function outcomeOf(call: Exported, wrong: unknown): Promise<unknown> {
  try {
    const result = await call(wrong);
    if (result instanceof testing.MarketEmulator) await result.stop();
    return result;
  } catch (error) {
    return error;
  }
}
