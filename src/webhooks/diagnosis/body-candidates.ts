/** The bodies that the service may have signed, if something changed the body on its way. */

import type { Candidate } from './candidate.js';
import { base64Bytes, latin1Text, utf8Bytes, type Bytes } from './encodings.js';
import { rewrittenJson } from './rewritten-json.js';

const verifyRawAdvice = 'Verify the bytes as received.';
const byteOrderMarkBytes = [0xef, 0xbb, 0xbf];

/** Undoes the usual changes, the cheap and frequent ones first. */
export function* bodyCandidates(body: Bytes): Generator<Candidate<Bytes>> {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  yield* newlines(body);
  yield* lineEndings(text);
  yield* byteOrderMark(body);
  yield* wrapped(text);
  yield* decodedWrongly(body, text);
  for (const rewritten of rewrittenJson(text.replace(/^\uFEFF/, ''))) {
    for (const end of ['', '\n']) {
      yield {
        value: utf8Bytes(rewritten + end),
        explanation:
          'The signature belongs to the same JSON, written differently: the body was parsed and ' +
          `serialised again before it was verified. ${verifyRawAdvice}`,
      };
    }
  }
}

function* newlines(body: Bytes): Generator<Candidate<Bytes>> {
  const added = 'Something added it on the way, such as a log, a test fixture or an editor.';
  const removed = 'Something trimmed the body.';
  for (const end of ['\n', '\r\n']) {
    if (endsWith(body, end)) {
      yield {
        value: body.subarray(0, body.length - end.length),
        explanation: `The signature belongs to the body without the newline at its end. ${added} ${verifyRawAdvice}`,
      };
    }
    yield {
      value: concat(body, utf8Bytes(end)),
      explanation: `The signature belongs to the body with a newline at its end. ${removed} ${verifyRawAdvice}`,
    };
  }
}

function* lineEndings(text: string): Generator<Candidate<Bytes>> {
  const lf = text.replaceAll('\r\n', '\n');
  const fix = `A proxy, git or an editor converted line endings. ${verifyRawAdvice}`;
  if (lf !== text) {
    yield {
      value: utf8Bytes(lf),
      explanation: `The signature belongs to the body with LF for CRLF. ${fix}`,
    };
  }
  const crlf = lf.replaceAll('\n', '\r\n');
  if (crlf !== text) {
    yield {
      value: utf8Bytes(crlf),
      explanation: `The signature belongs to the body with CRLF for LF. ${fix}`,
    };
  }
}

function* byteOrderMark(body: Bytes): Generator<Candidate<Bytes>> {
  const has = byteOrderMarkBytes.every((byte, at) => body[at] === byte);
  yield has
    ? {
        value: body.subarray(byteOrderMarkBytes.length),
        explanation: `The signature belongs to the body without its byte order mark (BOM). Something added it. ${verifyRawAdvice}`,
      }
    : {
        value: concat(Uint8Array.from(byteOrderMarkBytes), body),
        explanation: `The signature belongs to the body with a byte order mark (BOM), which decoding it as text removed. ${verifyRawAdvice}`,
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
  const inner = jsonString(text);
  if (inner !== undefined) {
    yield {
      value: utf8Bytes(inner),
      explanation: `The body is a JSON string that holds what was signed: it was serialised twice. ${verifyRawAdvice}`,
    };
  }
}

/** Text that was decoded in one encoding and encoded in another (mojibake). */
function* decodedWrongly(body: Bytes, text: string): Generator<Candidate<Bytes>> {
  // ASCII is the same in every encoding that is tried.
  if (body.every((byte) => byte < 0x80)) return;
  const explanation =
    'The body was decoded as latin1 and then encoded as UTF-8 (mojibake): its letters beyond ' +
    `ASCII are broken. Never decode it before it is verified, or decode it as UTF-8. ${verifyRawAdvice}`;
  for (const label of ['latin1', 'windows-1252'] as const) {
    const value = encodedAs(label, text);
    if (value !== undefined) yield { value, explanation };
  }
  yield {
    value: utf8Bytes(latin1Text(body)),
    explanation: `The signature belongs to the body in UTF-8, but it arrived here in latin1. ${verifyRawAdvice}`,
  };
}

/** The bytes of a text in a one-byte encoding; undefined when a character needs more. */
function encodedAs(label: 'latin1' | 'windows-1252', text: string): Bytes | undefined {
  const special = label === 'latin1' ? new Map<string, number>() : windows1252();
  const bytes: number[] = [];
  for (const char of text) {
    const code = special.get(char) ?? char.codePointAt(0) ?? 0;
    if (code > 0xff) return undefined;
    bytes.push(code);
  }
  return Uint8Array.from(bytes);
}

/** The characters of windows-1252 that are not at their Unicode place: 0x80 to 0x9f. */
function windows1252(): Map<string, number> {
  const codes = Array.from({ length: 32 }, (_, at) => 0x80 + at);
  const chars = new TextDecoder('windows-1252').decode(Uint8Array.from(codes));
  return new Map(codes.map((code, at) => [chars.charAt(at), code]));
}

function base64Decoded(text: string): Bytes | undefined {
  const trimmed = text.trimEnd();
  // Shorter texts are words that happen to be base64.
  return trimmed.length < 8 ? undefined : base64Bytes(trimmed);
}

function jsonString(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function endsWith(body: Bytes, end: string): boolean {
  return utf8Bytes(end).every((byte, at) => body[body.length - end.length + at] === byte);
}

function concat(first: Bytes, second: Bytes): Bytes {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
