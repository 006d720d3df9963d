/** Why a mutant that no test notices may live: by `source kind: original text`. */

const shortcut = 'a shortcut: the longer way gives the same result';

const pad =
  'beyond the key, NaN XOR the pad is the pad, and what follows the block is written over';
const wipe = 'wiping the key from memory cannot be seen from outside';
const sign = 'a comparison is read by its sign';
const types = 'for the type check alone: the value goes no further';
const hex = 'hexadecimal digits are the same bytes in UTF-8';
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
  'src/client/protocol/hmac.ts the condition holds: oneShotHash === undefined || !isShortAscii(secret)':
    shortcut,
  'src/client/protocol/hmac.ts a statement less: reusedBlocks.inner.fill(0);': wipe,
  'src/client/protocol/hmac.ts a statement less: reusedBlocks.outer.fill(0);': wipe,
  'src/client/protocol/hmac.ts another number: 0': wipe,
  'src/client/protocol/hmac.ts <= is <: <=': shortcut,
  'src/client/protocol/hmac.ts < is <=: <': pad,
  'src/client/protocol/hmac.ts the condition holds: at < key.length': pad,
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
  'src/client/resources/resume-order.ts false: true':
    'the names of the options count, not their values',
  'src/client/sale/reach-verdict.ts another number: 0': 'the two waits are 0 and 3,000 ms',
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
