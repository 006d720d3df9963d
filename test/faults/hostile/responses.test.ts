/** Responses that try to break their reader: every call ends, with data or with a MarketError. */

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { MarketError } from 'market-partner-sdk';
import { everyCall } from '../../specification.js';
import type { Fault, WireResponse } from '../simulation/exchange.js';
import { settled, simulatedMarket, simulatedTime } from '../simulation/simulated-market.js';

const records = { publicId: 'ord_1', caseId: 'case_1' };
const huge = 'x'.repeat(1_000_000);
/** As long as a header can be that undici accepts. */
const long = 'x'.repeat(15_000);

/** JSON texts, each sent as a success and as several errors. */
const bodies: Readonly<Record<string, string>> = {
  'deep arrays': '['.repeat(5_000) + ']'.repeat(5_000),
  'deep objects': '{"data":'.repeat(5_000) + '1' + '}'.repeat(5_000),
  'a prototype': '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  'a list of prototypes': '{"items":[{"__proto__":{"polluted":true}}],"next_cursor":null}',
  'a code that every object has': '{"code":"constructor","message":"toString"}',
  'a code that is a prototype': '{"code":"__proto__","message":"__proto__"}',
  'a code of a megabyte': JSON.stringify({ code: huge, message: huge }),
  'a code that is an object': '{"code":{"a":1},"message":["b"],"error":{"code":[],"message":{}}}',
  'records that are none': '{"items":[null,1,"a",[],true,{"public_id":null}],"next_cursor":7}',
  'a number for each field': '{"public_id":1,"status":2,"checkout_url":3,"events":4,"items":5}',
  'an infinite number': '{"sale_price_cents":1e999,"public_id":"a","items":[-1e999]}',
  'half a character': '{"public_id":"\\ud800","items":["\\udfff"],"code":"\\ud800"}',
  null: 'null',
  'a string': '"text"',
  'a byte order mark': '\ufeff{"items":[]}',
  'ten thousand members': `{${Array.from({ length: 10_000 }, (_, at) => `"k${at}":1`).join()}}`,
};

/** Headers that a client reads. */
const headers: Readonly<Record<string, string>> = {
  'retry-after': '9'.repeat(400),
  date: 'Thu, 99 Foo 20266 99:99:99 GMT',
  age: '-1',
  location: `javascript:${long}`,
  'content-type': long,
  'x-request-id': '\x7f\x80',
  __proto__: 'polluted',
};

for (const [name, body] of Object.entries(bodies)) {
  describe(name, () => {
    for (const status of [200, 400, 404, 429, 500]) {
      it(`with status ${status} ends every call`, async () => {
        await expectEveryCallEnds(respond({ status, headers: {}, body }));
      });
    }
  });
}

it('hostile headers end every call', async () => {
  for (const status of [200, 204, 302, 401, 429, 503]) {
    await expectEveryCallEnds(respond({ status, headers, body: '{"code":"invalid_timestamp"}' }));
  }
});

it('bytes that are no text end every call', async () => {
  await expectEveryCallEnds(
    respond({ status: 200, headers: {}, body: '\xff\xfe\x00{"items":[]}' }),
  );
});

async function expectEveryCallEnds(fault: Fault): Promise<void> {
  const time = simulatedTime();
  for (const validateResponses of ['warn', 'error'] as const) {
    const { market } = simulatedMarket(time, () => fault, { validateResponses, maxRetries: 1 });
    for (const row of everyCall) {
      const result = await time.run(settled(() => row.invoke(market, records)));
      expect(Object.keys(Object.prototype)).toEqual([]);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      if ('error' in result) expectBounded(row.name, result.error);
    }
  }
}

/** A MarketError whose every form is printed, and of a bounded length. */
function expectBounded(name: string, error: unknown): void {
  if (!(error instanceof MarketError)) throw new Error(`${name}: ${inspect(error)}`);
  expect(error.message.length).toBeLessThan(5_000);
  expect(inspect(error).length).toBeLessThan(200_000);
  expect(JSON.stringify(error).length).toBeLessThan(200_000);
}

function respond(response: WireResponse): Fault {
  return (exchange) => {
    if (exchange.start()) exchange.respond(response);
  };
}
