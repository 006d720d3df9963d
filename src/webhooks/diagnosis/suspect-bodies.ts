/** The bytes that the service may have signed, when those that arrived here were changed on the way. */

import { rewrittenJson } from './rewritten-json.js';
import type { Suspect } from './suspect.js';

type Bytes = Uint8Array<ArrayBuffer>;

const RAW = 'Verify the bytes as received.';
const BOM = [0xef, 0xbb, 0xbf];

/** The usual changes undone, the cheap and frequent ones first. */
export function* suspectBodies(body: Bytes): Generator<Suspect<Bytes>> {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  yield* newlines(body);
  yield* lineEndings(text);
  yield* byteOrderMark(body);
  yield* wrapped(text);
  yield* misreadText(body, text);
  for (const rewritten of rewrittenJson(text.replace(/^\uFEFF/, ''))) {
    for (const end of ['', '\n']) {
      yield {
        value: utf8(rewritten + end),
        why:
          'The signature belongs to the same JSON, written differently: the body was parsed and ' +
          `serialised again before it was verified. ${RAW}`,
      };
    }
  }
}

function* newlines(body: Bytes): Generator<Suspect<Bytes>> {
  const added = 'Something added it on the way, such as a log, a test fixture or an editor.';
  const removed = 'Something trimmed the body.';
  for (const end of ['\n', '\r\n']) {
    if (endsWith(body, end)) {
      yield {
        value: body.subarray(0, body.length - end.length),
        why: `The signature belongs to the body without the newline at its end. ${added} ${RAW}`,
      };
    }
    yield {
      value: concat(body, utf8(end)),
      why: `The signature belongs to the body with a newline at its end. ${removed} ${RAW}`,
    };
  }
}

function* lineEndings(text: string): Generator<Suspect<Bytes>> {
  const lf = text.replaceAll('\r\n', '\n');
  const fix = `A proxy, git or an editor converted line endings. ${RAW}`;
  if (lf !== text) {
    yield { value: utf8(lf), why: `The signature belongs to the body with LF for CRLF. ${fix}` };
  }
  const crlf = lf.replaceAll('\n', '\r\n');
  if (crlf !== text) {
    yield { value: utf8(crlf), why: `The signature belongs to the body with CRLF for LF. ${fix}` };
  }
}

function* byteOrderMark(body: Bytes): Generator<Suspect<Bytes>> {
  const has = BOM.every((byte, at) => body[at] === byte);
  yield has
    ? {
        value: body.subarray(BOM.length),
        why: `The signature belongs to the body without its byte order mark (BOM). Something added it. ${RAW}`,
      }
    : {
        value: concat(Uint8Array.from(BOM), body),
        why: `The signature belongs to the body with a byte order mark (BOM), which decoding it as text removed. ${RAW}`,
      };
}

/** The whole body inside another notation. */
function* wrapped(text: string): Generator<Suspect<Bytes>> {
  const decoded = base64Decoded(text);
  if (decoded !== undefined) {
    yield {
      value: decoded,
      why:
        'The body is base64 of what was signed. On Lambda decode event.body when ' +
        "event.isBase64Encoded is true: Buffer.from(event.body, 'base64').",
    };
  }
  const inner = jsonString(text);
  if (inner !== undefined) {
    yield {
      value: utf8(inner),
      why: `The body is a JSON string that holds what was signed: it was serialised twice. ${RAW}`,
    };
  }
}

/** Text that was decoded in one encoding and encoded in another (mojibake). */
function* misreadText(body: Bytes, text: string): Generator<Suspect<Bytes>> {
  // Plain ASCII is the same in all of them.
  if (body.every((byte) => byte < 0x80)) return;
  const why =
    'The body was decoded as latin1 and then encoded as UTF-8 (mojibake): its letters beyond ' +
    `ASCII are broken. Never decode it before it is verified, or decode it as UTF-8. ${RAW}`;
  for (const label of ['latin1', 'windows-1252'] as const) {
    const value = encodedAs(label, text);
    if (value !== undefined) yield { value, why };
  }
  yield {
    value: utf8(Array.from(body, (byte) => String.fromCharCode(byte)).join('')),
    why: `The signature belongs to the body in UTF-8, but it arrived here in latin1. ${RAW}`,
  };
}

/** The bytes of a text in a one-byte encoding; nothing where it has a character that needs more. */
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
  if (!/^[A-Za-z0-9+/_-]{8,}={0,2}\s*$/.test(text)) return undefined;
  try {
    const binary = atob(text.trim().replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function jsonString(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function utf8(text: string): Bytes {
  return new TextEncoder().encode(text);
}

function endsWith(body: Bytes, end: string): boolean {
  return utf8(end).every((byte, at) => body[body.length - end.length + at] === byte);
}

function concat(first: Bytes, second: Bytes): Bytes {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
