/** bodyMistakes: the bodies that are often signed in place of the one that is sent or received. */

import type * as zlib from 'node:zlib';
import { isObject, parseJson } from '../json.js';
import { base64Bytes, latin1Bytes, type Bytes } from './encodings.js';
import type { SignatureMistake } from './mistake.js';
import { rewrittenJson } from './rewritten-json.js';

type BodyMistake = SignatureMistake<Bytes | string>;

/** Each is hashed; no event is this large. */
const maxDecompressedBytes = 256 * 1024;

/** A longer body is not serialized again: that could take seconds. */
const maxRewrittenLength = 65_536;

/** Cheap and frequent ones first. */
export function* bodyMistakes(body: Bytes): Generator<BodyMistake> {
  const text = Buffer.from(body).toString('utf8');
  yield* endings(body, text);
  yield* wrapped(text);
  yield* compressed(body);
  yield* decoded(body, text);
  if (text.length <= maxRewrittenLength) yield* rewritten(text);
  const belongsTo = (what: string) =>
    `The signature belongs to ${what}, not to the body that was sent.`;
  yield { wrong: '', sentence: belongsTo('an empty body: it was left out') };
  yield { wrong: '{}', sentence: belongsTo('{}') };
  yield { wrong: 'null', sentence: belongsTo('null') };
}

function* endings(body: Bytes, text: string): Generator<BodyMistake> {
  for (const end of ['\n', '\r\n']) {
    const added =
      'The signature belongs to the body without the newline at its end. A log, a test fixture or an ' +
      'editor added it.';
    if (text.endsWith(end)) yield { wrong: body.subarray(0, -end.length), sentence: added };
    yield {
      wrong: Buffer.concat([body, Buffer.from(end)]),
      sentence:
        'The signature belongs to the body with a newline at its end. Something trimmed the body.',
    };
  }
  const trimmed = text.trimEnd();
  if (trimmed !== text) {
    const sentence = 'The signature belongs to the body without the white space at its end.';
    yield { wrong: trimmed, sentence };
  }
  const lf = text.replaceAll('\r\n', '\n');
  const converted = 'A proxy, git or an editor converted line endings.';
  yield { wrong: lf, sentence: `The signature belongs to the body with LF for CRLF. ${converted}` };
  const crlf = lf.replaceAll('\n', '\r\n');
  yield {
    wrong: crlf,
    sentence: `The signature belongs to the body with CRLF for LF. ${converted}`,
  };
  yield text.startsWith('\ufeff')
    ? {
        wrong: body.subarray(3),
        sentence: 'The signature belongs to the body without its byte order mark (BOM).',
      }
    : {
        wrong: `\ufeff${text}`,
        sentence:
          'The signature belongs to the body with a byte order mark (BOM), which was lost when it was ' +
          'decoded as text.',
      };
}

/** The body inside base64 or inside a JSON string, and the other way around. */
function* wrapped(text: string): Generator<BodyMistake> {
  const trimmed = text.trimEnd();
  // Shorter texts may be words that happen to be valid base64.
  const bytes = trimmed.length < 8 ? undefined : base64Bytes(trimmed);
  if (bytes !== undefined) {
    yield {
      wrong: bytes,
      sentence:
        'The body is base64 of what was signed. On Lambda decode event.body when ' +
        "event.isBase64Encoded is true: Buffer.from(event.body, 'base64').",
    };
  }
  const inner = parseJson(text);
  if (typeof inner === 'string') {
    yield {
      wrong: inner,
      sentence: 'The body is a JSON string that contains what was signed. It was serialized twice.',
    };
  }
}

function* compressed(body: Bytes): Generator<BodyMistake> {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (id: 'node:zlib') => typeof zlib | undefined };
  };
  const { gunzipSync, inflateSync } = process?.getBuiltinModule?.('node:zlib') ?? {};
  for (const [name, decompress] of Object.entries({ gzip: gunzipSync, deflate: inflateSync })) {
    try {
      const content = decompress?.(body, { maxOutputLength: maxDecompressedBytes });
      if (content === undefined) continue;
      yield {
        wrong: Uint8Array.from(content),
        sentence:
          `The signature belongs to the body before it was compressed with ${name}. Decompress it ` +
          'first, or turn that off.',
      };
    } catch {
      // It is not in this form.
    }
  }
}

/** Text that was decoded in one encoding and encoded in another (mojibake). */
function* decoded(body: Bytes, text: string): Generator<BodyMistake> {
  // ASCII is the same in all of these encodings.
  if (body.every((byte) => byte < 0x80)) return;
  const bytes = latin1Bytes(text);
  if (bytes !== undefined) {
    yield {
      wrong: bytes,
      sentence:
        'The body was decoded as latin1 and then encoded as UTF-8 (mojibake). Its non-ASCII ' +
        'characters are broken. Never decode it before it is verified, or decode it as UTF-8.',
    };
  }
  yield {
    wrong: Buffer.from(body).toString('latin1'),
    sentence: 'The signature belongs to the body in UTF-8, but it arrived here in latin1.',
  };
}

function* rewritten(text: string): Generator<BodyMistake> {
  const sentence =
    'The signature belongs to the same JSON in another layout. The body was parsed and serialized again.';
  let isJson = false;
  for (const layout of rewrittenJson(text.replace(/^\uFEFF/, ''))) {
    isJson = true;
    for (const end of ['', '\n']) yield { wrong: layout + end, sentence };
  }
  // Nothing is laid out of what is no JSON, or is deeper than a request ever is.
  if (!isJson) return;
  const parsed: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
  yield { wrong: JSON.stringify(sortKeys(parsed)), sentence };
  yield {
    wrong: JSON.stringify(JSON.stringify(parsed)),
    sentence:
      'The signature belongs to a JSON string that contains the body. It was serialized twice.',
  };
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, inner]) => [key, sortKeys(inner)]));
}
