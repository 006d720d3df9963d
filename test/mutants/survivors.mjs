/** Why a mutant that no test notices may live: by `source kind: original text`. */

const shortcut = 'a shortcut: the longer way gives the same result';

export const survivors = {
  "src/engine/retry/outcome.ts another text: 'not_sent'":
    'the first of the order: what is not in it comes first, too',
  'src/engine/retry/outcome.ts > is >=: >': 'two equal outcomes: either is the worse',
  'src/protocol/digest.ts the condition fails: data.length === 0': shortcut,
  'src/protocol/digest.ts an early return less: return emptySha256;': shortcut,
  'src/protocol/digest.ts the condition holds: oneShotHash === undefined': shortcut,
  'src/protocol/path.ts the condition fails: plainSegment.test(value)': shortcut,
  'src/protocol/path.ts an early return less: return value;': shortcut,
  "src/webhooks/secrets.ts the condition fails: typeof secret === 'string' && secret !== ''":
    shortcut,
  'src/webhooks/secrets.ts an early return less: return [secret];': shortcut,
  'src/webhooks/signature-header.ts an early return less: return signature;': shortcut,
};
