/** What an answer says, read once: a success with its JSON, a refusal, or something that is not this API's. */

import { findRequestId, readErrorBody } from '../assumptions.js';
import type { WireAnswer } from '../transport/transport.js';

/** The facts of every answer. */
interface Read {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestId: string | undefined;
  /** The parsed JSON, or the beginning of what is not JSON. */
  readonly body: unknown;
}

export type Reading =
  | (Read & { readonly kind: 'success' })
  | (Read & {
      readonly kind: 'refusal';
      readonly code: string | undefined;
      readonly message: string | undefined;
    })
  | (Read & { readonly kind: 'stranger'; readonly what: string });

/**
 * @param secrets - values that are blotted out of an error's body, should the service echo them.
 * @param emptyAllowed - whether a success without a body is one; the documented calls all answer JSON.
 */
export function readAnswer(
  answer: WireAnswer,
  secrets: readonly string[],
  emptyAllowed: boolean,
): Reading {
  const { status, headers } = answer;
  const text = decode(answer.body);
  if (status >= 200 && status < 300) {
    const requestId = findRequestId(headers);
    if (text === '' && emptyAllowed) {
      return { kind: 'success', status, headers, requestId, body: undefined };
    }
    const json = parse(text);
    if (json !== undefined) {
      return { kind: 'success', status, headers, requestId, body: json.value };
    }
    const what = text === '' ? 'an empty body' : `a body that is not JSON${contentType(headers)}`;
    return { kind: 'stranger', status, headers, requestId, body: excerpt(text), what };
  }

  const safe = blotOut(text, secrets);
  const json = parse(safe);
  const { code, message, requestId } = readErrorBody(json?.value);
  const read = {
    status,
    headers,
    requestId: findRequestId(headers) ?? requestId,
    body: json === undefined ? excerpt(safe) : json.value,
  };
  if (status >= 400) return { kind: 'refusal', ...read, code, message };
  const what = status >= 300 ? `a redirect${location(headers)}` : 'no final answer';
  return { kind: 'stranger', ...read, what };
}

/** The first 2,000 characters: enough to see whose answer it is, and bounded. */
export function excerpt(text: string): string {
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
}

function decode(body: Uint8Array): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function blotOut(text: string, secrets: readonly string[]): string {
  let safe = text;
  for (const secret of secrets) {
    for (const form of [secret, JSON.stringify(secret).slice(1, -1)]) {
      if (form !== '') safe = safe.replaceAll(form, '[redacted]');
    }
  }
  return safe;
}

function contentType(headers: Readonly<Record<string, string>>): string {
  const type = headers['content-type'];
  return type === undefined ? '' : ` (${type})`;
}

/** Where a redirect leads, without its query: that may hold a token. */
function location(headers: Readonly<Record<string, string>>): string {
  const to = headers.location?.split(/[?#]/)[0];
  return to === undefined ? '' : ` to ${excerpt(to)}`;
}
