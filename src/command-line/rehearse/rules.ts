/** The rules that a program must keep, each with the page that says how. */

interface Rule {
  readonly text: string;
  /** A page of this package, from its root. */
  readonly guide: string;
}

const table = {
  'one-order': {
    text: 'A paid payment has one order, or none and the buyer is paid back.',
    guide: 'docs/orders.md#resume-after-a-crash',
  },
  'comes-to-an-end': {
    text: 'Each sale comes to an end by itself: placed or refused.',
    guide: 'docs/never-lose-a-sale.md#how-each-sale-ends',
  },
  'believes-the-truth': {
    text: 'Your program says placed if the order exists, and refused if it was refunded or never existed.',
    guide: 'docs/orders.md#when-the-outcome-is-unknown',
  },
  'payment-kept': {
    text: 'A payment that the program confirmed is never lost. It is stored before the confirmation.',
    guide: 'docs/never-lose-a-sale.md#sell',
  },
  'one-key': {
    text: 'A payment has one Idempotency-Key, and a key one body. Another key is for a new quote, after the service refused the first.',
    guide: 'docs/orders.md#what-the-key-promises',
  },
  'paid-price': {
    text: 'No order costs more than the buyer paid.',
    guide: 'docs/orders.md#when-the-price-or-the-quote-is-refused',
  },
  'paid-back-once': {
    text: 'A buyer who is paid back gets what was paid, and gets it once.',
    guide: 'docs/never-lose-a-sale.md#refund-an-order',
  },
  'exact-price': {
    text: 'An order states the price that the service quoted, in whole cents.',
    guide: 'docs/assumptions.md#amounts',
  },
  'refusal-stands': {
    text: 'A request that the service refused is not sent again and again.',
    guide: 'docs/client.md#what-is-retried',
  },
  'backs-off': {
    text: 'After a failure a request waits before it is sent again, longer each time.',
    guide: 'docs/client.md#what-is-retried',
  },
  'no-answer': {
    text: 'A 429 or a 401 says nothing of the order, so the buyer is not paid back for it.',
    guide: 'docs/client.md#what-is-retried',
  },
  'retry-after': {
    text: 'After a 429, nothing is sent until Retry-After has passed.',
    guide: 'docs/client.md#rate-limits',
  },
  'forged-refused': {
    text: 'A delivery that the service did not sign never gets a 2xx.',
    guide: 'docs/never-miss-an-event.md#a-handler-without-the-inbox',
  },
  'genuine-accepted': {
    text: 'A delivery that the service signed is answered 200. The signature is over the raw body.',
    guide: 'docs/never-miss-an-event.md#when-a-signature-does-not-match',
  },
  'answers-in-5-s': {
    text: 'A delivery is answered within 5 seconds.',
    guide: 'docs/never-miss-an-event.md#a-handler-without-the-inbox',
  },
  'event-handled': {
    text: 'Each event is handled, whether it was answered 200 or its delivery was lost.',
    guide: 'docs/never-miss-an-event.md#what-your-function-must-do',
  },
  'event-handled-once': {
    text: 'An event that comes again, late or after a newer one changes nothing back.',
    guide: 'docs/never-miss-an-event.md#an-event-can-be-out-of-date',
  },
  'new-nonce': {
    text: 'Each request is signed when it is sent, and a retry again, with a nonce of its own and the time.',
    guide: 'docs/security.md#the-headers',
  },
  'stays-up': {
    text: 'The program does not end by itself.',
    guide: 'docs/never-miss-an-event.md#a-handler-without-the-inbox',
  },
  'keeps-secrets': {
    text: 'No secret is in what the program prints, responds or sends. It only signs.',
    guide: 'docs/security.md#the-credentials-secret',
  },
} as const satisfies Record<string, Rule>;

export type RuleName = keyof typeof table;

export const rules: Readonly<Record<RuleName, Rule>> = table;
