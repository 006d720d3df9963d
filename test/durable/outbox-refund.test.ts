import {
  createOrderOutbox,
  type OrderOutbox,
  type OrderOutboxOptions,
} from 'market-partner-sdk/durable';
import { fault, type Fault } from 'market-partner-sdk/testing';
import { describe, expect, it } from 'vitest';
import { noCallbacks } from './support/no-callbacks.js';
import { intent, useOutboxWorld } from './support/outbox-world.js';
import type { QueueEngine } from '../../src/durable/queue/engine.js';
import { memoryEngine } from './support/open-engines.js';

const refundUrl = 'POST /refunds';

const world = useOutboxWorld();

const refunds = () =>
  world.emulator.requests.filter(
    ({ method, path }) => method === 'POST' && path.endsWith('/refunds'),
  );

/** What the service itself says about its orders. */
const statuses = async () => (await world.orders()).map(({ status }) => status);

function refundingOutbox(options: Partial<OrderOutboxOptions> = {}): OrderOutbox {
  return world.outboxWith({ ...callbacks(), ...options });
}

function callbacks() {
  const { reported } = world;
  return {
    onRefunded: ({ domain }, { key }) => reported.push(`${key} refunded ${domain}`),
    onNotRefunded: ({ reason }, { key }) => reported.push(`${key} not refunded ${reason}`),
  } satisfies Partial<OrderOutboxOptions>;
}

async function placedSale(options: Partial<OrderOutboxOptions> = {}): Promise<OrderOutbox> {
  const outbox = refundingOutbox(options);
  await outbox.add(intent('pay-1'));
  await world.drainFor(outbox, 1);
  expect(world.reported.splice(0)).toEqual(['pay-1 placed brew.example']);
  return outbox;
}

const withdrew = { reason: 'the buyer withdrew' };

/** A placed sale whose refund is asked for, and meets this fault for so many minutes. */
async function refundMeeting(each: Fault, minutes = 0): Promise<OrderOutbox> {
  const outbox = await placedSale();
  world.emulator.faults.on(refundUrl, each);
  await outbox.refund('pay-1', withdrew);
  await world.drainFor(outbox, minutes);
  return outbox;
}

it('refunds the order of a sale, once', async () => {
  const outbox = await placedSale();
  expect(await outbox.refund('pay-1', withdrew)).toEqual({ added: true });
  expect(await outbox.get('pay-1')).toMatchObject({
    state: 'refunding',
    refund: { state: 'waiting', reason: 'the buyer withdrew' },
  });
  expect(await outbox.list({ state: 'refunding' })).toMatchObject([{ key: 'pay-1' }]);
  expect(await outbox.list({ state: 'waiting' })).toEqual([]);
  await world.drainFor(outbox, 1);
  expect(await outbox.refund('pay-1', { reason: 'again' })).toEqual({ added: false });
  await world.drainFor(outbox, 1);
  expect(world.reported).toEqual(['pay-1 refunded brew.example']);
  expect(refunds()).toHaveLength(1);
  expect(await statuses()).toEqual(['REFUNDED']);
  expect(await outbox.waitFor('pay-1')).toMatchObject({
    state: 'refunded',
    order: { domain: 'brew.example' },
    refund: { state: 'refunded', reason: 'the buyer withdrew' },
  });
  expect(await outbox.list({ state: 'refunded' })).toMatchObject([{ key: 'pay-1' }]);
  expect(await outbox.list({ state: 'placed' })).toEqual([]);
});

it('a drain counts what it refunded and what it did not', async () => {
  const outbox = await placedSale();
  await outbox.add(intent('pay-2', { domain: 'tea.example', expected_price: 1 }));
  await outbox.refund('pay-1', withdrew);
  await outbox.refund('pay-2', withdrew);
  const drained = outbox.drain({ maxMs: 60_000 });
  await world.time.advance(30_000);
  expect(await drained).toMatchObject({ refused: 1, refunded: 1, notRefunded: 1, left: 0 });
});

describe('a refund of a sale that is not decided', () => {
  it('waits for its order, and is told after it', async () => {
    const outbox = refundingOutbox();
    world.emulator.faults.on('POST /orders', fault.internalError(), { times: 3 });
    await outbox.add(intent('pay-1'));
    await world.drainFor(outbox, 0.5);
    await outbox.refund('pay-1', withdrew);
    expect(await outbox.get('pay-1')).toMatchObject({
      state: 'waiting',
      refund: { state: 'waiting' },
    });
    expect(await outbox.list({ state: 'waiting' })).toHaveLength(1);
    await world.drainFor(outbox);
    expect(world.reported).toEqual(['pay-1 placed brew.example', 'pay-1 refunded brew.example']);
    expect(refunds()).toHaveLength(1);
  });

  it('ends at once if the sale has no order', async () => {
    const outbox = refundingOutbox();
    await outbox.add(intent('pay-1', { expected_price: 1 }));
    await outbox.refund('pay-1', withdrew);
    await world.drainFor(outbox, 1);
    expect(world.reported).toEqual([
      expect.stringContaining('pay-1 refused price_mismatch'),
      'pay-1 not refunded no_order',
    ]);
    expect(await outbox.get('pay-1')).toMatchObject({
      state: 'refused',
      refund: { state: 'not_refunded', notRefunded: { reason: 'no_order' } },
    });
    expect(refunds()).toEqual([]);
  });

  it('waits for the operator who decides on the sale', async () => {
    const outbox = refundingOutbox({ escalateAfterMs: 1 });
    world.emulator.faults.on('POST /orders', fault.resetAfterWork());
    world.emulator.faults.on('GET /orders', fault.internalError());
    await outbox.add(intent('pay-1'));
    await outbox.refund('pay-1', withdrew);
    await world.drainFor(outbox);
    world.emulator.faults.clear();
    const [order] = await world.orders();
    await outbox.resolve('pay-1', { placed: order!.public_id });
    await world.drainFor(outbox);
    expect(world.reported).toEqual([
      'pay-1 attention not_placed_in_time 0',
      'pay-1 placed brew.example',
      'pay-1 refunded brew.example',
    ]);
  });
});

it.each<[string, Fault]>([
  ['a rate limit', fault.rateLimited(600)],
  ['a refused credential', fault.status(401, { code: 'invalid_signature' })],
])("%s for an hour is not an operator's, and the refund follows it", async (_what, each) => {
  const outbox = await refundMeeting(each, 60);
  expect(await outbox.get('pay-1')).toMatchObject({ state: 'refunding' });
  world.emulator.faults.clear();
  await world.drainFor(outbox, 15);
  expect(world.reported).toEqual(['pay-1 refunded brew.example']);
  expect(await statuses()).toEqual(['REFUNDED']);
});

it("a service that cannot be reached is not an operator's, and the refund follows it", async () => {
  let isAway = false;
  const market = world.client({
    fetch: (...request) =>
      isAway ? Promise.reject(refusedConnection()) : world.emulator.fetch(...request),
  });
  const outbox = await placedSale({ market });
  isAway = true;
  await outbox.refund('pay-1', withdrew);
  await world.drainFor(outbox, 60);
  expect(await outbox.get('pay-1')).toMatchObject({ state: 'refunding' });
  isAway = false;
  await world.drainFor(outbox, 15);
  expect(world.reported).toEqual(['pay-1 refunded brew.example']);
});

function refusedConnection(): Error {
  return new TypeError('fetch failed', {
    cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
  });
}

describe('a request that the service received', () => {
  /** Hours in which the outbox may look every now and then. */
  const drainForHours = async (outbox: OrderOutbox, hours: number) => {
    for (let hour = 0; hour < hours; hour += 1) {
      const drained = outbox.drain({ maxMs: 60_000 });
      await world.time.advance(3_600_000);
      await drained;
    }
  };
  /** A client for which the order is read otherwise once the refund was sent. */
  const clientWhoseOrderThen = (each: () => Fault, times = Infinity) =>
    world.client({
      fetch: async (url, init) => {
        const response = await world.emulator.fetch(url, init);
        const { faults } = world.emulator;
        if (url.endsWith('/refunds')) faults.on('GET /orders/{public_id}', each(), { times });
        return response;
      },
    });
  const answers: [string, Fault][] = [
    ['is requested', fault.status(202, { body: { status: 'requested' } })],
    ['names the order', fault.status(200, { body: { public_id: 'ord_1', status: 'pending' } })],
    ['says that it is refunded', fault.status(201, { body: { status: 'REFUNDED' } })],
    ['has another id', fault.status(201, { body: { id: 'rf_1' } })],
    ['is empty', fault.status(202, { body: '' })],
    ['is under way already', fault.status(409, { code: 'refund_in_progress' })],
  ];

  it.each(answers)('%s: it is refunded only when its order is', async (_what, each) => {
    const outbox = await refundMeeting(each);
    await drainForHours(outbox, 24);
    expect(world.reported).toEqual([]);
    expect(await outbox.get('pay-1')).toMatchObject({ state: 'refunding' });
    await world.act('refund');
    await drainForHours(outbox, 8);
    expect(world.reported).toEqual(['pay-1 refunded brew.example']);
    expect(refunds()).toHaveLength(1);
  });

  it.each(answers)("%s: it is an operator's after days", async (_what, each) => {
    const outbox = await refundMeeting(each);
    await drainForHours(outbox, 80);
    expect(world.reported).toEqual(['pay-1 attention not_visible 0']);
    expect(refunds()).toHaveLength(1);
    expect(await outbox.get('pay-1')).toMatchObject({
      attention: { message: expect.stringContaining('received by the service') as string },
    });
    const looks = world.emulator.requests.filter(({ path }) => path.includes('/orders/ord_'));
    expect(looks.length).toBeLessThan(200);
  });

  it.each([
    ['does at last', 'refund', ['pay-1 refunded brew.example']],
    ['denies in silence', 'denyRefund', ['pay-1 attention not_visible 0']],
  ] as const)('waits for what the staff %s', async (_what, move, told) => {
    const outbox = await placedSale();
    world.emulator.admin.holdNextRefund();
    await outbox.refund('pay-1', withdrew);
    await drainForHours(outbox, 24);
    expect(world.reported).toEqual([]);
    await world.act(move);
    await drainForHours(outbox, 56);
    expect(world.reported).toEqual(told);
    expect(refunds()).toHaveLength(1);
  });

  it('is not done because the domain was delivered meanwhile: a clawback may follow', async () => {
    const outbox = await refundMeeting(fault.status(202, { body: { status: 'requested' } }), 5);
    await world.act('startTransfer', 'completeTransfer');
    await drainForHours(outbox, 1);
    expect(world.reported).toEqual([]);
    await world.act('refund');
    await drainForHours(outbox, 2);
    expect(world.reported).toEqual(['pay-1 refunded brew.example']);
  });

  it.each(['failed', 'REJECTED', 'refund_declined', 'Denied', 'cancelled', 'not_refunded'])(
    'and says "%s" is not refunded, once the order agrees',
    async (status) => {
      const outbox = await placedSale({ market: clientWhoseOrderThen(fault.internalError, 3) });
      const [order] = await world.orders();
      const body = { public_id: order!.public_id, status };
      world.emulator.faults.on(refundUrl, fault.status(200, { body }));
      await outbox.refund('pay-1', withdrew);
      await world.drainFor(outbox, 0.5);
      expect(world.reported).toEqual([]);
      await world.drainFor(outbox, 5);
      expect(world.reported).toEqual(['pay-1 not refunded refused']);
      expect(refunds()).toHaveLength(1);
      expect(await outbox.get('pay-1')).toMatchObject({
        state: 'placed',
        refund: { notRefunded: { message: expect.stringContaining(`"${status}"`) as string } },
      });
    },
  );

  it.each([
    ['is refunded', { status: 'REFUNDED' }, ['pay-1 refunded brew.example']],
    ['has a refund that is pending', { status: 'REFUND_PENDING' }, []],
    ['states another id', { public_id: 'ord_other' }, []],
    ['states no id', { public_id: undefined, status: 'REFUNDED' }, []],
  ])('and says "failed", where the order %s, is believed less', async (_what, fields, expected) => {
    const body = {};
    const market = clientWhoseOrderThen(() => fault.status(200, { body }));
    const outbox = await placedSale({ market });
    const [order] = await world.orders();
    Object.assign(body, order, fields);
    world.emulator.faults.on(
      refundUrl,
      fault.status(200, { body: { refund: { id: 'rf_1', status: 'failed' } } }),
    );
    await outbox.refund('pay-1', withdrew);
    await world.drainFor(outbox, 20);
    expect(world.reported).toEqual(expected);
  });
});

describe('after a lost response', () => {
  it.each<[string, Fault]>([
    ['a reset', fault.resetAfterWork()],
    ['an error', fault.internalError({ afterWork: true })],
    ['a page of a gateway', fault.html(502, { afterWork: true })],
    ['a broken body', fault.brokenBody()],
  ])('%s: the order shows the refund, and nothing is sent again', async (_what, each) => {
    await refundMeeting(each, 30);
    expect(world.reported).toEqual(['pay-1 refunded brew.example']);
    expect(refunds()).toHaveLength(1);
  });

  it("it is an operator's once no request can arrive any longer, and is never sent again by itself", async () => {
    const outbox = await refundMeeting(fault.resetBeforeWork(), 14);
    expect(await outbox.get('pay-1')).toMatchObject({ state: 'refunding' });
    await world.drainFor(outbox, 240);
    expect(world.reported).toEqual(['pay-1 attention not_visible 0']);
    expect(refunds()).toHaveLength(1);
    expect(await outbox.status()).toMatchObject({ attention: 1, waiting: 0 });
    expect(await outbox.list({ state: 'attention' })).toMatchObject([
      {
        key: 'pay-1',
        order: { domain: 'brew.example' },
        refund: { state: 'attention' },
        attention: { message: expect.stringContaining('outbox.resolve("pay-1"') as string },
      },
    ]);
  });

  it('a refund that arrives late is found', async () => {
    const outbox = await refundMeeting(fault.resetBeforeWork(), 5);
    await world.act('refund');
    await world.drainFor(outbox, 10);
    expect(world.reported).toEqual(['pay-1 refunded brew.example']);
  });

  it('an order that was delivered instead is not refunded', async () => {
    const outbox = await refundMeeting(fault.resetBeforeWork(), 5);
    await world.act('startTransfer', 'completeTransfer');
    await world.drainFor(outbox, 10);
    expect(world.reported).toEqual(['pay-1 not refunded too_late']);
    expect(await outbox.get('pay-1')).toMatchObject({ state: 'placed' });
  });
});

describe('an operator', () => {
  async function notVisible(): Promise<OrderOutbox> {
    const outbox = await refundMeeting(fault.resetBeforeWork(), 20);
    expect(world.reported.splice(0)).toEqual(['pay-1 attention not_visible 0']);
    world.emulator.faults.clear();
    return outbox;
  }

  it('has it sent once more', async () => {
    const outbox = await notVisible();
    await outbox.resolve('pay-1', 'retry');
    await world.drainFor(outbox, 1);
    expect(world.reported).toEqual(['pay-1 refunded brew.example']);
    expect(refunds()).toHaveLength(2);
  });

  it('who has it sent again, when it was done after all, sends nothing', async () => {
    const outbox = await notVisible();
    await world.act('refund');
    await outbox.resolve('pay-1', 'retry');
    await world.drainFor(outbox, 1);
    expect(world.reported).toEqual(['pay-1 refunded brew.example']);
    expect(refunds()).toHaveLength(1);
  });

  it.each([
    [{ refunded: 'support, ticket 7' }, 'pay-1 refunded brew.example', 'refunded'],
    [{ notRefunded: 'support, ticket 7' }, 'pay-1 not refunded resolved', 'placed'],
  ] as const)('resolves it as %j', async (as, reported, state) => {
    const outbox = await notVisible();
    await outbox.resolve('pay-1', as);
    await world.drainFor(outbox, 1);
    expect(world.reported).toEqual([reported]);
    expect(await outbox.get('pay-1')).toMatchObject({ state });
    expect(refunds()).toHaveLength(1);
  });

  it('cannot resolve it as if it were the sale', async () => {
    const outbox = await notVisible();
    await expect(outbox.resolve('pay-1', { refused: 'no' })).rejects.toThrow(
      'The refund of "pay-1" needs attention, not the sale. Resolve it with { refunded } or { notRefunded }.',
    );
    await expect(outbox.resolve('pay-1', { refunded: ' ' })).rejects.toThrow('"as" must be {');
  });

  it('gets a callback that failed for good, and has it run again', async () => {
    let isBroken = true;
    const outbox = await placedSale({
      onRefunded: () => {
        if (isBroken) throw new Error('no database');
        world.reported.push('handled');
      },
    });
    await outbox.refund('pay-1', withdrew);
    world.isBusy = true;
    await world.drainFor(outbox, 180);
    expect(await outbox.get('pay-1')).toMatchObject({
      state: 'attention',
      attention: {
        reason: 'handler_failed',
        message: expect.stringMatching(/is refunded.*onRefunded failed/) as string,
      },
    });
    expect(await outbox.list({ state: 'attention' })).toHaveLength(1);
    isBroken = false;
    await outbox.resolve('pay-1', 'retry');
    await world.drainFor(outbox, 1);
    expect(world.reported).toEqual(['handled']);
    expect(refunds()).toHaveLength(1);
  });
});

it('an order that was delivered is not refunded, and nothing is sent', async () => {
  const outbox = await placedSale();
  await world.act('startTransfer', 'completeTransfer');
  await outbox.refund('pay-1', withdrew);
  await world.drainFor(outbox, 1);
  expect(world.reported).toEqual(['pay-1 not refunded too_late']);
  expect(refunds()).toEqual([]);
});

it('an order that the service took back already is refunded, and nothing is sent', async () => {
  const outbox = await placedSale();
  await world.act('cancel');
  await outbox.refund('pay-1', withdrew);
  await world.drainFor(outbox, 1);
  expect(world.reported).toEqual(['pay-1 refunded brew.example']);
  expect(refunds()).toEqual([]);
});

it('a refusal is certain unless the order was refunded meanwhile', async () => {
  const outbox = await refundMeeting(fault.status(409, { code: 'conflict', message: 'frozen' }), 1);
  expect(world.reported).toEqual(['pay-1 not refunded refused']);
  expect(await outbox.get('pay-1')).toMatchObject({
    state: 'placed',
    refund: { notRefunded: { message: expect.stringContaining('frozen') as string } },
  });
});

it('a new sale of the domain waits for the refund of the one before', async () => {
  const outbox = await placedSale();
  await outbox.refund('pay-1', withdrew);
  await outbox.add(intent('pay-2'));
  await world.drainFor(outbox, 1);
  expect(world.reported).toEqual(['pay-1 refunded brew.example', 'pay-2 placed brew.example']);
});

it("a service that is away for a day is an operator's in the end, and a retry sends it", async () => {
  const outbox = await placedSale({ escalateAfterMs: 3_600_000 });
  world.emulator.faults.on('GET /orders/{public_id}', fault.internalError());
  await outbox.refund('pay-1', withdrew);
  await world.drainFor(outbox, 75);
  expect(world.reported).toEqual(['pay-1 attention not_refunded_in_time 0']);
  world.emulator.faults.clear();
  await outbox.resolve('pay-1', 'retry');
  await world.drainFor(outbox, 1);
  expect(world.reported.at(-1)).toBe('pay-1 refunded brew.example');
});

it('what is refunded agrees with the books', async () => {
  const outbox = await placedSale();
  await outbox.refund('pay-1', withdrew);
  await world.drainFor(outbox, 1);
  await world.time.advance(3_600_000);
  const from = new Date(world.time.nowMs - 7_200_000);
  expect(await outbox.reconcile({ from }).toArray()).toEqual([]);
});

describe('refund() refuses', () => {
  it('a key without a sale', async () => {
    await expect(refundingOutbox().refund('pay-9', withdrew)).rejects.toThrow(
      'No sale has the key "pay-9"',
    );
  });

  it.each([{ reason: '' }, { reason: ' ' }, { reason: 'a\0b' }, { reason: 'x'.repeat(1_001) }, {}])(
    'the request %j',
    async (request) => {
      const outbox = await placedSale();
      await expect(outbox.refund('pay-1', request as never)).rejects.toThrow('"request.reason"');
    },
  );

  it('an outbox that would hear nothing of its end', async () => {
    const outbox = await world.outboxWithSale();
    await expect(outbox.refund('pay-1', withdrew)).rejects.toThrow(
      '"onRefunded" is required to call refund()',
    );
  });
});

describe('a process that is killed between any two steps', () => {
  /** Steps of the engine and of the network. At the chosen one the process is gone, and all after it hangs. */
  class Mortal {
    #steps = 0;
    readonly #death = new AbortController();
    readonly #diesAt: number;
    readonly wait = new Promise<never>(() => undefined);

    constructor(diesAt: number) {
      this.#diesAt = diesAt;
    }

    get isDead(): boolean {
      return this.#death.signal.aborted;
    }

    async #step(): Promise<void> {
      if (this.#steps === this.#diesAt) this.#death.abort();
      this.#steps += 1;
      if (this.isDead) await this.wait;
    }

    async run<T>(act: () => Promise<T>): Promise<T> {
      await this.#step();
      const result = await act();
      await this.#step();
      return result;
    }

    engine(sound: QueueEngine): QueueEngine {
      return {
        ...sound,
        open: async (spec) => {
          const queue = await sound.open(spec);
          return {
            ...queue,
            enqueue: (jobs, options) => this.run(() => queue.enqueue(jobs, options)),
            find: (ids) => this.run(() => queue.find(ids)),
            work: (run, options) =>
              queue.work((job) => run(job), {
                ...options,
                signal: AbortSignal.any([options.signal, this.#death.signal]),
                abandonSignal: AbortSignal.any([
                  options.abandonSignal ?? this.#death.signal,
                  this.#death.signal,
                ]),
              }),
          };
        },
      };
    }
  }

  /** @returns whether the process died, which it does not if it had fewer steps */
  async function killedAt(step: number, lost: Fault | undefined): Promise<boolean> {
    const engine = memoryEngine(world.time.options);
    const before = refundingOutbox({ engine });
    const key = `pay-${step}`;
    const domain = `kill-${step}.example`;
    world.emulator.admin.list({ domain, price_cents: 250_000 });
    await before.add(intent(key, { domain }));
    await world.drainFor(before, 0.5);
    await before.refund(key, withdrew);
    await before.stop();
    const sentBefore = refunds().length;
    world.reported.length = 0;
    if (lost !== undefined) world.emulator.faults.on(refundUrl, lost);
    const mortal = new Mortal(step);
    const market = world.client({
      fetch: (...request) => mortal.run(() => world.emulator.fetch(...request)),
    });
    const dying = createOrderOutbox({
      market,
      engine: mortal.engine(engine),
      random: () => 0.5,
      ...world.time.options,
      ...noCallbacks,
      ...callbacks(),
    });
    void dying.drain({ maxMs: 60_000 }).catch(() => undefined);
    await world.time.advance(30_000);
    world.emulator.faults.clear();
    const after = refundingOutbox({ engine });
    await world.drainFor(after, 30);
    const { state } = (await after.get(key))!;
    const isRefunded = (await world.orders()).some(
      (order) => order.domain === domain && order.status === 'REFUNDED',
    );
    expect(refunds().length - sentBefore, key).toBeLessThanOrEqual(1);
    expect(state, key).toBe(isRefunded ? 'refunded' : 'attention');
    const end = isRefunded ? `refunded ${domain}` : 'attention not_visible 0';
    expect([...new Set(world.reported)]).toEqual([`${key} ${end}`]);
    return mortal.isDead;
  }

  it.each<[string, Fault | undefined]>([
    ['with a sound service', undefined],
    ['when the response is lost', fault.resetAfterWork()],
    ['when the request is lost', fault.resetBeforeWork()],
  ])('%s never refunds twice, and is not forgotten', async (_what, lost) => {
    let steps = 0;
    while (await killedAt(steps, lost)) steps += 1;
    // Reading what is known, the order, the note, the request and the verdict, each before and after.
    expect(steps).toBeGreaterThan(12);
  });
});
