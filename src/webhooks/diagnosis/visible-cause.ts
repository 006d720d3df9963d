/** visibleCause: what a look at a body shows. It is not what was signed, whatever the secret is. */

import type { RawBytesOrText } from '../raw-body.js';

/** A sentence that repeats nothing of the body; undefined if nothing shows. */
export function visibleCause(body: RawBytesOrText): string | undefined {
  if (body.length === 0) {
    return 'The body is empty. Something else has read it, or only the headers were forwarded.';
  }
  const start = Buffer.from(body.slice(0, 64));
  const [first = 0, second = 0] = start;
  if (first === 0x1f && second === 0x8b) return compressed('gzip');
  if (first === 0x78 && (first * 256 + second) % 31 === 0) return compressed('deflate');
  if (start.toString('hex').startsWith('28b52ffd')) return compressed('zstd');
  const text = start.toString('utf8').trim();
  if (/^\[object \w+\]/.test(text)) {
    return 'The body begins with "[object", so an object was turned into text. Verify the raw body.';
  }
  if (/^\{\s*"type"\s*:\s*"Buffer"/.test(text)) {
    return `The body is a Buffer that was serialized as JSON. ${restore('JSON.parse(body).data')}`;
  }
  if (/^\{\s*"0"\s*:\s*\d|^\[?\s*\d{1,3}\s*,\s*\d{1,3}\s*,/.test(text)) {
    return `The body is a list of the bytes as numbers. ${restore('the list')}`;
  }
  // The service sends no other text. In UTF-16 a zero byte follows the brace.
  if (!/^\uFEFF?\{(?:\s*["}]|\s*$)/.test(text)) {
    return (
      'The body does not begin with "{" and a name, as every event does. It was encoded, wrapped or ' +
      'replaced on the way. Verify the bytes as received.'
    );
  }
  return undefined;
}

function compressed(by: string): string {
  return `The body is compressed with ${by}. Something compressed it on the way. Verify the bytes from before.`;
}

function restore(list: string): string {
  return `Verify its bytes with Buffer.from(${list}).`;
}
