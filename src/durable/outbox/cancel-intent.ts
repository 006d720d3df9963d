/** `createCanceller`: ends a sale whose payment is gone, if no order can exist. */

import type { ErrorToRead } from '../../core/errors/read-error.js';
import { DurableStateError } from '../errors.js';
import { checkDurableOptions, reasonSchema } from '../options.js';
import { callbackFailed, refundCall, resolvePlaced, resolveRetry } from './attention-message.js';
import type { Decision } from './decide.js';
import type { OutboxSettings } from './outbox-options.js';
import { longestAttemptMs, type OutboxStore } from './outbox-store.js';
import type { OutboxEntry, Refusal } from './outbox-types.js';
import type { FinalVerdict, StoredNote } from './stored-verdict.js';

/** The result of `cancel`. */
export type CancelResult =
  /** Nothing was sent, and nothing will be. `onRefused` runs with the reason `'cancelled'`. */
  | { readonly cancelled: true }
  /** It is too late. `message` says what happens next. */
  | { readonly cancelled: false; readonly entry: OutboxEntry; readonly message: string };

type CancelNote = Extract<StoredNote, { readonly note: 'cancel' }>;

/** The service accepts a request for this long after it was signed (specification, part 5). */
const signatureMs = 300_000;
/** After this time, no request of an attempt that began before a note can still arrive. */
export const quietMs = longestAttemptMs + signatureMs;

export function createCanceller<Tx, AddTx>(
  { time }: OutboxSettings<Tx, AddTx>,
  store: OutboxStore<Tx, AddTx>,
): (key: string, reason: string) => Promise<CancelResult> {
  return async (key, reason) => {
    checkDurableOptions(reasonSchema, reason, 'reason');
    const intent = await store.findIntent(key);
    if (intent === undefined) throw new DurableStateError(`No sale has the key "${key}".`);
    const ended = endedResult(await entryOf(key));
    if (ended !== undefined) return ended;

    // The note first, then the claims: an attempt that is claimed after this line reads the note.
    await store.storeNote(key, { note: 'cancel', at: time.clock(), reason });
    const { cancel } = await store.findFacts(key);
    const isUnsent = store.fresh.has(intent) && !(await store.mayHaveBeenSent(key));
    if (cancel !== undefined && isUnsent) {
      await store.storeVerdict({ intent }, cancelled(cancel, 'never_sent'));
    }
    const entry = await entryOf(key);
    const message = entry.state === 'attention' ? undecidedMessage(key) : tooLate(key);
    return endedResult(entry) ?? { cancelled: false, entry, message };
  };

  async function entryOf(key: string): Promise<OutboxEntry> {
    const entry = await store.get(key);
    if (entry === undefined) throw new DurableStateError(`No sale has the key "${key}".`);
    return entry;
  }
}

function tooLate(key: string): string {
  return (
    'An attempt to place the order may have begun, so it may exist. Nothing more is sent. In about 15 minutes the outbox looks for the order: ' +
    `if it exists, onPlaced receives it, and you refund it with ${refundCall(key)}. If it does not, onRefused runs with the reason "cancelled".`
  );
}

function undecidedMessage(key: string): string {
  return (
    `An order may exist. Nothing more is sent. Look for the order with orders.list({ domain }), then call ${resolvePlaced(key)} and ${refundCall(key)}, ` +
    `or call ${resolveRetry(key)}, which now only looks for the order, 15 minutes after this cancel.`
  );
}

/** What `cancel` returns for a sale that has a result; `undefined` while it has none. */
function endedResult(entry: OutboxEntry): CancelResult | undefined {
  const { key, order, refusal, attention } = entry;
  if (order === undefined && refusal === undefined) return undefined;
  const result = (message: string) => ({ cancelled: false, entry, message }) as const;
  // What was found later contradicts the result: its message says what exists.
  if (attention !== undefined && attention.reason !== 'handler_failed') {
    return result(attention.message);
  }
  if (refusal?.reason === 'cancelled') return { cancelled: true };
  const isFailed = attention !== undefined;
  if (order !== undefined) {
    const exists = `The order ${order.public_id} exists. Refund it with ${refundCall(key)}.`;
    return result(isFailed ? `${exists} ${callbackFailed(key, 'onPlaced')}` : exists);
  }
  const none = 'No order exists and none will be placed';
  return result(
    isFailed
      ? `${none}. ${callbackFailed(key, 'onRefused')}`
      : `${none}: onRefused has the reason.`,
  );
}

export function cancelled(
  { reason }: CancelNote,
  confirmed: Extract<Refusal['confirmed'], 'never_sent' | 'looked_up'>,
): FinalVerdict {
  return { state: 'refused', refusal: { reason: 'cancelled', message: reason, confirmed } };
}

/** The refusal of a cancelled sale that may have been sent: believed after two look-ups. */
export const noOrderFound = {
  response: { status: 404 },
  code: 'not_found',
  outcome: 'rejected',
} as const satisfies ErrorToRead;

/** Until the quiet time is over, a look-up proves nothing, and nobody could do anything either. */
export function waitAfterCancel({ at }: CancelNote, now: number): Decision | undefined {
  const leftMs = at + quietMs - now;
  if (leftMs <= 0) return undefined;
  // A note with a time in the future was stored before the clock was set back.
  const waitMs = Math.min(leftMs, quietMs);
  const error = 'The sale was cancelled. The outbox looks for its order later.';
  return { action: 'retry', leastMs: waitMs, mostMs: waitMs, error };
}
