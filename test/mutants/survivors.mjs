/** Why a mutant that no test notices may live: by `source kind: original text`. */

const shortcut = 'a shortcut: the longer way gives the same result';

const sign = 'a comparison is read by its sign';
const types = 'for the type check alone: the value goes no further';
const hex = 'hexadecimal digits are the same bytes in UTF-8';
const noMembers = 'what is no record has no members to look at';
const excerpt = 'the length of an excerpt in a message';
const fieldNamed = 'the error names the field itself';
const noCursor = 'a query leaves out what is undefined';
const oneLevel = 'a record inside of a record is not looked into in any case';
const remembered = 'speed: a name that is not remembered is read again';
const inTheYear1973 = 'a millisecond of the year 1973';
const anyRefunded = 'a refunded order in the place of another that was refunded, too';
const toleranceOfADay = 'a millisecond of a tolerance of a day';
const outOfRange = 'for the type check: no position is out of range';
const anyHash = 'any hash does: the texts are compared';
const sameFields = 'the next lines give the same fields';
const later = 'the check of the lines that follows says the same';

export const survivors = {
  "src/client/engine/retry/outcome.ts another text: 'not_sent'":
    'the first of the order: what is not in it comes first, too',
  "src/client/engine/retry/outcome.ts another text: 'POST'":
    'every method but GET and HEAD gives the same',
  'src/client/engine/retry/outcome.ts > is >=: >': 'two equal outcomes: either is the worse',
  'src/client/protocol/digest.ts the condition fails: data.length === 0': shortcut,
  'src/client/protocol/digest.ts an early return less: return emptySha256;': shortcut,
  'src/client/protocol/digest.ts the condition holds: oneShotHash === undefined': shortcut,
  'src/client/protocol/path.ts the condition fails: plainSegment.test(value)': shortcut,
  'src/client/protocol/path.ts an early return less: return value;': shortcut,
  "src/webhooks/secrets.ts the condition fails: typeof secret === 'string' && secret !== ''":
    shortcut,
  'src/webhooks/secrets.ts an early return less: return [secret];': shortcut,
  'src/webhooks/signature-header.ts an early return less: return signature;': shortcut,
  'src/client/engine/retry/attempt-result.ts the condition fails: text === undefined': shortcut,
  'src/client/engine/retry/attempt-result.ts an early return less: return undefined;': shortcut,
  "src/client/protocol/canonical-string.ts the condition fails: typeof input.timestamp !== 'string' && typeof input.timestamp !== 'number'":
    later,
  "src/client/protocol/canonical-string.ts another text: ''": types,
  "src/client/protocol/canonical-string.ts a statement less: issues.push({ path: 'timestamp', message: 'must be a whole number of Unix second":
    later,
  "src/client/protocol/query.ts the condition fails: query === ''": shortcut,
  "src/client/protocol/query.ts another text: ''": shortcut,
  "src/client/protocol/query.ts an early return less: return '';": shortcut,
  'src/client/protocol/query.ts the condition holds: pairs.length > 1': shortcut,
  'src/client/protocol/query.ts > is >=: >': shortcut,
  'src/client/protocol/query.ts the condition fails: unreserved.test(text)': shortcut,
  'src/client/protocol/query.ts an early return less: return text;': shortcut,
  'src/client/protocol/query.ts another number: 1': sign,
  'src/client/sale/requote-order.ts the condition fails: currency === undefined':
    'JSON leaves a field out that is undefined',
  'src/client/sale/requote-order.ts the condition holds: error instanceof ApiError':
    'no other error has a retryAfterMs',
  "src/client/sale/requote-order.ts another text: 'unknown'":
    'orders.resume does not return the cause',
  'src/client/sale/requote-order.ts || is &&: ||':
    'an ambiguous verdict has no single order of the payment',
  'src/client/sale/end-sale.ts a statement less: await beforeRequote?.();':
    'only the outbox passes it: test/durable/outbox-requote.test.ts notices',
  'src/client/sale/reach-verdict.ts another number: 0': 'the two waits are 0 and 3,000 ms',
  "src/client/resources/resume-case.ts another text: 'possible'":
    "the callers ask for 'ours' and 'other'",
  'src/client/sale/completeness.ts another number: 0': 'no list is empty before its first page',
  'src/client/sale/completeness.ts the condition fails: !isRecord(body)': noMembers,
  'src/client/sale/completeness.ts an early return less: return undefined;': noMembers,
  'src/client/sale/completeness.ts another number: 80': excerpt,
  "src/client/sale/absence-proof.ts the condition holds: typeof filter === 'string'":
    'URLSearchParams reads a record of texts, too',
  'src/client/sale/absence-proof.ts another number: 20': excerpt,
  'src/client/sale/absence-proof.ts another number: 50': excerpt,
  "src/client/sale/absence-proof.ts another text: ''": 'a header that is there has a value',
  'src/client/sale/absence-proof.ts another number: 0': excerpt,
  'src/client/sale/compare-order.ts another number: 100': excerpt,
  'src/client/sale/compare-order.ts another number: 0': excerpt,
  'src/client/sale/absence-proof.ts the condition holds: isRecord(body)':
    'what is no record was refused before, for its form',
  'src/client/sale/absence-proof.ts the condition fails: !isRecord(holder)': noMembers,
  'src/client/resources/check-record.ts another number: 100': excerpt,
  "src/client/resources/resume-write.ts another text: 'input'": fieldNamed,
  'src/client/resources/resume-case.ts the condition fails: cursor === undefined': noCursor,
  'src/client/resources/resume-refund.ts the condition fails: cursor === undefined': noCursor,
  "src/client/books/compare-sale.ts another text: ''": 'no text but a time is one',
  "src/client/books/findings.ts the condition holds: typeof publicId === 'string'":
    'each order that is joined has an id',
  "src/client/books/join-orders.ts the condition holds: typeof name === 'string'":
    'a set of names may hold undefined, which no order has',
  'src/client/sale/completeness.ts another number: 1': oneLevel,
  'src/client/sale/completeness.ts + is -: +': oneLevel,
  'src/client/sale/completeness.ts the condition fails: Number.isNaN(stated)': 'JSON has no NaN',
  "src/client/sale/completeness.ts another text: ''": 'neither text has a digit',
  'src/client/sale/envelope-words.ts another number: 500': remembered,
  'src/client/sale/envelope-words.ts the condition fails: meaning !== undefined || known.has(name)':
    remembered,
  'src/client/sale/envelope-words.ts an early return less: return meaning;': remembered,
  'src/client/sale/envelope-words.ts || is &&: ||': remembered,
  'src/client/sale/envelope-words.ts the condition holds: known.size < mostKnown': remembered,
  'src/client/sale/envelope-words.ts the condition fails: known.size < mostKnown': remembered,
  'src/client/sale/envelope-words.ts < is <=: <': remembered,
  'src/client/sale/envelope-words.ts < is >=: <': remembered,
  'src/client/sale/envelope-words.ts a statement less: known.set(name, found);': remembered,
  'src/client/sale/envelope-words.ts the condition holds: /[^a-z]/.test(name)': shortcut,
  'src/client/books/booked-sale.ts another number: 100_000_000_000': inTheYear1973,
  'src/client/books/booked-sale.ts < is <=: <': inTheYear1973,
  "src/client/books/statements.ts another text: ''": 'no text but a time is one',
  'src/client/books/statements.ts < is <=: <':
    'of two statements of one period and currency, either may have the order',
  'src/client/books/join-orders.ts another number: 0':
    'of several orders that were refunded, any may be compared',
  'src/client/books/join-orders.ts the condition holds: successor !== undefined && (joined === undefined || standing.length > 0)':
    anyRefunded,
  'src/client/books/join-orders.ts && is ||: &&': anyRefunded,
  'src/client/books/join-orders.ts > is >=: >': anyRefunded,
  "src/client/books/reconcile.ts another text: 'running'": "neither 'new' nor 'ended'",
  'src/client/books/reconcile.ts < is <=: <': toleranceOfADay,
  'src/client/books/reconcile.ts > is >=: >': toleranceOfADay,
  'src/client/books/sale-book.ts a statement less: this.#orderIds.push(undefined);':
    'what is beyond the end is undefined, too',
  "src/client/books/sale-book.ts another text: ''": outOfRange,
  'src/client/books/sale-book.ts another number: 0': outOfRange,
  'src/client/books/sale-book.ts the condition fails: this.at(position).publicId === orderId':
    'memory',
  'src/client/books/sale-book.ts the condition fails: reference === idempotencyKey': 'memory',
  'src/client/books/sale-book.ts the condition fails: known !== undefined': 'memory',
  'src/client/books/sale-book.ts an early return less: return known;': 'memory',
  'src/client/books/sale-book.ts a statement less: this.#numbers.set(name, number);': 'memory',
  'src/client/books/sale-book.ts another number: 1_024':
    'the first capacity of an array that grows',
  'src/client/books/sale-book.ts another number: 2': 'an array that grows by more',
  'src/client/books/order-reader.ts another number: 1': 'one is enough: only zero is asked for',
  'src/client/books/sale-book.ts another number: 1': 'an array that grows an entry earlier',
  'src/client/books/sale-book.ts > is >=: >': 'an array that grows an entry earlier',
  'src/client/books/sale-book.ts the condition holds: hashes[entry] !== 0':
    'no text has the hash 0, so an unused entry is never wanted',
  'src/client/books/sale-book.ts another number: 0x811c9dc5': anyHash,
  'src/client/books/sale-book.ts another number: 0x01000193': anyHash,
  'src/client/books/sale-book.ts < is <=: <': anyHash,
  'src/client/books/sale-book.ts the condition fails: value === 0':
    'one text of four thousand million has that hash',
  'src/client/books/sale-book.ts the condition fails: traits === undefined': outOfRange,
  'src/client/books/sale-book.ts a statement less: throw new RangeError(`there are no traits ${number}`);':
    outOfRange,
  'src/client/resources/resume-case.ts the condition holds: isRecord(data)':
    'what is no record has no "eligible"',
  "src/client/resources/resume-order.ts the condition fails: state === 'refused'": sameFields,
  "src/client/resources/resume-order.ts another text: 'refused'": sameFields,
  'src/client/resources/resume-order.ts an early return less: return { state, reason: verdict.reason, error: verdict.error };':
    sameFields,
  'src/client/resources/resume-refund.ts a statement less: throw unproven(`GET /orders/${publicId} returned no order with its id and a stat':
    'without an order the next line throws, and the refund is open, too',
  'src/client/resources/resume-refund.ts the condition holds: isRecord(body)':
    'a bare list is no proof in either form',
  "src/client/resources/resume-write.ts the condition holds: typeof retryAfterMs === 'number'":
    'no error has another kind of it',
  'src/client/books/order-reader.ts true: false':
    'kept orders cost memory, which the bench measures',
  'src/client/books/reconcile.ts a statement less: yield* this.#joinedSoFar();':
    'the list that failed has told its orders page by page',
  "src/webhooks/parse-event.ts another text: '\\uFFFD'": shortcut,
  'src/webhooks/raw-body.ts another number: 0':
    'a slice of any range tells a buffer from what is none',
  "src/webhooks/secrets.ts another text: 'string'": shortcut,
  "src/webhooks/signature-header.ts the condition fails: typeof signature === 'string' && signaturePattern.test(signature)":
    shortcut,
  "src/webhooks/signature-header.ts another text: 'string'": shortcut,
  "src/webhooks/raw-body.ts the condition holds: typeof hashable === 'string'":
    'length and byteLength of bytes are the same',
  "src/webhooks/verify.ts another text: 'latin1'": hex,
  "src/webhooks/verify.ts the condition holds: typeof body === 'string'":
    'length and byteLength of bytes are the same',
};
