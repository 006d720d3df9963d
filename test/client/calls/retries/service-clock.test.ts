/** A machine whose clock is wrong, set right by the service's own answers. */

import { describe, expect, it } from 'vitest';
import { HttpResponse } from 'msw';
import { rejectionOf } from '../../../support/errors.js';
import {
  credential,
  okResponse,
  mockMarket,
  type MockMarket,
  type Step,
} from '../../../support/mock-market.js';
import { isSigned } from '../../../support/signature-check.js';

const hourMs = 3_600_000;

/** A service whose clock is an hour ahead, and that checks the timestamp (specification, part 5). */
function serviceAnHourAhead(head: Record<string, string> = {}, maxRetries = 2): MockMarket {
  const step: Step = () => {
    const { time, dispatcher } = service;
    const serviceMs = time.nowMs + hourMs;
    const sent = Number(dispatcher.sent.at(-1)!.headers['x-market-timestamp']);
    const headers = { date: new Date(serviceMs).toUTCString(), ...head };
    if (Math.abs(sent - serviceMs / 1000) <= 300) return okResponse();
    return HttpResponse.json({ code: 'invalid_timestamp' }, { status: 401, headers });
  };
  const service = mockMarket([step], { maxRetries });
  return service;
}

describe('market.now', () => {
  it("is the machine's time until a response shows that it is wrong, then the service's", async () => {
    const { market, time } = serviceAnHourAhead();
    expect(market.now()).toBe(time.nowMs);
    await market.orders.get('ord_1001');
    expect(market.now()).toBe(time.nowMs + hourMs);
    time.nowMs += 90_000;
    expect(market.now()).toBe(time.nowMs + hourMs);
    expect(market.withOptions({ maxRetries: 0 }).now()).toBe(market.now());
  });
});

describe('a clock that is an hour wrong', () => {
  it('is corrected within the call, and the corrected request is signed again', async () => {
    const { market, dispatcher } = serviceAnHourAhead();
    const { response } = await market.orders.get('ord_1001').withResponse();
    expect(response.attempts).toBe(2);
    const [first, second] = dispatcher.sent;
    const [early, right] = [first!, second!].map(({ headers }) => headers['x-market-timestamp']);
    expect(Number(right) - Number(early)).toBe(3600);
    expect(dispatcher.sent.every((request) => isSigned(request, credential))).toBe(true);
  });

  it('is right for the calls that follow, and for clients made from this one', async () => {
    const { market, dispatcher } = serviceAnHourAhead();
    await market.orders.get('ord_1001');
    await market.orders.get('ord_1002');
    await market.withOptions({ maxRetries: 0 }).orders.get('ord_1003');
    expect(dispatcher.sent).toHaveLength(4);
  });

  it('is corrected for a refund too: the service refused it', async () => {
    const { market, dispatcher } = serviceAnHourAhead();
    await market.orders.refund({ public_id: 'ord_1001' });
    expect(dispatcher.sent).toHaveLength(2);
  });

  it('is right for the next call where this one may not be repeated', async () => {
    const { market, dispatcher } = serviceAnHourAhead({}, 0);
    expect(await rejectionOf(market.orders.get('ord_1001'))).toMatchObject({
      code: 'invalid_timestamp',
      attempts: 1,
    });
    await market.orders.get('ord_1001');
    expect(dispatcher.sent).toHaveLength(2);
  });

  const unusable: [string, Record<string, string>][] = [
    ['the answer came out of a cache', { age: '7' }],
    ['its Date is in another form', { date: '2026-11-21T09:00:00Z' }],
    ['its Date is of no calendar', { date: 'Tue, 31 Feb 2026 09:00:00 GMT' }],
    ['its Date has the wrong weekday', { date: 'Mon, 21 Nov 2026 09:00:00 GMT' }],
    ['its Date is empty', { date: '' }],
  ];
  it.each(unusable)('stays as it is when %s', async (_why, head) => {
    const { market, time, dispatcher } = serviceAnHourAhead(head);
    for (const attempt of [1, 2]) {
      const error = await rejectionOf(market.orders.get('ord_1001'));
      expect(error).toMatchObject({ code: 'invalid_timestamp', attempts: 1, outcome: 'rejected' });
      expect(dispatcher.sent).toHaveLength(attempt);
    }
    const { headers } = dispatcher.sent[1]!;
    expect(headers['x-market-timestamp']).toBe(String(time.nowMs / 1000));
  });

  it('stays as it is when the answer has no Date', async () => {
    const undated = () => HttpResponse.json({ code: 'invalid_timestamp' }, { status: 401 });
    const { market } = mockMarket([undated]);
    expect(await rejectionOf(market.orders.get('ord_1001'))).toMatchObject({ attempts: 1 });
  });

  it('does not lengthen or shorten a wait that is running', async () => {
    let turn = 0;
    const step: Step = () => {
      turn += 1;
      if (turn === 2) {
        const headers = { date: 'Sat, 21 Nov 2026 09:00:10 GMT' };
        return HttpResponse.json({ code: 'invalid_timestamp' }, { status: 401, headers });
      }
      const headers = { 'retry-after': '10' };
      return turn === 1 ? HttpResponse.json({}, { status: 429, headers }) : okResponse();
    };
    const { market, time } = mockMarket([step], { deadlineMs: 11_000 });
    await market.orders.get('ord_1001');
    expect(time.slept).toEqual([10_000]);
  });
});
