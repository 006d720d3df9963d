/** A service that takes refunds and brokerage cases, loses or delays them, and shows them or lies. */

import type { Random } from '../simulation/random.js';

export const startedAt = Date.parse('2026-11-21T08:00:00Z');
export const refundInput = { public_id: 'ord_1' };
export const caseInput = {
  domain: 'wanted.example',
  tier: 'managed',
  buyer_email: 'ada@buyer.example',
} as const;

const minuteMs = 60_000;

export class WriteLedger {
  nowMs = startedAt;
  /** Whether reads tell the truth, and requests arrive, from now on. */
  calm = false;
  refunds = 0;
  readonly #cases: string[] = [];
  /** Requests that were sent, and those of them that the service acts on later than anybody waits. */
  sent = 0;
  #late: { readonly dueMs: number; readonly path: string }[] = [];
  /** Whether the service refuses a second refund of an order, or a second case of a domain, by itself. */
  readonly refusesTwice: boolean;
  readonly #isEligible: boolean;
  /** When the order can no longer be refunded. */
  readonly #completedAtMs: number;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
    this.refusesTwice = random.chance(0.5);
    this.#isEligible = random.chance(0.8);
    this.#completedAtMs = startedAt + random.pick([-1, random.integer(1, 60), 10_000]) * minuteMs;
  }

  get cases(): number {
    return this.#cases.length;
  }

  /** Whether a request is still on its way that the service will act on. */
  get isOneOnItsWay(): boolean {
    return this.#late.length > 0;
  }

  get canBeRefunded(): boolean {
    return this.nowMs < this.#completedAtMs;
  }

  /** Lets time pass: requests that were under way arrive. */
  advance(ms: number): void {
    const untilMs = this.nowMs + ms;
    for (;;) {
      const next = this.#late.filter(({ dueMs }) => dueMs <= untilMs).sort(byTime)[0];
      if (next === undefined) break;
      this.#late = this.#late.filter((each) => each !== next);
      this.nowMs = Math.max(this.nowMs, next.dueMs);
      this.#work(next.path);
    }
    this.nowMs = untilMs;
  }

  /** `undefined`: the connection breaks. */
  handle(method: string, path: string): Response | undefined {
    if (method === 'POST') return this.#write(path);
    if (!this.calm && this.#random.chance(0.4)) return this.#lie();
    if (path.includes('/orders/')) {
      return Response.json({ public_id: 'ord_1', status: this.#status() });
    }
    if (path.includes('/events')) return this.#history();
    if (path.includes('/eligibility')) return Response.json(this.#eligibility());
    const cases = this.#cases.map((created_at) => ({ ...caseInput, created_at }));
    return Response.json({ cases });
  }

  /** Lost before the work, lost after it, acted on minutes later, or answered. */
  #write(path: string): Response | undefined {
    this.sent += 1;
    const fate = this.calm
      ? 'answered'
      : this.#random.pick(['before', 'after', 'late', 'answered']);
    if (fate === 'before') return undefined;
    if (fate === 'late') {
      this.#late.push({ dueMs: this.nowMs + this.#random.integer(1, 30) * minuteMs, path });
      return undefined;
    }
    const refusal = this.#work(path);
    if (fate === 'after') return undefined;
    return refusal === undefined
      ? Response.json({ case_id: 'case_1' }, { status: 201 })
      : Response.json({ code: refusal }, { status: 409 });
  }

  /** Does the work, or says why not. */
  #work(path: string): string | undefined {
    if (path.endsWith('/refunds')) {
      if (!this.canBeRefunded || (this.refusesTwice && this.refunds > 0)) return 'conflict';
      this.refunds += 1;
    } else {
      if (!this.#isEligible || (this.refusesTwice && this.cases > 0)) return 'conflict';
      this.#cases.push(new Date(this.nowMs + 1_000).toISOString());
    }
    return undefined;
  }

  #status(): string {
    if (this.refunds > 0) return 'REFUNDED';
    return this.canBeRefunded ? 'EXTERNALLY_PAID' : 'TRANSFER_COMPLETED';
  }

  #eligibility(): object {
    if (this.cases > 0) return { eligible: false, reason: 'already in a case' };
    return this.#isEligible ? { eligible: true } : { eligible: false, reason: 'a live site' };
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

function byTime(a: { readonly dueMs: number }, b: { readonly dueMs: number }): number {
  return a.dueMs - b.dueMs;
}
