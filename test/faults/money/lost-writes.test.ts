/**
 * Seeded schedules of a refund and of a brokerage case: the request or its response is lost, or the
 * process is killed, then it is resumed against reads that fail or lie. `SEED=17 npx vitest run
 * test/faults/money/lost-writes` runs one again; `SCHEDULES=100000` (npm run soak) runs 10,000.
 */

import { expect, it } from 'vitest';
import { MarketClient } from 'market-partner-sdk';
import { fakeSleep } from '../../support/virtual-time.js';
import { Random } from '../simulation/random.js';

const { SEED: only, SCHEDULES: schedules = 3_000 } = process.env;
const seeds =
  only === undefined
    ? Array.from({ length: Math.ceil(Number(schedules) / 10) }, (_, at) => at)
    : [Number(only)];

const startedAt = Date.parse('2026-11-21T08:00:00Z');
const refundInput = { public_id: 'ord_1' };
const caseInput = {
  domain: 'wanted.example',
  tier: 'managed',
  buyer_email: 'ada@buyer.example',
} as const;

/** What the service has done, and how it shows it. */
class Ledger {
  refunds = 0;
  cases = 0;
  status = 'EXTERNALLY_PAID';
  readonly #random: Random;
  /** Whether reads tell the truth from now on. */
  calm = false;

  constructor(random: Random) {
    this.#random = random;
    if (random.chance(0.3)) this.status = random.pick(['TRANSFER_COMPLETED', 'SETTLED']);
  }

  /** `undefined`: the connection breaks. */
  handle(method: string, path: string): Response | undefined {
    if (method === 'POST') return this.#write(path);
    if (!this.calm && this.#random.chance(0.4)) return this.#lie();
    if (path.includes('/orders/')) {
      return Response.json({ public_id: 'ord_1', status: this.#shownStatus() });
    }
    if (path.includes('/events')) return this.#history();
    if (path.includes('/eligibility')) {
      return Response.json(
        this.cases > 0 ? { eligible: false, reason: 'already in a case' } : { eligible: true },
      );
    }
    const one = { ...caseInput, created_at: new Date(startedAt + 1_000).toISOString() };
    return Response.json({ cases: Array.from({ length: this.cases }, () => one) });
  }

  /** Lost before the work, lost after it, or answered. */
  #write(path: string): Response | undefined {
    const fate = this.#random.pick(['before', 'after', 'answered']);
    if (fate === 'before') return undefined;
    if (path.endsWith('/refunds')) {
      if (this.status !== 'EXTERNALLY_PAID')
        return Response.json({ code: 'conflict' }, { status: 409 });
      this.refunds += 1;
    } else {
      this.cases += 1;
    }
    return fate === 'after' ? undefined : Response.json({ case_id: 'case_1' }, { status: 201 });
  }

  #shownStatus(): string {
    return this.refunds > 0 ? 'REFUNDED' : this.status;
  }

  #history(): Response {
    const data = { order: { public_id: 'ord_1' } };
    const event = { id: 'evt_1', type: 'order.refunded', data };
    return Response.json({ events: this.refunds > 0 ? [event] : [], next_cursor: null });
  }

  /** Reads that show nothing of what was done, each with its sign. */
  #lie(): Response | undefined {
    const empty = { events: [], cases: [], public_id: 'ord_1', status: 'SETTLED', eligible: true };
    return this.#random.pick<() => Response | undefined>([
      () => undefined,
      () => Response.json({ code: 'internal_error' }, { status: 500 }),
      () => Response.json({ code: 'not_found' }, { status: 404 }),
      () => Response.json([]),
      () => Response.json(empty, { headers: { age: '30' } }),
      () => Response.json(empty, { headers: { 'x-cache': 'HIT' } }),
      () => Response.json({ ...empty, public_id: 'ord_2' }, { headers: { age: '30' } }),
    ])();
  }
}

it(
  `0 double refunds and cases, 0 untrue states in ${seeds.length} schedules`,
  { timeout: 3_600_000 },
  async () => {
    const untrue: string[] = [];
    const ends = new Map<string, number>();
    for (const seed of seeds) {
      const random = new Random(seed);
      const ledger = new Ledger(random);
      const market = clientOf(ledger);
      const isRefund = random.chance(0.5);
      const write = isRefund
        ? market.orders.refund(refundInput)
        : market.brokerage.openCase(caseInput);
      // Killed: the process sees no end. Else it sees one, and resumes what it does not know.
      await Promise.resolve(write).catch(() => undefined);
      for (let resumes = random.integer(1, 4); resumes >= 0; resumes -= 1) {
        ledger.calm = resumes === 0;
        const { state } = isRefund
          ? await market.orders.resumeRefund({ input: refundInput, startedAt })
          : await market.brokerage.resumeCase({ input: caseInput, startedAt });
        ends.set(state, (ends.get(state) ?? 0) + 1);
        const violation = violationOf(state, ledger, isRefund);
        if (violation !== undefined) untrue.push(`SEED=${seed} ${state}: ${violation}`);
      }
    }
    expect(untrue.slice(0, 20)).toEqual([]);
    if (only === undefined) {
      const states = ['refunded', 'opened', 'refused', 'open', 'attention'];
      expect([...ends.keys()].sort()).toEqual(states.sort());
    }
  },
);

function violationOf(state: string, ledger: Ledger, isRefund: boolean): string | undefined {
  const done = isRefund ? ledger.refunds : ledger.cases;
  if (done > 1) return `done ${done} times`;
  if ((state === 'refunded' || state === 'opened') && done === 0) return 'it was not done';
  if (state === 'refused' && done > 0) return 'it was done';
  if (state === 'refused' && isRefund && ledger.status === 'EXTERNALLY_PAID')
    return 'it can be done';
  // In calm, what was done is found.
  return ledger.calm && done === 1 && !['refunded', 'opened'].includes(state)
    ? 'it was done, and everything can be read'
    : undefined;
}

function clientOf(ledger: Ledger): MarketClient {
  return new MarketClient({
    ...{ baseUrl: 'https://market.example', keyId: 'mk_sandbox_1f0c', secret: 'of these tests' },
    ...{ maxRetries: 0, validateResponses: 'off', sleep: fakeSleep() },
    fetch: (url, { method }) => {
      const response = ledger.handle(method, new URL(url).pathname);
      return response === undefined
        ? Promise.reject(new TypeError('fetch failed'))
        : Promise.resolve(response);
    },
  });
}
