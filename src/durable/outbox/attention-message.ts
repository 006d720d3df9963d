/** `attentionMessages`: what is known about the order and the money, what was found, and the call to make. */

import type { FinalVerdict, StoredVerdict } from './stored-verdict.js';

const keepMoney = 'do not pay the buyer back yet';

/** Each message is read on its own, by someone who was just woken up: it names the key and a call. */
export const attentionMessages = {
  keyConflict(key: string, why: string): string {
    const refusedCall = `{ refused: "<reason>" } once the service's support confirms that this sale has no order`;
    return `The service knows this key with another order${inBrackets(why)}. An order may exist, so ${keepMoney}. Compare "candidates" with your records, then call ${resolvePlaced(key)}, or ${refusedCall}.`;
  },

  ambiguous(key: string, why: string): string {
    return `An existing order for this domain may belong to this sale${inBrackets(why)}, so ${keepMoney}. Compare "candidates" with your records, then call ${resolvePlaced(key)} for the one that is, or ${resolveRetry(key)} if none is.`;
  },

  priceUnit(key: string, why: string): string {
    return `No order exists, but ${keepMoney}, since each sale would end like this${inBrackets(why)}. Ask the service's support for the unit of "expected_price". If this sale alone is refused, call ${resolveRefused(key)}; else correct "amounts.sent" of the profile, ${placeAnew(key)}.`;
  },

  overdue(key: string, escalateAfterMs: number, lastError: string): string {
    return `An order may exist, so ${keepMoney}. There was no result within escalateAfterMs (${escalateAfterMs} ms). The last attempt: ${asSentence(lastError)} Fix the cause, then call ${resolveRetry(key)}.`;
  },

  /** @param found - why the order is not sent, as the end of a sentence */
  invalidInput(key: string, found: string, mayHaveBeenSent: boolean): string {
    return mayHaveBeenSent
      ? `An order may exist from an earlier attempt, so ${keepMoney}. Nothing more is sent, because ${found}. Look for the order with orders.list({ domain }), then call ${resolvePlaced(key)}; if there is none, undo the change and call ${resolveRetry(key)}.`
      : `No order exists, because nothing was sent. The cause is that ${found}. Undo the change and call ${resolveRetry(key)}; or call ${resolveRefused(key)}, which runs onRefused, and pay the buyer back.`;
  },

  /** Undone, a profile that was corrected would have the sale refused again. */
  otherProfile(key: string, mayHaveBeenSent: boolean): string {
    const found =
      'the profile of the client (its option "profile", or MARKET_PROFILE) is another one than when the sale was added, and would have the same order sent differently';
    return `${this.invalidInput(key, found, mayHaveBeenSent)} If the former profile was wrong and no order exists, ${placeAnew(key)}.`;
  },

  notVisible(key: string, isReceived = false): string {
    return `The refund was ${isReceived ? 'received by the service' : 'sent'}, and neither the order nor the history shows it. Money may have moved, so pay nothing back yet. Ask the service's support. If the order is refunded, call ${resolveRefunded(key)}; if it is still valid, call ${resolveNotRefunded(key)}; to send the refund once more, call ${resolveRetry(key)}, which refunds twice if the first request succeeded.`;
  },

  refundOverdue(key: string, escalateAfterMs: number, lastError: string): string {
    return `The refund was not decided within escalateAfterMs (${escalateAfterMs} ms), so the order may still be valid. The last attempt: ${asSentence(lastError)} Ask the service's support whether it has the refund. If it has, call ${resolveRefunded(key)}; if not, fix the cause and call ${resolveRetry(key)}, which sends it.`;
  },

  /** @param reported - the result that a callback has received: `resolve` accepts no other */
  contradiction(key: string, reported: StoredVerdict, found: FinalVerdict): string {
    if (reported.state === 'refunded' || reported.state === 'not_refunded') {
      const [call, callback] =
        reported.state === 'refunded'
          ? [resolveRefunded(key), 'onRefunded']
          : [resolveNotRefunded(key), 'onNotRefunded'];
      return `The refund was reported to ${callback}, but it is ${found.state.replace('_', ' ')}. Compare the order with what the buyer was paid back, then call ${call}.`;
    }
    const [reportedId, foundId] = [orderIdOf(reported), orderIdOf(found)];
    if (reportedId === undefined) {
      return `The order ${foundId ?? ''} exists, but the sale was reported as refused, so the buyer was paid back, or soon will be. Refund the order with orders.refund or charge the buyer again, then call ${resolveRefused(key)}.`;
    }
    const call = resolvePlaced(key, reportedId);
    return foundId === undefined
      ? `The order ${reportedId} was reported to onPlaced, but the service now refuses the sale as if it had no order. Read orders.get("${reportedId}"), pay the buyer back only if the order does not exist, then call ${call}.`
      : `The buyer paid once, but two orders exist: ${reportedId}, which was reported to onPlaced, and ${foundId}. Refund ${foundId} with orders.refund unless it belongs to another sale, then call ${call}.`;
  },

  handlerFailed(key: string, verdict: StoredVerdict | undefined, error: string): string {
    const known = {
      placed: `The order ${orderIdOf(verdict) ?? ''} exists, but your records may not have it`,
      refused: 'No order exists and none will be placed, but the buyer may not have been paid back',
      refunded: `The order ${orderIdOf(verdict) ?? ''} is refunded, but the buyer may not have been paid back`,
      not_refunded: 'The order is not refunded, but your records may not have that',
    };
    const state =
      verdict === undefined || verdict.state === 'attention' ? 'refused' : verdict.state;
    return `${known[state]}. ${callbackFailed(key, callbackOf[state])} The last failure: ${error}`;
  },
};

const callbackOf = {
  placed: 'onPlaced',
  refused: 'onRefused',
  refunded: 'onRefunded',
  not_refunded: 'onNotRefunded',
} as const;

export function callbackFailed(key: string, callback: string): string {
  return `${callback} failed for good. Fix it, then call ${resolveRetry(key)}, which only runs it again and sends nothing.`;
}

/** The service has refused the key, or knows it with other bytes. */
function placeAnew(key: string): string {
  return `place the order with orders.create under another idempotencyKey, and call ${resolvePlaced(key)}`;
}

export function resolveRetry(key: string): string {
  return `outbox.resolve("${key}", "retry")`;
}

export function resolvePlaced(key: string, orderId = '<public_id>'): string {
  return `outbox.resolve("${key}", { placed: "${orderId}" })`;
}

export function resolveRefused(key: string): string {
  return `outbox.resolve("${key}", { refused: "<reason>" })`;
}

function resolveRefunded(key: string): string {
  return `outbox.resolve("${key}", { refunded: "<reason>" })`;
}

function resolveNotRefunded(key: string): string {
  return `outbox.resolve("${key}", { notRefunded: "<reason>" })`;
}

export function refundCall(key: string): string {
  return `outbox.refund("${key}", { reason })`;
}

function inBrackets(why: string): string {
  return why === '' ? '' : ` (${withoutStop(why)})`;
}

function orderIdOf(verdict: StoredVerdict | undefined): string | undefined {
  return verdict !== undefined && 'order' in verdict ? verdict.order.public_id : undefined;
}

/** The service's words may end with a full stop, or with one in quotation marks. */
function asSentence(text: string): string {
  return /[.!?]"?$/.test(text) ? text : `${text}.`;
}

function withoutStop(text: string): string {
  return text.replace(/\.$/, '');
}
