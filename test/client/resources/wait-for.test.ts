import { HttpResponse, type JsonBodyType } from 'msw';
import { describe, expect, it } from 'vitest';
import { AbortedError, OrderNotReachedError, UnexpectedResponseError } from 'market-partner-sdk';
import type { ClientOptions, OrderDetail, WaitForOptions } from 'market-partner-sdk';
import { rejectionOf } from '../../support/errors.js';
import { errorResponse, mockMarket } from '../../support/mock-market.js';
import { recordingLogger } from '../../support/recording-logger.js';

const path = '/api/partner/v1/orders/ord_1';

const orderIn = (status: string) => ({
  public_id: 'ord_1',
  domain: 'brew.example',
  status,
  sale_price_cents: 250_000,
  currency: 'USD',
});

/** An order whose status, or the failure of reading it, changes from read to read; the last stays. */
function orderThatIs(states: readonly (string | (() => Response))[], options: ClientOptions = {}) {
  const { logger, warnings } = recordingLogger();
  const made = mockMarket(
    (_request, count) => {
      const state = states[Math.min(count, states.length) - 1] ?? '';
      return typeof state === 'string' ? orderIn(state) : state();
    },
    { logger, maxRetries: 0, ...options },
  );
  const waitFor = (given: WaitForOptions) => made.market.orders.waitFor('ord_1', given);
  return { ...made, warnings, waitFor };
}

describe('orders.waitFor gives the order', () => {
  it('at once where it is there already', async () => {
    const { waitFor, time, sent } = orderThatIs(['SETTLED']);
    expect(await waitFor({ until: 'SETTLED' })).toEqual(orderIn('SETTLED'));
    expect(sent.map(({ method, target }) => `${method} ${target}`)).toEqual([`GET ${path}`]);
    expect(time.slept).toEqual([]);
  });

  it('once it is there, and reads no more', async () => {
    const states = ['EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED'];
    const { waitFor, sent } = orderThatIs(states);
    const order = await waitFor({ until: 'TRANSFER_COMPLETED' });
    expect(order.status).toBe('TRANSFER_COMPLETED');
    expect(sent).toHaveLength(3);
  });

  it('where it is past the status that was waited for', async () => {
    const { waitFor } = orderThatIs(['EXTERNALLY_PAID', 'SETTLED']);
    expect(await waitFor({ until: 'TRANSFER_COMPLETED' })).toMatchObject({ status: 'SETTLED' });
  });

  it('in one of several statuses, known or not', async () => {
    const until = ['REFUNDED', 'SETTLED', 'A_STATUS_OF_TOMORROW'] as const;
    for (const status of until) {
      const { waitFor } = orderThatIs(['EXTERNALLY_PAID', status]);
      expect(await waitFor({ until })).toMatchObject({ status });
    }
  });

  it.each(['settled', 'Transfer_Completed'])('in any letter case: %s', async (status) => {
    const { waitFor } = orderThatIs(['externally_paid', status]);
    expect(await waitFor({ until: 'TRANSFER_COMPLETED' })).toMatchObject({ status });
  });

  it('that fits a test of the caller', async () => {
    const { waitFor } = orderThatIs(['EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS']);
    const until = ({ status }: OrderDetail) => status.startsWith('TRANSFER');
    expect(await waitFor({ until })).toMatchObject({ status: 'TRANSFER_IN_PROGRESS' });
  });

  it.each([
    ['an object', async () => false],
    ['undefined', () => undefined],
    ['null', () => null],
    ['a string', ({ status }: OrderDetail) => status],
  ])('and refuses a test that returns %s: it would end at once, or never', async (what, until) => {
    const { waitFor, sent } = orderThatIs(['EXTERNALLY_PAID']);
    const error = await rejectionOf(waitFor({ until: until as unknown as () => boolean }));
    expect(error.message).toContain(
      `"until" must return true or false, and it returned ${what}. The order was only read.`,
    );
    expect(sent).toHaveLength(1);
  });

  it('and reports each read', async () => {
    const failure = errorResponse(500, 'internal_error');
    const { waitFor } = orderThatIs([
      'EXTERNALLY_PAID',
      failure,
      'TRANSFER_IN_PROGRESS',
      'SETTLED',
    ]);
    const seen: string[] = [];
    await waitFor({ until: 'SETTLED', onPoll: ({ status }) => void seen.push(status) });
    expect(seen).toEqual(['EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS', 'SETTLED']);
  });

  it('with the options of its reads', async () => {
    const { waitFor, sent } = orderThatIs(['SETTLED']);
    await waitFor({ until: 'SETTLED', headers: { 'X-A': '1' }, timeoutMs: 5, maxRetries: 1 });
    expect(sent[0]?.headers['x-a']).toBe('1');
  });
});

describe('its pauses', () => {
  it('grow by half up to the longest, and half of each is jitter', async () => {
    const { waitFor, time } = orderThatIs(['EXTERNALLY_PAID']);
    time.random = 1;
    await rejectionOf(waitFor({ until: 'SETTLED', deadlineMs: 60_000, maxIntervalMs: 8_000 }));
    expect(time.slept.slice(0, 7)).toEqual([2_000, 3_000, 4_500, 6_750, 8_000, 8_000, 8_000]);
    time.slept.length = 0;
    time.random = 0;
    await rejectionOf(waitFor({ until: 'SETTLED', deadlineMs: 60_000, maxIntervalMs: 8_000 }));
    expect(time.slept.slice(0, 6)).toEqual([1_000, 1_500, 2_250, 3_375, 4_000, 4_000]);
  });

  it('begin with what is given, but not above the longest', async () => {
    const { waitFor, time } = orderThatIs(['EXTERNALLY_PAID', 'SETTLED']);
    time.random = 1;
    await waitFor({ until: 'SETTLED', intervalMs: 100 });
    const second = orderThatIs(['EXTERNALLY_PAID', 'SETTLED']);
    second.time.random = 1;
    await second.waitFor({ until: 'SETTLED', intervalMs: 5_000, maxIntervalMs: 1_000 });
    expect([...time.slept, ...second.time.slept]).toEqual([100, 1_000]);
  });

  it('never go past the deadline', async () => {
    const { waitFor, time } = orderThatIs(['EXTERNALLY_PAID']);
    time.random = 1;
    await rejectionOf(waitFor({ until: 'SETTLED', deadlineMs: 6_000 }));
    expect(time.slept).toEqual([2_000, 3_000, 1_000]);
  });
});

describe('orders.waitFor ends without the order', () => {
  it('where it ended elsewhere', async () => {
    for (const status of ['REFUNDED', 'CANCELLED', 'CANCELED', 'ORDER_REFUNDED']) {
      const { waitFor, sent } = orderThatIs(['EXTERNALLY_PAID', status]);
      const error = await rejectionOf(waitFor({ until: ['TRANSFER_COMPLETED', 'SETTLED'] }));
      expect(error).toBeInstanceOf(OrderNotReachedError);
      expect(error).toMatchObject({ order: { status } });
      expect(error.message).toContain(`ended as ${status}`);
      expect(error.message).toContain('TRANSFER_COMPLETED or SETTLED');
      expect(sent).toHaveLength(2);
    }
  });

  it('where it is settled, and a refund was waited for', async () => {
    const { waitFor } = orderThatIs(['SETTLED']);
    expect(await rejectionOf(waitFor({ until: 'REFUNDED' }))).toBeInstanceOf(OrderNotReachedError);
    const never = orderThatIs(['SETTLED']);
    const error = await rejectionOf(never.waitFor({ until: () => false }));
    expect(error.message).toContain('what was waited for');
  });

  it('when the deadline is over, with the last status and the last failure', async () => {
    const { waitFor } = orderThatIs(['TRANSFER_IN_PROGRESS', errorResponse(500, 'internal_error')]);
    const error = await rejectionOf(waitFor({ until: 'SETTLED', deadlineMs: 20_000 }));
    expect(error).toMatchObject({
      name: 'TimeoutError',
      which: 'deadline',
      method: 'GET',
      path,
      body: { status: 'TRANSFER_IN_PROGRESS' },
      cause: { name: 'InternalServerError' },
    });
    expect(error.message).toContain('20000 ms (deadlineMs)');
    expect(error.message).toContain('its last status was TRANSFER_IN_PROGRESS');
    expect(error.attempts).toBeGreaterThan(3);
  });

  it('after ten minutes, if no deadline is given', async () => {
    const { waitFor, time } = orderThatIs(['EXTERNALLY_PAID']);
    const startMs = time.nowMs;
    await rejectionOf(waitFor({ until: 'SETTLED' }));
    expect(time.nowMs - startMs).toBe(600_000);
  });

  it('when it could never be read', async () => {
    const { waitFor, warnings } = orderThatIs([() => HttpResponse.error()]);
    const error = await rejectionOf(waitFor({ until: 'SETTLED', deadlineMs: 10_000 }));
    expect(error.name).toBe('TimeoutError');
    expect(error.message).toContain('it was never read');
    expect(warnings().length).toBeGreaterThan(2);
    expect(warnings()[0]?.message).toContain('still waiting, because a read failed');
  });

  it.each<[string, () => Response, string]>([
    ['an order that does not exist', errorResponse(404, 'not_found'), 'NotFoundError'],
    ['a missing scope', errorResponse(403, 'forbidden'), 'ForbiddenError'],
    ['a refused signature', errorResponse(401, 'invalid_signature'), 'AuthenticationError'],
    ['a response of a gateway', () => HttpResponse.html('<p>'), 'UnexpectedResponseError'],
  ])('at once for %s', async (_title, answer, name) => {
    const { waitFor, time } = orderThatIs([answer]);
    expect(await rejectionOf(waitFor({ until: 'SETTLED' }))).toMatchObject({ name });
    expect(time.slept).toEqual([]);
  });

  it('at once where the order goes away', async () => {
    const { waitFor } = orderThatIs(['EXTERNALLY_PAID', errorResponse(404, 'not_found')]);
    expect((await rejectionOf(waitFor({ until: 'SETTLED' }))).name).toBe('NotFoundError');
  });

  it('at once where the client is closed', async () => {
    const { waitFor, market } = orderThatIs(['EXTERNALLY_PAID']);
    const closing = (): void => void market.close();
    const error = await rejectionOf(waitFor({ until: 'SETTLED', onPoll: closing }));
    expect(error.name).toBe('ConfigurationError');
  });

  it('with the error of a sleep that fails', async () => {
    const own = new Error('the clock stopped');
    const { waitFor } = orderThatIs(['EXTERNALLY_PAID'], { sleep: () => Promise.reject(own) });
    expect(await rejectionOf(waitFor({ until: 'SETTLED' }))).toBe(own);
  });

  it("with the caller's own error, thrown by a callback", async () => {
    const { waitFor } = orderThatIs(['EXTERNALLY_PAID']);
    const own = new TypeError('a mistake in the callback');
    const onPoll = () => {
      throw own;
    };
    expect(await rejectionOf(waitFor({ until: 'SETTLED', onPoll }))).toBe(own);
  });
});

describe('failures in passing', () => {
  it('do not end the wait: a reset, an outage, a full gateway, the rate limit', async () => {
    const { waitFor, warnings } = orderThatIs([
      'EXTERNALLY_PAID',
      () => HttpResponse.error(),
      () => HttpResponse.html('<h1>Bad Gateway</h1>', { status: 502 }),
      errorResponse(503, 'unavailable'),
      errorResponse(429, 'rate_limited'),
      'SETTLED',
    ]);
    expect(await waitFor({ until: 'SETTLED' })).toMatchObject({ status: 'SETTLED' });
    const failed = warnings().filter(({ message }) => message.includes('a read failed'));
    expect(failed).toHaveLength(4);
    expect(failed[1]?.fields.error).toContain('InternalServerError');
  });
});

describe('an order that is held for review', () => {
  it('is reported once, to the callback and to the logger, and the wait goes on', async () => {
    const once = ['EXTERNALLY_PAID', 'MANUAL_REVIEW', 'MANUAL_REVIEW'];
    const { waitFor, warnings } = orderThatIs([...once, ...once, 'SETTLED']);
    const held: string[] = [];
    await waitFor({ until: 'SETTLED', onHeld: ({ status }) => void held.push(status) });
    expect(held).toEqual(['MANUAL_REVIEW']);
    expect(warnings().map(({ fields }) => fields)).toEqual([
      { public_id: 'ord_1', status: 'MANUAL_REVIEW' },
    ]);
  });

  it('is what the error of the deadline says', async () => {
    const { waitFor } = orderThatIs(['ON_HOLD']);
    const error = await rejectionOf(waitFor({ until: 'SETTLED', deadlineMs: 5_000 }));
    expect(error.message).toContain('it is ON_HOLD: a person at the service must act');
  });
});

describe('a response that holds no order', () => {
  it.each<[string, JsonBodyType, string]>([
    ['null', null, 'JSON that is not an object'],
    ['a list', [], 'JSON that is not an object'],
    ['a record without an id', { status: 'SETTLED' }, 'no order with this "public_id"'],
    ['a record without a status', { public_id: 'ord_1' }, 'no order with a status'],
    ...[null, 7, true, {}, ['SETTLED'], { toString: 'x' }, ' '].map(
      (status): [string, JsonBodyType, string] => [
        `a record whose status is ${JSON.stringify(status)}`,
        { public_id: 'ord_1', status },
        'no order with a status',
      ],
    ),
  ])('ends the wait with an error that says so: %s', async (_title, body, words) => {
    const { waitFor } = orderThatIs([() => HttpResponse.json(body)], { validateResponses: 'off' });
    const error = await rejectionOf(waitFor({ until: ['SETTLED', 'REFUNDED'] }));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({ path, attempts: 1, body });
    expect(error.message).toContain(words);
  });

  it('ends it so, too, where a function takes the status for a text', async () => {
    const body = { public_id: 'ord_1', status: 7 };
    const settled = ({ status }: OrderDetail) => status.startsWith('SETTLED');
    for (const options of [
      { until: settled },
      { until: 'SETTLED', onPoll: (order: OrderDetail) => void settled(order) },
    ]) {
      const responses = [() => HttpResponse.json(body)];
      const { waitFor } = orderThatIs(responses, { validateResponses: 'off' });
      expect(await rejectionOf(waitFor(options))).toBeInstanceOf(UnexpectedResponseError);
    }
  });

  it('is still asked by a function of the order', async () => {
    const body = { public_id: 'ord_1', transfer: { state: 'done' } };
    const { waitFor } = orderThatIs([() => HttpResponse.json(body)], { validateResponses: 'off' });
    expect(await waitFor({ until: (order) => order.transfer !== undefined })).toEqual(body);
  });
});

describe("the caller's signal", () => {
  it('ends a wait before it begins', async () => {
    const { waitFor, sent } = orderThatIs(['EXTERNALLY_PAID']);
    const error = await rejectionOf(waitFor({ until: 'SETTLED', signal: AbortSignal.abort('no') }));
    expect(error).toBeInstanceOf(AbortedError);
    expect(error.cause).toBe('no');
    expect(sent).toEqual([]);
  });

  it('ends a pause at once', async () => {
    const controller = new AbortController();
    const sleep = () => {
      controller.abort('enough');
      return new Promise<void>(() => undefined);
    };
    const { waitFor, sent } = orderThatIs(['EXTERNALLY_PAID'], { sleep });
    const error = await rejectionOf(waitFor({ until: 'SETTLED', signal: controller.signal }));
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ path, cause: 'enough', attempts: 1 });
    expect(error.message).toBe(
      "orders.waitFor was aborted by the caller's signal after 1 reads; its last status was EXTERNALLY_PAID.",
    );
    expect(sent).toHaveLength(1);
  });

  it('ends a read at once', async () => {
    const controller = new AbortController();
    const { market } = mockMarket(() => {
      controller.abort('enough');
      return new Promise(() => undefined);
    });
    const waiting = market.orders.waitFor('ord_1', { until: 'SETTLED', signal: controller.signal });
    expect(await rejectionOf(waiting)).toBeInstanceOf(AbortedError);
  });
});
