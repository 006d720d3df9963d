/** Sale: one payment for one domain, from the sell command to its end. */

import type { DeliveryAttempt } from '../../testing/deliveries/delivery-attempt.js';
import type { EmulatorEvent } from '../../testing/market/events.js';
import type { Fault } from '../../testing/faults/fault.js';
import type { FaultOptions } from '../../testing/faults/fault-options.js';
import type { FaultRequest } from '../../testing/faults/match.js';
import { timeOf, type SeenRequest } from './findings.js';
import { domainOf, type LedgerOrder } from './ledger.js';
import type { Answer, Belief, CommandResult } from './partner-commands.js';
import { waitUntil } from './wait-until.js';
import { arm, type Stage } from './stage.js';

/** A second order, or a repeat, comes within this time after what last happened to a sale. */
const quietMs = 1_000;

/** An ask may start a process, so nothing is asked again sooner unless something happened. */
const askPausesMs = [500, 1_000, 2_000];
const longestAskPauseMs = 4_000;

/** Without --ask: a sale that may be refused has ended after this long without a request. */
const silentEndMs = 6_000;

/** A program asks the service for a refund by itself, soon after it was told of the withdrawal. */
const askedWithinMs = 10_000;

/** How long a sale is waited for once so many others were left open. */
const patienceOfStoppedMs = 15_000;

export class Sale {
  readonly domain: string;
  readonly payment: string;
  readonly paidCents: number;
  /** Every price that the service had for the domain, in cents. */
  readonly prices: number[];
  readonly #stage: Stage;
  readonly #results: CommandResult[] = [];
  readonly #plans: (() => string | undefined)[] = [];
  /** When each sell command was run. */
  readonly #soldTimes: number[] = [];
  #selling = 0;
  #isGivenUp = false;
  #soldAt = 0;
  #askedAt = 0;
  /** How often it was asked since something happened. */
  #asks = 0;
  #answer: Answer = { belief: undefined, paidBackCents: undefined, result: undefined };

  constructor(stage: Stage, sale: { domain: string; payment: string; paidCents: number }) {
    this.#stage = stage;
    this.domain = sale.domain;
    this.payment = sale.payment;
    this.paidCents = sale.paidCents;
    this.prices = [sale.paidCents];
    stage.emulator.admin.list({ domain: sale.domain, price_cents: sale.paidCents });
  }

  /** What `--ask` said last. */
  get belief(): Belief {
    return this.#answer.belief;
  }

  /** The cents that `--ask` said were paid back. */
  get paidBackCents(): number | undefined {
    return this.#answer.paidBackCents;
  }

  /** How the `--ask` command ended last. */
  get asked(): CommandResult | undefined {
    return this.#answer.result;
  }

  /** How the sell commands ended, in their order. */
  get results(): readonly CommandResult[] {
    return this.#results;
  }

  get requests(): SeenRequest[] {
    return this.#stage.ledger.requestsOf(this.payment);
  }

  get orderRequests(): SeenRequest[] {
    return this.#stage.ledger.orderRequestsOf(this.payment);
  }

  get isRefundAsked(): boolean {
    return this.requests.some(({ call }) => call === 'POST /refunds');
  }

  /** The last read of the history, which is about no sale, or of its order that failed since a moment. */
  failedReadSince(since: number): SeenRequest | undefined {
    const { ledger } = this.#stage;
    const ofHistory = ledger.requestsOf(undefined).filter(({ call }) => call === 'GET /events');
    const isBad = ({ at, status }: SeenRequest) => at >= since && status !== 200;
    return (
      this.requests.findLast((each) => each.call.startsWith('GET /orders') && isBad(each)) ??
      ofHistory.slice(-1).find(isBad)
    );
  }

  /** When the sell command was run, if that was more than once. */
  get told(): string {
    const times = this.#soldTimes.map(timeOf);
    return times.length < 2 ? '' : ` The payment was told at ${times.join(', ')}.`;
  }

  /** The keys of its order requests that were another sale's before, each with the payment of that one. */
  get sharedKeys(): readonly (readonly [key: string, payment: string])[] {
    const keys = new Set(this.orderRequests.flatMap(({ key }) => (key === undefined ? [] : [key])));
    return [...keys]
      .map((key) => [key, this.#stage.ledger.saleOfKey(key) ?? this.payment] as const)
      .filter(([, payment]) => payment !== this.payment);
  }

  get orders(): LedgerOrder[] {
    return this.#stage.ledger.ordersOf(this.payment);
  }

  /** The events of its orders, oldest first, each with the attempts to deliver it. */
  get events(): readonly { event: EmulatorEvent; attempts: readonly DeliveryAttempt[] }[] {
    const { ledger } = this.#stage;
    return ledger
      .eventsOf(this.payment)
      .map((event) => ({ event, attempts: ledger.deliveriesOf(event.id) }));
  }

  get standingOrders(): LedgerOrder[] {
    return this.orders.filter(({ isStanding }) => isStanding);
  }

  /** What the case is about, if it did not happen. */
  get missed(): string[] {
    return this.#plans.map((plan) => plan()).filter((reason) => reason !== undefined);
  }

  /** Runs the sell command once. It may fail: the program may be killed in the meantime. */
  async sell(): Promise<CommandResult> {
    const { commands, patienceMs, outageMs } = this.#stage;
    this.#stage.ledger.sell(this.domain, this.payment);
    this.#soldTimes.push(Date.now());
    this.#selling += 1;
    const result = await commands.sell(this, patienceMs + outageMs);
    this.#selling -= 1;
    this.#soldAt = Date.now();
    this.#results.push(result);
    return result;
  }

  /** The buyer withdraws. Resolves when the service was asked for the refund, or the program has declined. */
  async withdraw(): Promise<void> {
    const { commands, patienceMs, signal } = this.#stage;
    const { isOk } = await commands.withdraw(this, patienceMs);
    if (isOk) await waitUntil(() => this.isRefundAsked, askedWithinMs, signal);
  }

  /** Arms a fault for POST /orders of this domain; the result removes it. */
  onOrder(fault: Fault | readonly Fault[], options: FaultOptions = {}): () => void {
    this.#plans.push(() =>
      this.orderRequests.some(({ faults }) => faults.length > 0)
        ? undefined
        : `no POST /orders of ${this.domain} met the fault`,
    );
    return this.onCalls('POST /orders', fault, options);
  }

  /** Arms a fault for the calls of one endpoint about this domain, or of all endpoints; `isMeant` chooses among them. */
  onCalls(
    endpoint: string | undefined,
    fault: Fault | readonly Fault[],
    options: FaultOptions = {},
    isMeant: (request: FaultRequest) => boolean = () => true,
  ): () => void {
    const latency = [fault].flat().find(({ kind }) => kind === 'latency');
    const matches = (request: FaultRequest) => {
      if (endpoint !== undefined && request.endpoint !== endpoint) return false;
      if (!this.#isAbout(request) || !isMeant(request)) return false;
      if (latency?.kind === 'latency') this.#stage.ledger.nextLateMs = latency.ms;
      return true;
    };
    return arm(this.#stage.emulator, matches, fault, options);
  }

  /** Acts when the first POST /orders arrives, before the service does anything. */
  beforeFirstOrder(act: (quoteId: string | undefined) => void): void {
    let hasArrived = false;
    this.#plans.push(() =>
      hasArrived ? undefined : `no POST /orders of ${this.domain} reached the emulator`,
    );
    const { emulator } = this.#stage;
    const look = (request: FaultRequest) => {
      if (hasArrived || request.endpoint !== 'POST /orders' || !this.#isAbout(request))
        return false;
      hasArrived = true;
      const { quote_id: quoteId } = request.json as { quote_id?: unknown };
      act(typeof quoteId === 'string' ? quoteId : undefined);
      return false;
    };
    // This fault never applies: its matcher is the first to see a request.
    arm(emulator, look, { kind: 'latency', ms: 0 });
  }

  /** Acts when the order is recorded, before the response is sent. */
  whenRecorded(act: (publicId: string) => void): void {
    let isRecorded = false;
    this.#plans.push(() => (isRecorded ? undefined : `no order of ${this.domain} was recorded`));
    this.#stage.ledger.onRequest(({ call, sale }) => {
      const [order] = isRecorded || call !== 'POST /orders' ? [] : this.orders;
      if (sale !== this.payment || order === undefined) return;
      isRecorded = true;
      act(order.publicId);
    });
  }

  /** The service sells the domain at another price from now on. */
  reprice(cents: number): void {
    this.prices.push(cents);
    this.#stage.emulator.admin.reprice(this.domain, cents);
  }

  /** Nothing came of the sell command: {@link settle} does not wait for an end. */
  giveUp(): void {
    this.#isGivenUp = true;
  }

  /** Waits until the partner and the service agree on the end, as long as patience lasts after the last restart. */
  async settle(patienceMs = this.#stage.patienceMs): Promise<void> {
    const { signal, program, hasStopped } = this.#stage;
    await waitUntil(() => this.#selling === 0, patienceMs, signal);
    await program.up();
    const startedAt = Date.now();
    const isInVain = () => {
      const patience = hasStopped() ? Math.min(patienceOfStoppedMs, patienceMs) : patienceMs;
      // Another case may kill what has taken the sale over.
      return this.#isGivenUp || Date.now() - Math.max(startedAt, program.restartedAt) > patience;
    };
    await waitUntil(() => isInVain() || this.#hasEnded(), Infinity, signal);
    await waitUntil(() => this.#isQuiet(), 5 * quietMs, signal);
    if (this.#askedAt <= this.#changedAt() || this.belief === undefined) await this.askAgain();
  }

  /** Reads the belief once more. A program that is just starting is asked again. */
  async askAgain(): Promise<Belief> {
    const { commands, program, signal } = this.#stage;
    if (!commands.canAsk) return undefined;
    const read = async () => {
      await program.up();
      await this.#ask();
      return this.belief !== undefined;
    };
    await waitUntil(read, 5_000, signal);
    return this.belief;
  }

  async #hasEnded(): Promise<boolean> {
    const standing = this.standingOrders.length;
    if (standing > 1) return true;
    if (!this.#stage.commands.canAsk) {
      if (this.#selling > 0) return false;
      if (standing === 1) return true;
      const silentMs = Date.now() - this.#changedAt();
      return this.orders.length === 0 && this.#wasRefused() && silentMs > silentEndMs;
    }
    if (Date.now() - Math.max(this.#askedAt, this.#soldAt) < this.#askPauseMs()) return false;
    await this.#ask();
    // Refused is final, even if it is wrong, once the buyer has the money.
    if (this.belief === 'refused') return (this.paidBackCents ?? Infinity) >= this.paidCents;
    return this.belief === 'placed' && standing === 1;
  }

  /** After what may have ended the sale it is asked as soon as that is over, else now and then. */
  #askPauseMs(): number {
    const isNews = this.#askedAt <= this.#changedAt();
    if (isNews) this.#asks = 0;
    const mayHaveEnded = this.orders.length > 0 || this.#wasRefused();
    if (isNews && mayHaveEnded && this.#isQuiet()) return 0;
    return isNews ? longestAskPauseMs : (askPausesMs[this.#asks] ?? longestAskPauseMs);
  }

  async #ask(): Promise<void> {
    this.#asks += 1;
    this.#askedAt = Date.now();
    this.#answer = await this.#stage.commands.ask(this);
  }

  #wasRefused(): boolean {
    const status = this.orderRequests.at(-1)?.status ?? 0;
    return status >= 400 && status < 500 && status !== 429;
  }

  #isQuiet(): boolean {
    return Date.now() - this.#changedAt() >= quietMs;
  }

  /** When something last happened to it that was seen. */
  #changedAt(): number {
    return Math.max(this.#stage.ledger.changedAt(this.payment), this.#soldAt);
  }

  #isAbout(request: FaultRequest): boolean {
    return domainOf(request) === this.domain;
  }
}
