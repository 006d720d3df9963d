/** `OrderPlacer`: one attempt of an intent, from the claim to the stored verdict. */

import { withAnySignal } from '../../time/signals.js';
import { SaleEnding } from '../../client/sale/end-sale.js';
import { isOldKey, lookUpDeadlineMs } from '../../client/sale/reach-verdict.js';
import type { Verdict } from '../../client/sale/decide-verdict.js';
import { backoffMs } from '../backoff.js';
import { traceAttempt } from '../diagnostics.js';
import { withTimeout } from '../../time/timeout.js';
import type { ClaimedJob, JobResult } from '../queue/job.js';
import { startAge } from '../../time/sleep.js';
import type { OrderSpan } from '../tracing.js';
import { attentionMessages } from './attention-message.js';
import { cancelled, noOrderFound, waitAfterCancel } from './cancel-intent.js';
import { decide, escalate, reasonOf, type Decision } from './decide.js';
import type { OutboxSettings } from './outbox-options.js';
import { longestAttemptMs, type KnownFacts, type OutboxStore } from './outbox-store.js';
import type { StoredIntent } from './stored-intent.js';
import { verdictName, type FinalVerdict, type StoredVerdict } from './stored-verdict.js';

/** What the placer counts, and why it sends nothing for now. */
export interface OutboxActivity {
  /** By its age, not by when it ends: a clock that is set back must not prolong it. */
  pause: { readonly age: () => number; readonly ms: number; readonly reason: string } | undefined;
  readonly counts: { placed: number; refused: number; attention: number };
}

/** How much of a pause is left: zero once it is over. */
export function pauseLeftMs({ pause }: OutboxActivity): number {
  return pause === undefined ? 0 : Math.max(0, pause.ms - pause.age());
}

/** Open verdicts are repeated for a day: short waits first, for what passes by itself. */
const openBackoff = { baseMs: 1_000, maxMs: 300_000 };

export class OrderPlacer<Tx, AddTx> {
  readonly #settings: OutboxSettings<Tx, AddTx>;
  readonly #store: OutboxStore<Tx, AddTx>;
  readonly #activity: OutboxActivity;

  constructor(
    settings: OutboxSettings<Tx, AddTx>,
    store: OutboxStore<Tx, AddTx>,
    activity: OutboxActivity,
  ) {
    this.#settings = settings;
    this.#store = store;
    this.#activity = activity;
  }

  async run(job: ClaimedJob<Tx>): Promise<JobResult> {
    const intent = JSON.parse(job.body) as StoredIntent;
    const facts = await this.#store.findFacts(intent.key);
    // The process ended between storing the verdict and ending the attempt.
    if (facts.verdict !== undefined) return done(intent, facts.verdict);
    return this.#apply(job, intent, await this.#decide(job, intent, facts));
  }

  async #decide(job: ClaimedJob<Tx>, intent: StoredIntent, facts: KnownFacts): Promise<Decision> {
    const { time, escalateAfterMs } = this.#settings;
    const { key } = intent;
    const isUnsent = job.claims === 1 && intent.isNew === true;
    const changed = this.#findChange(intent);
    if (changed !== undefined) {
      return escalate('invalid_input', attentionMessages.invalidInput(key, changed, !isUnsent));
    }
    if (facts.cancel !== undefined && isUnsent) {
      return { action: 'store', verdict: cancelled(facts.cancel, 'never_sent') };
    }
    const wait = facts.cancel && waitAfterCancel(facts.cancel, time.clock());
    if (wait !== undefined) return wait;
    const verdict =
      (await this.#environmentVerdict()) ??
      this.#pausedVerdict() ??
      (await this.#traced(job, intent, facts));
    if (facts.cancel !== undefined && verdict.state === 'refused') {
      return { action: 'store', verdict: cancelled(facts.cancel, 'looked_up') };
    }
    return decide(verdict, intent, time.clock(), escalateAfterMs);
  }

  /** Hash of the exact JSON: it also finds a release whose client would send other bytes. */
  #findChange({ order, sha256 }: StoredIntent): string | undefined {
    try {
      if (this.#prepare(order) === sha256) return undefined;
      return 'the stored order was changed, or this version of the client would send it differently';
    } catch (error) {
      // The client's message is about this check only: an earlier attempt may have sent the order.
      const reason = reasonOf(error).replace(/\.? Nothing was sent\.$/, '');
      return `this version of the client refuses the stored order (${reason})`;
    }
  }

  #prepare(order: StoredIntent['order']): string {
    return this.#settings.options.market.orders.prepare(order).sha256;
  }

  /** Paused attempts still reach an operator in time. */
  #pausedVerdict(): Verdict | undefined {
    const leftMs = pauseLeftMs(this.#activity);
    if (leftMs === 0) return undefined;
    const error = new Error(this.#activity.pause?.reason);
    return { state: 'open', cause: 'unknown', error, retryAfterMs: leftMs };
  }

  /** A credential of another environment would place live sales as orders of the sandbox. */
  async #environmentVerdict(): Promise<Verdict | undefined> {
    try {
      await this.#settings.queues.check();
      return undefined;
    } catch (error) {
      return { state: 'open', cause: 'credentials', error, retryAfterMs: undefined };
    }
  }

  #traced(job: ClaimedJob<Tx>, intent: StoredIntent, facts: KnownFacts): Promise<Verdict> {
    const { options, name, time } = this.#settings;
    const { tracing } = options;
    const span: OrderSpan = { consumer: name, key: intent.key, attempt: job.attempt };
    const reach = async () => {
      const reached = await withTimeout(time, longestAttemptMs, (timeout) =>
        withAnySignal(job.signal, timeout, (signal) => this.#reach(job, intent, facts, signal)),
      );
      span.verdict = reached.state;
      return reached;
    };
    const trace =
      tracing?.order && ((run: () => Promise<unknown>) => tracing.order?.(span, intent.trace, run));
    return traceAttempt('order', span, reach, trace);
  }

  async #reach(
    job: ClaimedJob<Tx>,
    intent: StoredIntent,
    { cancel, requote }: KnownFacts,
    signal: AbortSignal,
  ): Promise<Verdict> {
    const { options, time } = this.#settings;
    const { order: input, key } = intent;
    const keyIsOld = this.#isOld(intent);
    const ending = new SaleEnding({
      orders: options.market.orders,
      input,
      idempotencyKey: key,
      mayHaveBeenSent: keyIsOld || job.claims > 1,
      call: { signal },
      lookUpDeadlineMs,
      nowMs: startAge(time),
      sleep: async (ms) => {
        await time.sleep(ms, signal);
        signal.throwIfAborted();
      },
      beforeRequote: () => this.#store.storeNote(key, { note: 'requote', at: time.clock() }),
    });
    if (cancel !== undefined) return ending.confirm(noOrderFound);
    // An earlier requote may have placed the order under a derived key.
    const first = await ending.place(keyIsOld || requote !== undefined);
    return this.#settings.requote === 'never' ? first : ending.requote(first);
  }

  /** A recovered intent may have been sent long ago, and a restored database has lost its claims. */
  #isOld({ addedAt, isNew }: StoredIntent): boolean {
    const { time, idempotencyWindowMs } = this.#settings;
    return isNew !== true || isOldKey(addedAt, time.clock(), idempotencyWindowMs);
  }

  async #apply(job: ClaimedJob<Tx>, intent: StoredIntent, decision: Decision): Promise<JobResult> {
    const { time, random, logger } = this.#settings;
    const { key } = intent;
    switch (decision.action) {
      case 'store':
        return this.#storeVerdict(job, intent, decision.verdict);
      case 'escalate':
        return this.#escalate(job, intent, decision);
      case 'pauseOutbox': {
        const { ms, error } = decision;
        this.#activity.pause = { age: startAge(time), ms, reason: error };
        logger.error('The credential is refused: no order is sent for a minute.', {
          error,
        });
        return { retryInMs: ms, error, countsAttempt: false };
      }
      case 'retry': {
        const { leastMs, mostMs, error } = decision;
        // An attempt that was released, or whose lease is lost, says nothing about the sale.
        if (!job.signal.aborted) {
          logger.warn(`The intent ${key} has no verdict yet: the outbox tries again.`, {
            key,
            error,
          });
        }
        const waitMs = Math.max(backoffMs(job.attempt, openBackoff, random), leastMs);
        return { retryInMs: Math.min(waitMs, mostMs), error };
      }
    }
  }

  async #storeVerdict(
    job: ClaimedJob<Tx>,
    intent: StoredIntent,
    verdict: FinalVerdict,
  ): Promise<JobResult> {
    const { logger } = this.#settings;
    const stored = await this.#store.storeVerdict(intent, verdict);
    if (verdictName(stored) !== verdictName(verdict)) {
      const candidates = [stored, verdict].flatMap((it) =>
        it.state === 'placed' ? [it.order] : [],
      );
      const message = attentionMessages.contradiction(intent.key, stored, verdict);
      return this.#escalate(job, intent, escalate('ambiguous', message, candidates));
    }
    this.#activity.counts[verdict.state] += 1;
    logger.info(`The intent ${intent.key} is ${verdict.state}.`, { key: intent.key });
    return done(intent, verdict);
  }

  async #escalate(
    job: ClaimedJob<Tx>,
    intent: StoredIntent,
    { attention }: Extract<Decision, { action: 'escalate' }>,
  ): Promise<JobResult> {
    const { key } = intent;
    const id = `${key} attention ${job.claims}`;
    await this.#store.storeAttention(intent, id, { state: 'attention', attention });
    this.#activity.counts.attention += 1;
    const { reason, message } = attention;
    this.#settings.logger.error(`The intent ${key} needs an operator: ${reason}.`, {
      key,
      message,
    });
    return { deadLetter: JSON.stringify(attention) };
  }
}

function done(intent: StoredIntent, verdict: StoredVerdict): JobResult {
  return { done: JSON.stringify({ intent, verdict }), outcome: verdict.state };
}
