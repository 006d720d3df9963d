import { expect, it } from 'vitest';
import { attentionMessages } from '../../src/durable/outbox/attention-message.js';
import { reasonOf } from '../../src/durable/outbox/decide.js';

const error = (fields: object) => Object.assign(new Error('gone'), fields);
const refused = { response: { status: 409 }, code: 'conflict' };

it.each<[string, unknown, string]>([
  ['in its body', { ...refused, body: { message: 'sold' } }, '409 conflict "sold"'],
  ['in its error', { ...refused, body: { error: { message: 'sold' } } }, '409 conflict "sold"'],
  [
    'in its body and in its error',
    { ...refused, body: { message: 'sold', error: { message: 'no' } } },
    '409 conflict "sold"',
  ],
  ['that is no text', { ...refused, body: { message: 5 } }, '409 conflict'],
  ['that is missing', refused, '409 conflict'],
  [
    'of a page',
    { ...refused, body: { message: 'a'.repeat(501) } },
    `409 conflict "${'a'.repeat(500)}"`,
  ],
])(
  'the reason of a refusal has its code and the message of the service %s',
  (_where, error, is) => {
    expect(reasonOf(Object.assign(new Error('Retry later.'), error))).toBe(is);
  },
);

it.each<[string, unknown, string]>([
  ['a status without a code', error({ response: { status: 502 } }), 'gone (502)'],
  [
    'a message without a code',
    error({ response: { status: 403 }, body: { message: 'Blocked.' } }),
    'gone (403 "Blocked.")',
  ],
  ['a code without a status', error({ code: 'ECONNRESET' }), 'gone'],
  ['what is no error', 'gone', 'gone'],
  ['nothing', undefined, 'undefined'],
])('the reason of any other failure is its own message: %s', (_what, error, is) => {
  expect(reasonOf(error)).toBe(is);
});

it.each([
  ['', 'may belong to this sale, so do not'],
  ['409 conflict "Sold."', 'may belong to this sale (409 conflict "Sold."), so do not'],
  ['the list was stale.', 'may belong to this sale (the list was stale), so do not'],
])('a reason stands in brackets within a sentence: %j', (why, within) => {
  expect(attentionMessages.ambiguous('pay-1', why)).toContain(within);
});

it.each([
  ['the socket closed', 'attempt: the socket closed. Fix'],
  ['the socket closed.', 'attempt: the socket closed. Fix'],
  ['503 unavailable "Wait!"', 'attempt: 503 unavailable "Wait!" Fix'],
  ['Is it on?', 'attempt: Is it on? Fix'],
])('a failure ends its sentence once: %j', (lastError, within) => {
  expect(attentionMessages.overdue('pay-1', 1, lastError)).toContain(within);
});

const placed = (publicId: string) => ({ state: 'placed', order: { public_id: publicId } });
const other = (state: string) => ({ state });

it.each<[string, object, object, string, string]>([
  ['placed, and refused', placed('ord_1'), other('refused'), 'pay the buyer back only if', 'ord_1'],
  ['refunded, and not', other('refunded'), other('not_refunded'), 'not refunded', 'onRefunded'],
  ['not, and refunded', other('not_refunded'), other('refunded'), 'it is', 'onNotRefunded'],
])('a contradiction tells what to do: reported %s', (_, reported, found, remedy, names) => {
  const message = attentionMessages.contradiction('pay-1', reported as never, found as never);
  expect(message).toContain(remedy);
  expect(message).toContain(names);
  expect(message).toContain('outbox.resolve("pay-1"');
});

it.each<[string, object | undefined, string, string]>([
  ['onRefunded', { ...placed('ord_1'), state: 'refunded' }, 'ord_1 is refunded', 'onRefunded'],
  ['onNotRefunded', other('not_refunded'), 'is not refunded', 'onNotRefunded'],
  ['a lost result', undefined, 'No order exists', 'onRefused'],
])('a callback that failed for good says whether an order exists: %s', (_, verdict, says, name) => {
  const message = attentionMessages.handlerFailed('pay-1', verdict as never, 'disk full');
  expect(message).toContain(says);
  expect(message).toContain(name);
  expect(message).toContain('The last failure: disk full');
});
