/** The bodies that the service may have signed if something changed the body on the way. */

import { parseJson } from '../../core/json.js';
import type { Candidate } from './candidate.js';
import { base64Bytes, decompressed, listedBytes, type Bytes } from './encodings.js';
import { rewrittenJson } from './rewritten-json.js';

const verifyRawAdvice = 'Verify the bytes as received.';

/** The characters of 0x80 to 0x9f: not by TextDecoder, which jest's jsdom lacks. */
const windows1252Chars =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';
/** Each is hashed; no event is this large. */
const maxDecompressedBytes = 256 * 1024;
const byteOrderMark = '\ufeff';

/** Undoes the usual changes, cheap and frequent ones first. */
export function* bodyCandidates(body: Bytes): Generator<Candidate<Bytes>> {
  const text = Buffer.from(body).toString('utf8');
  yield* newlines(body, text);
  yield* lineEndings(text);
  yield* marked(body, text);
  yield* wrapped(text);
  yield* compressed(body);
  yield* decodedWrongly(body, text);
  for (const rewritten of rewrittenJson(text.replace(/^\uFEFF/, ''))) {
    for (const end of ['', '\n']) {
      yield {
        value: Buffer.from(rewritten + end),
        explanation:
          'The signature belongs to the same JSON in another layout: the body was parsed and ' +
          `serialized again before it was verified. ${verifyRawAdvice}`,
      };
    }
  }
}

function* newlines(body: Bytes, text: string): Generator<Candidate<Bytes>> {
  const added = 'Something added it on the way, such as a log, a test fixture or an editor.';
  const removed = 'Something trimmed the body.';
  for (const end of ['\n', '\r\n']) {
    if (text.endsWith(end)) {
      yield {
        value: body.subarray(0, body.length - end.length),
        explanation: `The signature belongs to the body without the newline at its end. ${added} ${verifyRawAdvice}`,
      };
    }
    yield {
      value: Buffer.concat([body, Buffer.from(end)]),
      explanation: `The signature belongs to the body with a newline at its end. ${removed} ${verifyRawAdvice}`,
    };
  }
}

function* lineEndings(text: string): Generator<Candidate<Bytes>> {
  const lf = text.replaceAll('\r\n', '\n');
  const fix = `A proxy, git or an editor converted line endings. ${verifyRawAdvice}`;
  if (lf !== text) {
    yield {
      value: Buffer.from(lf),
      explanation: `The signature belongs to the body with LF for CRLF. ${fix}`,
    };
  }
  const crlf = lf.replaceAll('\n', '\r\n');
  if (crlf !== text) {
    yield {
      value: Buffer.from(crlf),
      explanation: `The signature belongs to the body with CRLF for LF. ${fix}`,
    };
  }
}

function* marked(body: Bytes, text: string): Generator<Candidate<Bytes>> {
  const mark = Buffer.from(byteOrderMark);
  yield text.startsWith(byteOrderMark)
    ? {
        value: body.subarray(mark.length),
        explanation: `The signature belongs to the body without its byte order mark (BOM). Something added it. ${verifyRawAdvice}`,
      }
    : {
        value: Buffer.concat([mark, body]),
        explanation: `The signature belongs to the body with a byte order mark (BOM), which was lost when it was decoded as text. ${verifyRawAdvice}`,
      };
}

/** The body inside base64 or inside a JSON string. */
function* wrapped(text: string): Generator<Candidate<Bytes>> {
  const decoded = base64Decoded(text);
  if (decoded !== undefined) {
    yield {
      value: decoded,
      explanation:
        'The body is base64 of what was signed. On Lambda decode event.body when ' +
        "event.isBase64Encoded is true: Buffer.from(event.body, 'base64').",
    };
  }
  const numbers = listedBytes(text);
  if (numbers !== undefined) {
    yield {
      value: numbers,
      explanation:
        'The body is a list of the bytes as numbers, as a Buffer or a Uint8Array becomes when it is ' +
        `serialized. ${verifyRawAdvice}`,
    };
  }
  const inner = parseJson(text);
  if (typeof inner === 'string') {
    yield {
      value: Buffer.from(inner),
      explanation: `The body is a JSON string that contains what was signed: it was serialized twice. ${verifyRawAdvice}`,
    };
  }
}

/** The body in each compression that HTTP knows. */
function* compressed(body: Bytes): Generator<Candidate<Bytes>> {
  for (const [name, value] of decompressed(body, maxDecompressedBytes)) {
    yield {
      value,
      explanation:
        `The signature belongs to the body before it was compressed with ${name}. Something ` +
        'compressed it on the way: decompress it first, or turn that off.',
    };
  }
}

/** Text that was decoded in one encoding and encoded in another (mojibake). */
function* decodedWrongly(body: Bytes, text: string): Generator<Candidate<Bytes>> {
  // ASCII is the same in all of these encodings.
  if (body.every((byte) => byte < 0x80)) return;
  const explanation =
    'The body was decoded as latin1 and then encoded as UTF-8 (mojibake): its non-ASCII ' +
    `characters are broken. Never decode it before it is verified, or decode it as UTF-8. ${verifyRawAdvice}`;
  const value = windows1252Bytes(text);
  if (value !== undefined) yield { value, explanation };
  yield {
    value: Buffer.from(Buffer.from(body).toString('latin1')),
    explanation: `The signature belongs to the body in UTF-8, but it arrived here in latin1. ${verifyRawAdvice}`,
  };
}

/**
 * The bytes of a text in windows-1252, undefined if a character needs more than one. This includes
 * latin1, which differs from windows-1252 only in having control characters at 0x80 to 0x9f.
 */
function windows1252Bytes(text: string): Bytes | undefined {
  const codes = Array.from({ length: 32 }, (_, at) => 0x80 + at);
  const codeByChar = new Map(codes.map((code, at) => [windows1252Chars.charAt(at), code]));
  const bytes = Array.from(text, (char) => codeByChar.get(char) ?? char.codePointAt(0) ?? 0);
  return bytes.every((byte) => byte <= 0xff) ? Uint8Array.from(bytes) : undefined;
}

function base64Decoded(text: string): Bytes | undefined {
  const trimmed = text.trimEnd();
  // Shorter texts may be words that happen to be valid base64.
  return trimmed.length < 8 ? undefined : base64Bytes(trimmed);
}
