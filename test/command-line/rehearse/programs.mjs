// The programs of the proof: those that are right, and those with one mistake each, with the case that names
// it and the rule that it breaks.

import { fileURLToPath } from 'node:url';

/** @typedef {{ name: string, command: string[], brokenBy?: string, rule?: string, remedy?: string }} Program */

const at = (file) => fileURLToPath(new URL(file, import.meta.url));
/** @type {(file: string, brokenBy?: string, rule?: string, remedy?: string) => Program} */
const program = (file, brokenBy, rule, remedy) => ({
  name: file.replace(/^.*\/|\.\w+$/g, ''),
  command: [file.endsWith('.py') ? 'python3' : process.execPath, at(file)],
  ...(rule === undefined ? {} : { brokenBy, rule, remedy }),
});

export const rightPrograms = [
  program('right/resume.mjs'),
  program('right/outbox-sqlite.mjs'),
  program('right/outbox-postgres.mjs'),
  program('right/signed.py'),
];

export const wrongPrograms = [
  program('wrong/new-key.mjs', 'lost-after-work', 'one-key'),
  program('wrong/refund-on-timeout.mjs', 'slow-response', 'one-order'),
  program('wrong/answers-first.mjs', 'kill-after-200', 'event-handled', 'before you answer 200'),
  program('wrong/parsed-body.mjs', 'raw-body', 'genuine-accepted'),
  program('wrong/accepts-forged.mjs', 'delivery-forged', 'forged-refused'),
  program(
    'wrong/handles-before-verifying.mjs',
    'delivery-forged',
    'forged-refused',
    'verify the signature before',
  ),
  program('wrong/expects-v1.mjs', 'plain-sale', 'genuine-accepted', 'without "v1="'),
  program('wrong/retries-4xx.mjs', 'domain-gone', 'refusal-stands'),
  program('wrong/ignores-retry-after.mjs', 'rate-limited', 'retry-after'),
  program('wrong/slow-handler.mjs', 'plain-sale', 'answers-in-5-s', 'no response within 5000 ms'),
  program('wrong/ends-on-unknown-type.mjs', 'unknown-type', 'stays-up'),
  program('wrong/no-dedupe.mjs', 'delivery-doubled', 'event-handled-once'),
  program('wrong/stored-after.mjs', 'kill-after-order', 'comes-to-an-end'),
  program('wrong/prints-secret.mjs', 'output', 'keeps-secrets'),
  program('wrong/requotes-above.mjs', 'price-rose', 'paid-price'),
  program('wrong/compares-text.mjs', 'price-rose', 'paid-price'),
  program('wrong/trusts-list.mjs', 'stale-list', 'one-order'),
  program('wrong/mismatch-is-placed.py', 'price-rose', 'believes-the-truth'),
  program('wrong/received-first.mjs', 'kill-after-paid-1000', 'payment-kept'),
  program('wrong/quotes-before-storing.mjs', 'kill-after-paid', 'payment-kept'),
  program('wrong/in-memory.mjs', 'kill-after-paid-100', 'payment-kept', 'store the payment before'),
  program('wrong/refund-before-order.mjs', 'cancelled-in-flight', 'event-handled'),
  program('wrong/key-per-callback.mjs', 'impatient-buyer', 'one-key'),
  program('wrong/key-of-domain.mjs', 'domain-resold', 'one-key', 'a key of its own'),
  program(
    'wrong/no-lock.mjs',
    'impatient-buyer',
    'one-key',
    'with one body, and then with another',
  ),
  program('wrong/key-from-clock.mjs', 'lost-after-work', 'one-key'),
  program('wrong/requote-key-per-attempt.mjs', 'price-fell', 'one-key'),
  program('wrong/new-quote-same-key.mjs', 'lost-before-work', 'one-key'),
  program('wrong/any-404-is-refused.mjs', 'gateway-404', 'one-order'),
  program('wrong/any-200-is-placed.mjs', 'gateway-200', 'believes-the-truth'),
  program('wrong/refund-on-500.mjs', 'error-after-work', 'one-order'),
  program('wrong/no-price.mjs', 'price-rose', 'paid-price'),
  program('wrong/float-price.mjs', 'odd-price', 'exact-price'),
  program('wrong/price-in-units.mjs', 'plain-sale', 'exact-price'),
  program('wrong/never-requotes.mjs', 'quote-expired', 'refusal-stands'),
  program('wrong/no-history.mjs', 'delivery-lost', 'event-handled', 'read the history'),
  program('wrong/one-page.mjs', 'history-gap', 'event-handled'),
  program('wrong/first-of-page.mjs', 'history-gap', 'event-handled'),
  program('wrong/skips-first.mjs', 'history-gap', 'event-handled'),
  program(
    'wrong/cursor-first.mjs',
    'kill-in-history',
    'event-handled',
    'once the events before it are handled',
  ),
  program('wrong/poll-ends-with-error.mjs', 'kill-after-order', 'believes-the-truth', 'Read again'),
  program('wrong/cursor-by-webhook.mjs', 'delivery-lost', 'event-handled'),
  program(
    'wrong/newest-order-wins.mjs',
    'delivery-out-of-order',
    'event-handled',
    'No older event',
  ),
  program('wrong/two-workers.mjs', 'plain-sale', 'one-key'),
  program('wrong/never-pays-back.mjs', 'domain-gone', 'comes-to-an-end', 'pay the buyer back'),
  program('wrong/nonce-from-clock.py', 'lost-after-work', 'new-nonce'),
  program('wrong/401-is-placed.py', 'clock-off', 'believes-the-truth'),
  program('wrong/prints-webhook-secret.mjs', 'output', 'keeps-secrets'),
  program('wrong/key-of-two-payments.mjs', 'error-after-work', 'one-key'),
  program('wrong/refund-on-429.mjs', 'rate-limited', 'no-answer'),
  program('wrong/refund-on-401.py', 'clock-off', 'no-answer'),
  program('wrong/refund-on-409.mjs', 'lost-after-work', 'one-order'),
  program('wrong/duplicate-is-500.mjs', 'delivery-doubled', 'event-handled-once'),
  program('wrong/unknown-type-is-400.mjs', 'unknown-type', 'genuine-accepted'),
  program('wrong/reads-before-answer.mjs', 'slow-service', 'answers-in-5-s'),
  program(
    'wrong/skips-what-fails.mjs',
    'delivery-lost',
    'event-handled',
    'once the events before it',
  ),
  program('wrong/worker-ends-with-error.mjs', 'slow-response', 'comes-to-an-end'),
  program('wrong/failed-read-is-no-refund.mjs', 'order-cancelled', 'event-handled'),
  program('wrong/expects-an-order.mjs', 'unknown-type', 'genuine-accepted', 'brokerage'),
  program(
    'wrong/stops-at-a-strange-event.mjs',
    'unknown-type',
    'event-handled',
    'must not keep you from the next',
  ),
  program('wrong/answers-204.mjs', 'plain-sale', 'genuine-accepted', 'status 204'),
  program('wrong/retries-at-once.mjs', 'outage', 'backs-off', 'wait before each repeat'),
  program('wrong/refunded-status-only.mjs', 'order-cancelled', 'event-handled', 'status CANCELLED'),
  program('wrong/gives-up.mjs', 'outage', 'one-order'),
  program('wrong/mismatch-at-any-price.mjs', 'price-mismatch', 'paid-price'),
  program('wrong/refund-too-late.mjs', 'slow-response', 'one-order', 'nothing was refunded'),
  program('wrong/same-key-after-refusal.mjs', 'quote-expired', 'one-key', 'with a new key'),
  program('wrong/nonce-of-polls.py', 'requests', 'new-nonce'),
  program('wrong/signs-once.py', 'plain-sale', 'new-nonce', 'the timestamp of 6'),
  program(
    'wrong/unsorted-query.py',
    'delivery-lost',
    'event-handled',
    'GET /events got 401 invalid_signature (',
  ),
  program('wrong/sends-secret.py', 'requests', 'keeps-secrets'),
  program('wrong/second-timeout-refused.mjs', 'slow-response', 'one-order'),
  program('wrong/tolerates-a-percent.mjs', 'price-mismatch', 'paid-price'),
  program('wrong/drops-old-events.mjs', 'delivery-late', 'event-handled', 'however long ago'),
  program('wrong/refuses-old-events.mjs', 'delivery-late', 'event-handled', 'however long ago'),
  program('wrong/recorded-is-placed.mjs', 'cancelled-in-flight', 'event-handled', 'No older event'),
  program('wrong/settled-falls-through.mjs', 'slow-response', 'one-order', 'which is no refund'),
  program('wrong/decodes-latin1.mjs', 'raw-body', 'genuine-accepted', 'before any decoding'),
  program(
    'wrong/failed-quote-ends.mjs',
    'first-call-refused',
    'payment-kept',
    'POST /quotes got 401',
  ),
  program('wrong/pays-back-each-time.mjs', 'delivery-doubled', 'paid-back-once', 'idempotency key'),
  program('wrong/first-order-of-domain.mjs', 'domain-resold', 'one-order'),
  program('wrong/event-by-domain.mjs', 'domain-resold', 'event-handled', 'the id of its order'),
  program('wrong/pays-back-on-409.mjs', 'withdrawn-too-late', 'one-order', 'nothing was refunded'),
  program('wrong/withdrawn-is-said.mjs', 'withdrawn', 'believes-the-truth'),
  program('wrong/waits-for-ever.mjs', 'no-response', 'comes-to-an-end', 'no response'),
  program('wrong/received-whatever.mjs', 'first-call-refused', 'payment-kept', 'got 401'),
  program('wrong/starts-over-at-sigterm.mjs', 'deploy', 'one-key'),
  program('wrong/unread-is-refused.mjs', 'storm', 'one-order'),
  program('wrong/starts-once.mjs', 'kill-after-order', 'comes-to-an-end'),
  program('wrong/row-without-sale.mjs', 'kill-while-paying', 'payment-kept'),
  program('wrong/cursor-before-event.mjs', 'kill-in-history', 'event-handled'),
  program('wrong/shows-secret.mjs', 'output', 'keeps-secrets', 'what --sell or --ask got'),
];

/**
 * The arguments of the command for a program on a port, with a folder of its own.
 *
 * @type {(program: Program, port: number, folder: string, options?: readonly string[]) => string[]}
 */
export function rehearsalOf({ command }, port, folder, options = []) {
  return [
    'rehearse',
    ...['--sell', `http://localhost:${port}/buy?domain={domain}&payment={payment}`],
    ...['--ask', `http://localhost:${port}/ask?payment={payment}`],
    ...['--withdraw', `http://localhost:${port}/withdraw?payment={payment}`],
    ...['--webhook', `http://localhost:${port}/webhooks/market`],
    ...['--port', String(port), '--out', folder],
    ...options,
    '--',
    ...[...command, folder],
  ];
}
