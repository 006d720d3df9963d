/** `createCanceller`: ends a sale whose payment is gone, if no order can exist. */

import type { Verdict } from '../../client/sale/decide-verdict.js';
import { DurableConfigurationError, DurableStateError } from '../errors.js';
import type { OutboxSettings } from './outbox-options.js';
import type { OutboxStore } from './outbox-store.js';
import type { OutboxEntry, Refusal } from './outbox-types.js';
import type { FinalVerdict, StoredNote } from './stored-verdict.js';

/** The result of `cancel`. */
export type CancelResult =
  /** Nothing was sent, and nothing will be. `onRefused` runs with the reason `'cancelled'`. */
  | { readonly cancelled: true }
  /** It is too late. `message` says what happens next. */
  | { readonly cancelled: false; readonly entry: OutboxEntry; readonly message: string };

type CancelNote = Extract<StoredNote, { readonly note: 'cancel' }>;

/**
 * An attempt that began before the note may run for 10 minutes, and the service accepts its last
 * signature for 5 more (specification, part 5). No request of this sale arrives later.
 */
const quietMs = 900_000;

export function createCanceller<Tx, AddTx>(
  { time }: OutboxSettings<Tx, AddTx>,
  store: OutboxStore<Tx, AddTx>,
): (key: string, reason: string) => Promise<CancelResult> {
  return async (key, reason) => {
    if (typeof (reason as unknown) !== 'string' || reason.trim() === '') {
      throw new DurableConfigurationError('"reason" must be a non-empty string.');
    }
    const intent = await store.findIntent(key);
    if (intent === undefined) throw new DurableStateError(`No intent has the key "${key}".`);
    const ended = await findEnded(key);
    if (ended !== undefined) return ended;

    // The note first, then the claims: an attempt that is claimed after this line reads the note.
    await store.storeNote(key, { note: 'cancel', at: time.clock(), reason });
    const { cancel } = await store.findFacts(key);
    const isUnsent = intent.isNew === true && !(await store.mayHaveBeenSent(key));
    if (cancel !== undefined && isUnsent) {
      await store.storeVerdict(intent, cancelled(cancel, 'never_sent'));
    }
    return (
      (await findEnded(key)) ?? { cancelled: false, entry: await entryOf(key), message: tooLate }
    );
  };

  async function findEnded(key: string): Promise<CancelResult | undefined> {
    const entry = await entryOf(key);
    if (entry.refusal?.reason === 'cancelled') return { cancelled: true };
    const message = endedMessages[entry.state];
    return message === undefined ? undefined : { cancelled: false, entry, message };
  }

  async function entryOf(key: string): Promise<OutboxEntry> {
    const entry = await store.get(key);
    if (entry === undefined) throw new DurableStateError(`No intent has the key "${key}".`);
    return entry;
  }
}

const tooLate =
  'An attempt to place the order has begun, so it may exist. Nothing more is sent. In about 15 minutes the outbox looks for the order: ' +
  'if it exists, onPlaced receives it: refund it with orders.refund. If it does not, onRefused runs with the reason "cancelled".';

const endedMessages: Partial<Record<OutboxEntry['state'], string>> = {
  placed: 'The order exists: refund it with orders.refund.',
  refused: 'No order exists and none will be placed: onRefused has the reason.',
  attention: 'An operator must decide: look for the order, then call outbox.resolve.',
};

export function cancelled(
  { reason }: CancelNote,
  confirmed: Extract<Refusal['confirmed'], 'never_sent' | 'looked_up'>,
): FinalVerdict {
  return { state: 'refused', refusal: { reason: 'cancelled', message: reason, confirmed } };
}

/**
 * The verdict on a canceled sale that may have been sent: nothing is sent again, and after the quiet
 * time two look-ups must show no order.
 *
 * @param confirm - looks twice for an order before it believes the refusal
 */
export function confirmCancel(
  { at }: CancelNote,
  now: number,
  confirm: (refusal: unknown) => Promise<Verdict>,
): Verdict | Promise<Verdict> {
  const waitMs = at + quietMs - now;
  if (waitMs <= 0) return confirm({ status: 404, code: 'not_found', outcome: 'rejected' });
  const error = new Error('The sale was cancelled. The outbox looks for its order later.');
  return { state: 'open', cause: 'unknown', error, retryAfterMs: waitMs };
}
