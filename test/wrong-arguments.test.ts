/**
 * What each exported function says of a wrong first argument: a sentence of ours that names what is wrong. A connection
 * string in a wrong place has a password, so the value is not quoted.
 */

import * as client from 'market-partner-sdk';
import * as durable from 'market-partner-sdk/durable';
import * as pgBoss from 'market-partner-sdk/durable/pg-boss';
import * as openTelemetry from 'market-partner-sdk/opentelemetry';
import * as testing from 'market-partner-sdk/testing';
import * as webhooks from 'market-partner-sdk/webhooks';
import { beforeEach, expect, it, vi } from 'vitest';

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
    expect(message).toMatch(/"\w+(\[\d\])?" (is|are|must|,)|^"baseUrl", |^sqliteEngine takes /);
    expect(message).not.toMatch(/argument must be|a-password/);
  }
});

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
