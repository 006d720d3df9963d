/** What an answer says, read once: a success with its JSON, a refusal, or something that is not this API's. */

import { findRequestId, readErrorBody } from '../assumptions.js';
import { redact } from '../errors/redact.js';
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
 * @param secrets - values that are blotted out of what goes into an error, should the answer echo them.
 * @param emptyAllowed - whether a success without a body is one; the documented calls all answer JSON.
 */
export function readAnswer(
  answer: WireAnswer,
  secrets: readonly string[],
  emptyAllowed: boolean,
): Reading {
  const { status, headers } = answer;
  const text = decode(answer.body);
  if (status >= 200 && status < 300) return readSuccess(answer, text, secrets, emptyAllowed);

  // Blotted out after parsing: JSON has many ways to write one string.
  const json = parse(text, (_key, value) =>
    typeof value === 'string' ? redact(value, withEscaped(secrets)) : value,
  );
  const { code, message, requestId } = readErrorBody(json?.value);
  const read = {
    status,
    headers,
    requestId: findRequestId(headers) ?? requestId,
    body: json === undefined ? excerpt(text, secrets) : json.value,
  };
  if (status >= 400) return { kind: 'refusal', ...read, code, message };
  if (status < 300) return { kind: 'stranger', ...read, what: 'no final answer' };
  const to = location(headers);
  return {
    kind: 'stranger',
    ...read,
    headers: to === undefined ? headers : { ...headers, location: to },
    what: to === undefined ? 'a redirect' : `a redirect to ${excerpt(to)}`,
  };
}

function readSuccess(
  { status, headers }: WireAnswer,
  text: string,
  secrets: readonly string[],
  emptyAllowed: boolean,
): Reading {
  const requestId = findRequestId(headers);
  const json = text === '' && emptyAllowed ? { value: undefined } : parse(text);
  if (json !== undefined) return { kind: 'success', status, headers, requestId, body: json.value };
  const what = text === '' ? 'an empty body' : `a body that is not JSON${contentType(headers)}`;
  return { kind: 'stranger', status, headers, requestId, body: excerpt(text, secrets), what };
}

function decode(body: Uint8Array): string {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const text = bytes.toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function parse(
  text: string,
  revive?: (key: string, value: unknown) => unknown,
): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text, revive) as unknown };
  } catch {
    return undefined;
  }
}

/** The first 2,000 characters: enough to see whose answer it is, and bounded. */
function excerpt(text: string, secrets: readonly string[] = []): string {
  const safe = redact(text, withEscaped(secrets));
  return safe.length > 2000 ? `${safe.slice(0, 2000)}…` : safe;
}

/** A secret may also be in JSON that is part of a text: a message that repeats the request's body. */
function withEscaped(secrets: readonly string[]): string[] {
  return secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
}

function contentType(headers: Readonly<Record<string, string>>): string {
  const type = headers['content-type'];
  return type === undefined ? '' : ` (${type})`;
}

/** Where a redirect leads, without its query: that may hold a token. */
function location(headers: Readonly<Record<string, string>>): string | undefined {
  return headers.location?.split(/[?#]/)[0];
}
