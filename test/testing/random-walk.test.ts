import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fault, MarketEmulator, type EmulatorEvent } from 'market-partner-sdk/testing';
import { startOfTime } from './emulator-fixture.js';
import { caller } from './independent-signer.js';

/**
 * A walk through orders, quotes, refunds, repeats, staff and faults, beside a model that knows only
 * the table of specification part 3 and the rules of 4.2.
 */

const domains = ['brew.example', 'roast.example', 'latte.example', 'cafe.example'] as const;

const staffMoves = {
  hold: { from: ['EXTERNALLY_PAID'], to: 'MANUAL_REVIEW', event: undefined },
  clear: { from: ['MANUAL_REVIEW'], to: 'EXTERNALLY_PAID', event: 'order.manual_review_cleared' },
  startTransfer: {
    from: ['EXTERNALLY_PAID'],
    to: 'TRANSFER_IN_PROGRESS',
    event: 'order.transfer_started',
  },
  completeTransfer: {
    from: ['TRANSFER_IN_PROGRESS'],
    to: 'TRANSFER_COMPLETED',
    event: 'order.transfer_completed',
  },
  refund: {
    from: [
      'EXTERNALLY_PAID',
      'MANUAL_REVIEW',
      'TRANSFER_IN_PROGRESS',
      'TRANSFER_COMPLETED',
      'SETTLED',
    ],
    to: 'REFUNDED',
    event: 'order.refunded',
  },
  cancel: {
    from: ['EXTERNALLY_PAID', 'MANUAL_REVIEW', 'TRANSFER_IN_PROGRESS'],
    to: 'CANCELLED',
    event: 'order.refunded',
  },
} as const;

type StaffMove = keyof typeof staffMoves;

interface ModelOrder {
  id: string | undefined;
  readonly domain: string;
  status: string;
}

interface Model {
  readonly orders: ModelOrder[];
  /** What each key has done: its body, and its order where there is one. */
  readonly keys: Map<
    string,
    { readonly body: string; readonly status: number; readonly order?: ModelOrder }
  >;
  readonly quotes: { readonly domain: string; readonly madeAt: number }[];
  /** Types of the events that there must be, in order. */
  readonly events: string[];
  now: number;
}

interface Real {
  readonly emulator: MarketEmulator;
  readonly call: ReturnType<typeof caller>;
  readonly quoteIds: string[];
}

type Step = fc.AsyncCommand<Model, Real>;

/** Whether the domain is taken by an order that stands. */
const isSold = (model: Model, domain: string) =>
  model.orders.some(
    (each) => each.domain === domain && !['REFUNDED', 'CANCELLED'].includes(each.status),
  );

function quote(domain: string): Step {
  return {
    check: () => true,
    async run(model, real) {
      const reply = await real.call('POST /quotes', { body: { domain } });
      expect(reply.status).toBe(isSold(model, domain) ? 404 : 201);
      if (reply.status !== 201) return;
      real.quoteIds.push(reply.json.quote_id);
      model.quotes.push({ domain, madeAt: model.now });
    },
    toString: () => `quote(${domain})`,
  };
}

type Trouble =
  | 'none'
  | 'resetBeforeWork'
  | 'resetAfterWork'
  | 'errorBeforeWork'
  | 'errorAfterWork'
  | 'brokenBody';

const troubles = {
  none: undefined,
  resetBeforeWork: fault.resetBeforeWork(),
  resetAfterWork: fault.resetAfterWork(),
  errorBeforeWork: fault.internalError(),
  errorAfterWork: fault.internalError({ afterWork: true }),
  brokenBody: fault.brokenBody(),
} as const;

function order(domain: string, key: string, quoteAt: number | undefined, trouble: Trouble): Step {
  return {
    check: (model) => quoteAt === undefined || quoteAt < model.quotes.length,
    async run(model, real) {
      const quote_id = quoteAt === undefined ? undefined : real.quoteIds[quoteAt];
      const body = JSON.stringify({ domain, quote_id });
      const struck = troubles[trouble];
      if (struck !== undefined) real.emulator.faults.next(struck);
      const reply = await real.call('POST /orders', { body, key }).catch(() => undefined);

      const isWorked = trouble !== 'resetBeforeWork' && trouble !== 'errorBeforeWork';
      const known = model.keys.get(key);
      const expected =
        known === undefined
          ? work(model, domain, quoteAt)
          : { status: known.body === body ? known.status : 409 };
      if (isWorked && known === undefined) {
        const made: ModelOrder | undefined =
          expected.status === 201
            ? { id: undefined, domain, status: 'EXTERNALLY_PAID' }
            : undefined;
        if (made !== undefined) {
          model.orders.push(made);
          model.events.push('order.recorded');
          made.id = (real.emulator.events.at(-1)!.data.order as { public_id: string }).public_id;
        }
        if ([201, 404, 422].includes(expected.status)) {
          model.keys.set(key, {
            body,
            status: expected.status,
            ...(made === undefined ? {} : { order: made }),
          });
        }
      }
      if (trouble !== 'none') {
        expect(reply === undefined || reply.status === 500).toBe(true);
        return;
      }
      expect(reply!.status).toBe(expected.status);
      const its = model.keys.get(key)?.order;
      if (reply!.status === 201) expect(reply!.json.public_id).toBe(its!.id);
    },
    toString: () => `order(${domain}, ${key}, quote ${quoteAt ?? '-'}, ${trouble})`,
  };
}

function work(model: Model, domain: string, quoteAt: number | undefined): { status: number } {
  const used = quoteAt === undefined ? undefined : model.quotes[quoteAt]!;
  if (used !== undefined && used.domain !== domain) return { status: 400 };
  if (used !== undefined && model.now > used.madeAt + 600_000) return { status: 422 };
  return { status: isSold(model, domain) ? 404 : 201 };
}

function staff(move: StaffMove, at: number): Step {
  return {
    check: (model) => at < model.orders.length,
    async run(model, { emulator }) {
      const chosen = model.orders[at]!;
      const { from, to, event } = staffMoves[move];
      if (!(from as readonly string[]).includes(chosen.status)) {
        expect(() => emulator.admin[move](chosen.id!)).toThrow('is not possible');
        return;
      }
      expect(emulator.admin[move](chosen.id!).status).toBe(to);
      chosen.status = to;
      if (event !== undefined) model.events.push(event);
    },
    toString: () => `${move}(order ${at})`,
  };
}

function refund(at: number): Step {
  return {
    check: (model) => at < model.orders.length,
    async run(model, real) {
      const chosen = model.orders[at]!;
      const isOpen = ['EXTERNALLY_PAID', 'MANUAL_REVIEW', 'TRANSFER_IN_PROGRESS'].includes(
        chosen.status,
      );
      const { status } = await real.call('POST /refunds', { body: { public_id: chosen.id } });
      expect(status).toBe(isOpen ? 201 : 409);
      if (!isOpen) return;
      chosen.status = 'REFUNDED';
      model.events.push('order.refunded');
    },
    toString: () => `refund(order ${at})`,
  };
}

const settle: Step = {
  check: () => true,
  async run(model, { emulator }) {
    const due = model.orders.filter(({ status }) => status === 'TRANSFER_COMPLETED');
    expect(emulator.admin.settle()).toHaveLength(due.length > 0 ? 1 : 0);
    for (const each of due) {
      each.status = 'SETTLED';
      model.events.push('order.settled');
    }
  },
  toString: () => 'settle()',
};

function wait(minutes: number): Step {
  return {
    check: () => true,
    async run(model, { emulator }) {
      model.now += minutes * 60_000;
      emulator.clock.advance(minutes * 60_000);
    },
    toString: () => `wait(${minutes} minutes)`,
  };
}

const position = fc.nat({ max: 5 });
const steps = [
  fc.constantFrom(...domains).map(quote),
  fc
    .tuple(
      fc.constantFrom(...domains),
      fc.constantFrom('k1', 'k2', 'k3', 'k4', 'k5', 'k6'),
      fc.option(fc.nat({ max: 3 }), { nil: undefined }),
      fc.constantFrom(...(Object.keys(troubles) as Trouble[])),
    )
    .map((parts) => order(...parts)),
  fc
    .tuple(fc.constantFrom(...(Object.keys(staffMoves) as StaffMove[])), position)
    .map((parts) => staff(...parts)),
  position.map(refund),
  fc.constant(settle),
  fc.constantFrom(1, 9, 11).map(wait),
];

/** The history read page by page from a cursor, with pages of any size. */
async function historyAfter(
  call: Real['call'],
  afterId: string | undefined,
  limit: number,
): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = afterId; ;) {
    const position = cursor === undefined ? '' : `&after_id=${cursor}`;
    const { events, next_cursor } = (await call(`GET /events?limit=${limit}${position}`)).json;
    ids.push(...events.map(({ id }) => id));
    if (events.length === 0) return ids;
    cursor = next_cursor ?? undefined;
  }
}

async function checkEnd(model: Model, { emulator, call }: Real, limit: number): Promise<void> {
  expect(emulator.events.map(({ type }) => type)).toEqual(model.events);
  const listed = (await call('GET /orders?limit=100')).json.data;
  expect([...listed].reverse().map(({ public_id, status }) => [public_id, status])).toEqual(
    model.orders.map(({ id, status }) => [id, status]),
  );
  const ids = emulator.events.map(({ id }: EmulatorEvent) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const cursor of [undefined, ...ids]) {
    const rest = cursor === undefined ? ids : ids.slice(ids.indexOf(cursor) + 1);
    expect(await historyAfter(call, cursor, limit)).toEqual(rest);
  }
  for (const domain of domains) {
    const { status } = await call(`GET /pricing?domain=${domain}`);
    expect(status).toBe(isSold(model, domain) ? 404 : 200);
  }
}

it('a random walk records no order twice for a key, makes no illegal move, reports each move once, and keeps a history without gap or repeat', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.commands(steps, { maxCommands: 40 }),
      fc.integer({ min: 1, max: 7 }),
      async (commands, limit) => {
        const emulator = await MarketEmulator.start({ clock: () => startOfTime });
        const model: Model = {
          orders: [],
          keys: new Map(),
          quotes: [],
          events: [],
          now: startOfTime,
        };
        const real: Real = {
          emulator,
          call: caller(emulator, emulator.createCredential()),
          quoteIds: [],
        };
        try {
          await fc.asyncModelRun(() => ({ model, real }), commands);
          await checkEnd(model, real, limit);
        } finally {
          await emulator.stop();
        }
      },
    ),
    { numRuns: 60 },
  );
});
