/** One schedule: a sale, its callers, their crashes, and what the network does to each request. */

import { getEventListeners } from 'node:events';
import { MarketClient, type OrderInput } from 'market-partner-sdk';
import { SimulatedNetwork, type Fault } from '../simulation/exchange.js';
import { clean } from '../simulation/faults.js';
import { Random } from '../simulation/random.js';
import { SimulatedTime } from '../simulation/simulated-time.js';
import { violationsOf, type EndedCall, type Violation } from './invariants.js';
import { OrderService, type ServiceTraits } from './order-service.js';

const hourMs = 3_600_000;
const limits = { timeoutMs: 3_000, deadlineMs: 15_000 };
/** Each call of a resume has this deadline: two look-ups, the order, two look-ups, and two pauses. */
const resumeDeadlineMs = 5 * limits.deadlineMs + 2 * 3_000;

export interface ScheduleResult {
  readonly violations: readonly Violation[];
  /** How each call ended, for the figures of a run. */
  readonly ends: readonly string[];
  readonly requests: number;
  readonly orders: number;
}

/** What one caller does. */
interface Caller {
  readonly kind: 'create' | 'resume';
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
  const schedule = new Schedule(random, time, faults);
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
  readonly #clientKeyMemoryMs: number;
  /** How often a request meets a fault. */
  readonly #faultRate: number;
  #requests = 0;
  #healthy = false;

  constructor(random: Random, time: SimulatedTime, faults: readonly Fault[]) {
    this.#random = random;
    this.#time = time;
    this.#faults = faults;
    this.#faultRate = random.pick([0.2, 0.5, 0.8, 1]);
    this.#traits = traitsOf(random);
    this.#service = new OrderService(time, this.#traits);
    this.#clientKeyMemoryMs = random.chance(0.5) ? this.#traits.keyMemoryMs : 12 * hourMs;
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
    for (const { input, key } of callers.slice(0, 1)) await this.#endInCalm(input, key);
    const violations = violationsOf(this.#service, this.#ended, leftTimers);
    const ends = this.#ended.map(endOf);
    return { violations, ends, requests: this.#requests, orders: this.#service.orders.length };
  }

  #callers(): Caller[] {
    const random = this.#random;
    const input: OrderInput = { domain: 'brew.example', expected_price: 250_000, currency: 'USD' };
    if (random.chance(0.8)) input.external_payment_ref = 'payment-1';
    this.#service.prices.set('brew.example', random.chance(0.85) ? 250_000 : 240_000);
    if (random.chance(0.1)) {
      this.#time.after(random.integer(1, 5_000), () => this.#repriceUnlessSold());
    }
    return Array.from({ length: random.integer(1, 4) }, (_, index) => {
      // A resume follows a sale that was begun, with the input that began it.
      const kind = index > 0 && random.chance(0.6) ? 'resume' : 'create';
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

  #repriceUnlessSold(): void {
    if (this.#service.prices.has('brew.example')) this.#service.prices.set('brew.example', 260_000);
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
            keyMemoryMs: Math.min(this.#clientKeyMemoryMs, 12 * hourMs),
          }),
    );
    return {
      kind,
      key,
      result,
      sent: network.sent,
      tookMs: this.#time.nowMs - startedMs,
      deadlineMs: kind === 'create' ? limits.deadlineMs : resumeDeadlineMs,
      leftListeners: getEventListeners(controller.signal, 'abort').length,
    };
  }

  /** With no fault left and the key remembered, a repeat tells the truth at once. */
  async #endInCalm(input: OrderInput, key: string): Promise<void> {
    const caller = { startMs: 0, key, input, crashMs: undefined, abortMs: undefined };
    const before = this.#service.ordersOf(key).length;
    const ended = await this.#call({ ...caller, kind: 'create' }, this.#network());
    const resumed = await this.#call({ ...caller, kind: 'resume' }, this.#network());
    this.#ended.push(ended, resumed);
    const remembered = this.#traits.keyMemoryMs > 3 * hourMs;
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
  const keyMemoryMs = random.pick([Infinity, Infinity, 24 * hourMs, 1]);
  return {
    keyMemoryMs,
    storesRefusals: random.chance(0.5),
    listLagMs: random.pick([0, 0, 300, 1_500]),
    listShowsRef: random.chance(0.8),
    // A key that is forgotten protects nobody: then the domain's one listing must.
    sellsAgain: keyMemoryMs > 12 * hourMs && random.chance(0.5),
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
    const { state = 'placed' } = result.value as { state?: string };
    return `${kind}: ${state}`;
  }
  const { name, outcome } = result.error as { name: string; outcome?: string };
  return `${kind}: ${name} ${outcome ?? ''}`.trimEnd();
}
