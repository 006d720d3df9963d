/** The built package in a process whose global Promise was replaced before it was loaded. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { serve } from '../../support/loopback.js';
import { credential, okBody } from '../../support/mock-market.js';

/** As zone.js and Bluebird do it: a class of its own, whose methods need its own private state. */
const foreign = `
const Native = Promise;
const nativeThen = Native.prototype.then;
class Foreign {
  #inner;
  constructor(executor) { this.#inner = new Native(executor); }
  then(...handlers) {
    const next = nativeThen.call(this.#inner, ...handlers);
    return new Foreign((resolve, reject) => void nativeThen.call(next, resolve, reject));
  }
  catch(handler) { return this.then(undefined, handler); }
  finally(handler) {
    return this.then(
      async (value) => { await handler(); return value; },
      async (error) => { await handler(); throw error; },
    );
  }
  static resolve(value) { return value instanceof Foreign ? value : new Foreign((done) => done(value)); }
  static reject(error) { return new Foreign((_done, fail) => fail(error)); }
}
for (const name of ['all', 'allSettled', 'race', 'any'])
  Foreign[name] = (values) => Foreign.resolve(Native[name](values));
`;

const replacements = {
  'by a class that has nothing of the native one': `${foreign}globalThis.Promise = Foreign;`,
  'and the native one gives foreign promises too': `${foreign}
    Native.prototype.then = function (...handlers) {
      return new Foreign((resolve, reject) => nativeThen.call(this, resolve, reject)).then(...handlers);
    };
    globalThis.Promise = Foreign;`,
  'by a subclass': 'globalThis.Promise = class extends Promise {};',
};

const program = (baseUrl: string) => `
const { MarketClient } = require('market-partner-sdk');
const unhandled = [];
process.on('unhandledRejection', ({ message }) => unhandled.push(message));
const market = new MarketClient(${JSON.stringify({ baseUrl, ...credential, validateResponses: 'off' })});
(async () => {
  const input = { domain: 'brew.example', expected_price: 1 };
  const order = await market.orders.create(input);
  const { response } = await market.orders.create(input).withResponse();
  const refused = await market.orders.create({ domain: 5 }).catch((error) => error.name);
  const thenned = await market.orders.create(input).then((made) => made.public_id);
  const finished = await market.orders.create(input).finally(() => undefined);
  const page = await market.orders.list();
  const items = [];
  for await (const item of market.orders.list()) items.push(item);
  const checked = [];
  for await (const { domain } of market.domains.checkMany(['brew.example'])) checked.push(domain);
  const array = await market.orders.list().toArray();
  await market.close();
  await new Promise((resolve) => setTimeout(resolve, 10));
  console.log(JSON.stringify({
    order: order.public_id, status: response.status, refused, thenned, finished: finished.public_id,
    pages: [page.items.length, items.length, array.length], checked, unhandled,
  }));
})();`;

describe('a global Promise that was replaced', () => {
  it.each(Object.entries(replacements))('%s changes no call', async (_title, replacement) => {
    let orders = 0;
    const baseUrl = await serve((request, response) => {
      if (request.method === 'POST') orders += 1;
      response.end(JSON.stringify(okBody));
    });
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['-e', replacement + program(baseUrl)],
      { cwd: fileURLToPath(new URL('../../../', import.meta.url)), timeout: 15_000 },
    );
    expect(JSON.parse(stdout)).toEqual({
      order: 'ord_1001',
      status: 200,
      refused: 'InvalidRequestError',
      thenned: 'ord_1001',
      finished: 'ord_1001',
      pages: [0, 0, 0],
      checked: ['brew.example'],
      unhandled: [],
    });
    expect(orders).toBe(4);
  });
});
