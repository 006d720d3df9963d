/** One schedule: a sale, its callers, their crashes, and what the network does to each request. */

import { getEventListeners } from 'node:events';
import { MarketClient, type OrderInput } from 'market-partner-sdk';
import { SimulatedNetwork, type Fault } from '../simulation/exchange.js';
import { clean } from '../simulation/faults.js';
import { Random } from '../simulation/random.js';
import { SimulatedTime } from '../simulation/simulated-time.js';
import { violationsOf, type CallKind, type EndedCall, type Violation } from './invariants.js';
import { OrderService, type ServiceTraits } from './order-service.js';

const hourMs = 3_600_000;
const limits = { timeoutMs: 3_000, deadlineMs: 15_000 };
/** Each call of a resume has this deadline: two look-ups, the order, two look-ups, and two pauses. */
const resumeDeadlineMs = 5 * limits.deadlineMs + 2 * 3_000;
/** Three times more: a quote, the order under a derived key, two look-ups and a pause. */
const requoteDeadlineMs = resumeDeadlineMs + 4 * (4 * limits.deadlineMs + 3_000);
const deadlines = {
  create: limits.deadlineMs,
  resume: resumeDeadlineMs,
  requote: requoteDeadlineMs,
};

export interface ScheduleResult {
  readonly violations: readonly Violation[];
  /** How each call ended, for the figures of a run. */
  readonly ends: readonly string[];
  readonly requests: number;
  readonly orders: number;
}

/** What one caller does. */
interface Caller {
  readonly kind: CallKind;
  readonly startMs: number;
  /** The caller's process dies so many milliseconds after its start. */
  readonly crashMs: number | undefined;
  readonly abortMs: number | undefined;
  readonly input: OrderInput;
  readonly key: string;
}

/** Runs the schedule of a seed. The same seed always gives the same schedule. */
export async function runSchedule(seed: number, faults: readonly Fault[]): Promise<ScheduleResult> {
  const random = new Random(seed);
  const time = new SimulatedTime();
  const schedule = new Schedule(random, time, faults, new Random(seed + 1_000_003));
  time.install();
  try {
    return await time.run(schedule.run());
  } finally {
    time.uninstall();
  }
}

class Schedule {
  readonly #random: Random;
  readonly #time: SimulatedTime;
  readonly #faults: readonly Fault[];
  readonly #traits: ServiceTraits;
  readonly #service: OrderService;
  readonly #ended: EndedCall[] = [];
  /** From this age on a resume looks up the key first; half of the partners do not know the right one. */
  readonly #clientWindowMs: number;
  /** Whether a resume in this schedule may quote again, below the price that was paid. */
  readonly #requotes: boolean;
  /** Of its own, so that the other schedules of earlier seeds stay as they were. */
  readonly #requoteRandom: Random;
  /** How often a request meets a fault. */
  readonly #faultRate: number;
  #requests = 0;
  #healthy = false;

  constructor(
    random: Random,
    time: SimulatedTime,
    faults: readonly Fault[],
    requoteRandom: Random,
  ) {
    this.#requoteRandom = requoteRandom;
    this.#requotes = requoteRandom.chance(0.3);
    this.#random = random;
    this.#time = time;
    this.#faults = faults;
    this.#faultRate = random.pick([0.2, 0.5, 0.8, 1]);
    this.#traits = traitsOf(random);
    this.#service = new OrderService(time, this.#traits);
    this.#clientWindowMs = random.chance(0.5) ? this.#traits.idempotencyWindowMs : 12 * hourMs;
  }

  async run(): Promise<ScheduleResult> {
    const callers = this.#callers();
    await Promise.all(callers.map((caller) => this.#play(caller)));
    // The timers of a process that crashed are nobody's.
    const nobodyCrashed = callers.every(({ crashMs }) => crashMs === undefined);
    const leftTimers = nobodyCrashed ? this.#time.openTimeouts : 0;
    // Work that the network still holds back is done before anybody judges.
    await this.#time.wait(2 * hourMs);
    this.#healthy = true;
    const [first] = callers;
    if (first !== undefined) await this.#endInCalm(first.input, first.key);
    const violations = violationsOf(this.#service, this.#ended, leftTimers);
    const ends = this.#ended.map(endOf);
    return { violations, ends, requests: this.#requests, orders: this.#service.orders.length };
  }

  #callers(): Caller[] {
    const random = this.#random;
    const input: OrderInput = { domain: 'brew.example', expected_price: 250_000, currency: 'USD' };
    const hasReference = random.chance(0.8);
    // A price is quoted again only for a sale with a reference.
    if (hasReference || this.#requotes) input.external_payment_ref = 'payment-1';
    const isListedAsPaid = random.chance(0.85);
    const startsLower = this.#requotes && this.#requoteRandom.chance(0.5);
    this.#service.prices.set('brew.example', isListedAsPaid && !startsLower ? 250_000 : 240_000);
    if (this.#requotes && this.#requoteRandom.chance(0.5)) {
      this.#time.after(this.#requoteRandom.integer(1, 20_000), () => this.#reprice(230_000));
    }
    if (random.chance(0.1)) {
      this.#time.after(random.integer(1, 5_000), () => this.#reprice(260_000));
    }
    return Array.from({ length: random.integer(1, 4) }, (_, index) => {
      // A resume follows a sale that was begun, with the input that began it.
      const resumes = index > 0 && random.chance(0.6);
      const kind = resumes ? this.#kindOfResume() : 'create';
      const sendsOther = index > 0 && kind === 'create' && random.chance(0.06);
      return {
        kind,
        key: 'payment-1',
        input: sendsOther ? { ...input, expected_price: 99 } : input,
        startMs: index === 0 ? 1 : random.pick([1, 5, 500, 5_000, 60_000, hourMs]),
        crashMs: random.chance(0.25) ? random.integer(1, 4_000) : undefined,
        abortMs: random.chance(0.15) ? random.integer(0, 4_000) : undefined,
      };
    });
  }

  #kindOfResume(): CallKind {
    return this.#requotes && this.#requoteRandom.chance(0.8) ? 'requote' : 'resume';
  }

  /** Unless the domain is sold, or its price has risen above what was paid. */
  #reprice(price: number): void {
    const now = this.#service.prices.get('brew.example');
    if (now !== undefined && now <= 250_000) this.#service.prices.set('brew.example', price);
  }

  async #play(caller: Caller): Promise<void> {
    await this.#time.wait(caller.startMs);
    const network = this.#network();
    const call = this.#call(caller, network);
    if (caller.crashMs === undefined) {
      this.#ended.push(await call);
      return;
    }
    const crash = this.#time.wait(caller.crashMs).then(() => {
      network.crashed = true;
      return undefined;
    });
    const ended = await Promise.race([call, crash]);
    if (ended !== undefined) this.#ended.push(ended);
  }

  async #call(caller: Caller, network: SimulatedNetwork): Promise<EndedCall> {
    const { kind, key, input, abortMs } = caller;
    const controller = new AbortController();
    if (abortMs !== undefined) this.#time.after(abortMs, () => controller.abort());
    const market = this.#client(network);
    const startedMs = this.#time.nowMs;
    const { signal } = controller;
    const sale = { input, idempotencyKey: key, startedAt: SimulatedTime.startMs };
    const result = await settled(
      kind === 'create'
        ? market.orders.create(input, { idempotencyKey: key, signal })
        : market.orders.resume(sale, {
            signal,
            idempotencyWindowMs: Math.min(this.#clientWindowMs, 12 * hourMs),
            requote: kind === 'requote' ? 'at_most_paid' : 'never',
          }),
    );
    return {
      kind,
      key,
      result,
      sent: network.sent,
      endedAtMs: this.#time.nowMs,
      tookMs: this.#time.nowMs - startedMs,
      deadlineMs: deadlines[kind],
      leftListeners: getEventListeners(controller.signal, 'abort').length,
    };
  }

  /** With no fault left and the key remembered, a repeat tells the truth at once. */
  async #endInCalm(input: OrderInput, key: string): Promise<void> {
    const caller = { startMs: 0, key, input, crashMs: undefined, abortMs: undefined };
    const before = this.#service.orders.filter((order) => order.key === key).length;
    const ended = await this.#call({ ...caller, kind: 'create' }, this.#network());
    const kind = this.#requotes ? 'requote' : 'resume';
    const resumed = await this.#call({ ...caller, kind }, this.#network());
    this.#ended.push(ended, resumed);
    const remembered = this.#traits.idempotencyWindowMs > 3 * hourMs;
    const missed = before === 1 && remembered && 'error' in ended.result;
    // A repeat with another body is a conflict, and the key then belongs to that body.
    const bodies = this.#service.bodiesByKey.get(key)?.size ?? 0;
    if (missed && bodies === 1) throw new Error(`in calm, ${key} was not replayed`);
  }

  #client(network: SimulatedNetwork): MarketClient {
    return new MarketClient({
      baseUrl: 'https://market.example',
      keyId: 'mk_sandbox_1f0c',
      secret: 'the-secret-of-these-tests',
      dispatcher: network,
      random: this.#random.next,
      ...limits,
    });
  }

  #network(): SimulatedNetwork {
    return new SimulatedNetwork({
      time: this.#time,
      random: this.#random,
      service: this.#service.handle,
      faultFor: () => {
        this.#requests += 1;
        const strikes = !this.#healthy && this.#random.chance(this.#faultRate);
        return strikes ? this.#random.pick(this.#faults) : clean;
      },
    });
  }
}

function traitsOf(random: Random): ServiceTraits {
  const idempotencyWindowMs = random.pick([Infinity, Infinity, 24 * hourMs, 1]);
  return {
    idempotencyWindowMs,
    storesRefusals: random.chance(0.5),
    listLagMs: random.pick([0, 0, 300, 1_500]),
    listShowsRef: random.chance(0.8),
    // A key that is forgotten protects nobody: then the domain's one listing must.
    sellsAgain: idempotencyWindowMs > 12 * hourMs && random.chance(0.5),
  };
}

async function settled(promise: PromiseLike<unknown>): Promise<EndedCall['result']> {
  try {
    return { value: await promise };
  } catch (error) {
    return { error };
  }
}

function endOf({ kind, result }: EndedCall): string {
  if ('value' in result) {
    const { state = 'placed' } = Object(result.value) as { state?: string };
    return `${kind}: ${state}`;
  }
  const { name, outcome } = result.error as { name: string; outcome?: string };
  return `${kind}: ${name} ${outcome ?? ''}`.trimEnd();
}
