/** `createPlacer`: what one attempt to place the order of a sale decides. */

import { SaleEnding } from '../../client/sale/end-sale.js';
import { isOldKey, lookUpDeadlineMs } from '../../client/sale/reach-verdict.js';
import type { Verdict } from '../../client/sale/decide-verdict.js';
import type { ClaimedJob } from '../queue/job.js';
import { startAge } from '../../core/time/sleep.js';
import { findObstacle, patienceLeftMs, reachInTime, type OutboxActivity } from './attempt.js';
import { attentionMessages } from './attention-message.js';
import { cancelled, noOrderFound, waitAfterCancel } from './cancel-intent.js';
import { decide, escalate, reasonOf, type Decision } from './decide.js';
import type { OutboxSettings } from './outbox-options.js';
import type { KnownFacts, OutboxStore } from './outbox-store.js';
import { isSameOrder, type StoredIntent } from './stored-intent.js';

export function createPlacer<Tx, AddTx>(
  settings: OutboxSettings<Tx, AddTx>,
  store: OutboxStore<Tx, AddTx>,
  activity: OutboxActivity,
): (job: ClaimedJob<Tx>, intent: StoredIntent, facts: KnownFacts) => Promise<Decision> {
  const { market, time, escalateAfterMs, idempotencyWindowMs } = settings;

  return async (job, intent, facts) => {
    const { key } = intent;
    const isUnsent = store.fresh.take(intent) && job.claims === 1;
    const changed = findChange(intent, !isUnsent);
    if (changed !== undefined) return escalate('invalid_input', changed);
    if (facts.cancel !== undefined && isUnsent) {
      return { action: 'store', verdict: cancelled(facts.cancel, 'never_sent') };
    }
    const wait = facts.cancel && waitAfterCancel(facts.cancel, time.clock());
    if (wait !== undefined) return wait;
    const verdict =
      (await findObstacle(settings, activity)) ??
      (await reachInTime(settings, job, { key, cause: intent.trace }, (signal) =>
        reach(job, intent, facts, { isUnsent, signal }),
      ));
    if (facts.cancel !== undefined && verdict.state === 'refused') {
      return { action: 'store', verdict: cancelled(facts.cancel, 'looked_up') };
    }
    return decide(verdict, key, patienceLeftMs(settings, job), escalateAfterMs);
  };

  /** By the hash of the exact JSON, which also finds a release or a profile that would send other bytes. */
  function findChange(intent: StoredIntent, mayHaveBeenSent: boolean): string | undefined {
    const changed = (found: string) =>
      attentionMessages.invalidInput(intent.key, found, mayHaveBeenSent);
    try {
      const { input: order, sha256 } = market.orders.prepare(intent.order);
      if (intent.sha256 === sha256) return undefined;
      // The bytes hang on "inputs", "naming" and "amounts" of the profile, too.
      if (isSameOrder(intent, { order, sha256 })) {
        return attentionMessages.otherProfile(intent.key, mayHaveBeenSent);
      }
      return changed('the stored order was changed, or this version would send it differently');
    } catch (error) {
      // The client's message is about this check only: an earlier attempt may have sent the order.
      const reason = reasonOf(error).replace(/\.? Nothing was sent\.$/, '');
      return changed(`this version of the client refuses the stored order (${reason})`);
    }
  }

  async function reach(
    job: ClaimedJob<Tx>,
    intent: StoredIntent,
    { cancel, requote }: KnownFacts,
    { isUnsent, signal }: { readonly isUnsent: boolean; readonly signal: AbortSignal },
  ): Promise<Verdict> {
    const { order: input, key } = intent;
    const keyIsOld = isOld(intent);
    const ending = new SaleEnding({
      orders: market.orders,
      input,
      idempotencyKey: key,
      mayHaveBeenSent: keyIsOld || !isUnsent,
      call: { signal },
      lookUpDeadlineMs,
      nowMs: startAge(time),
      sleep: async (ms) => {
        // The look-ups after an outage would otherwise hold up the sales behind them for seconds each.
        await job.park(() => time.sleep(ms, signal));
        signal.throwIfAborted();
      },
      beforeRequote: async () => {
        await store.storeNote(key, { note: 'requote', at: time.clock() });
      },
    });
    if (cancel !== undefined) return ending.confirm(noOrderFound);
    // An earlier requote may have placed the order under a derived key.
    const first = await ending.place(keyIsOld || requote !== undefined);
    return settings.requote === 'never' ? first : ending.requote(first);
  }

  /** A recovered sale may have been sent long ago, and a restored database has lost its claims. */
  function isOld({ addedAt, isNew }: StoredIntent): boolean {
    return isNew !== true || isOldKey(addedAt, time.clock(), idempotencyWindowMs);
  }
}
