/** parseResponse: what a response says: a success, an error of the service, or neither. */

import { findRequestId } from '../assumptions.js';
import { readErrorAs, statesError } from '../profile/exact.js';
import type { Profile } from '../profile/profile.js';
import { hasField } from '../envelope/unwrap-record.js';
import { isDocumentedCode } from '../errors/api-error-class.js';
import type { ResponseInfo } from '../errors/create-error.js';
import {
  excerptOfJson,
  excerptOfText,
  redact,
  redactHeaders,
  redactJson,
} from '../../core/errors/redact.js';
import { isRecord } from '../../core/json.js';
import type { TransportResponse } from '../transport/transport.js';

export type ParsedResponse =
  | (ResponseInfo & { readonly kind: 'success' })
  | (ResponseInfo & {
      readonly kind: 'error_response';
      readonly code: string | undefined;
      readonly message: string | undefined;
    })
  /** Not this API's: a gateway or proxy may have sent it. `what` completes "answered 200 with ...". */
  | (ResponseInfo & { readonly kind: 'unexpected_response'; readonly what: string });

/** What the parser needs to know about the request. */
export interface ExpectedResponse {
  readonly method: string;
  /** The field that a successful write always has; without it, the response is not this API's. */
  readonly identifiedBy?: string | undefined;
  /** Whether a success may have no body, or JSON of any kind. */
  readonly allowsAnyBody?: boolean | undefined;
  /** Whether a success without a body says all: the request was received. */
  readonly receivedWhenEmpty?: boolean | undefined;
  /** The noun of a list. */
  readonly listField?: string | undefined;
  readonly profile?: Profile | undefined;
}

/** @param secrets - values that no error may show, should the response repeat them. */
export function parseResponse(
  response: TransportResponse,
  expected: ExpectedResponse,
  secrets: readonly string[],
): ParsedResponse {
  const { status } = response;
  const { profile } = expected;
  const text = decode(response.body);
  const isSuccess = status >= 200 && status < 300;
  const parsed = isSuccess && profile?.errors?.in200 === undefined ? undefined : parseJson(text);
  if (isSuccess && !statesError(profile, parsed?.value)) {
    return parseSuccess(response, text, expected, secrets);
  }
  const { code, message, requestId } = readErrorAs(profile, parsed?.value, status);
  if (isEmptyList(status, code, expected)) {
    return parseSuccess(response, text, { ...expected, allowsAnyBody: true }, secrets);
  }
  const headers = redactHeaders(withoutLocationQuery(response.headers), secrets);
  const info = {
    status,
    headers,
    requestId: findRequestId(headers) ?? (requestId && redact(requestId, secrets)),
    body: parsed === undefined ? excerptOfText(text, secrets) : redactJson(parsed.value, secrets),
  };
  if (status < 200) return { kind: 'unexpected_response', ...info, what: 'no final response' };
  if (status >= 300 && status < 400)
    return { kind: 'unexpected_response', ...info, what: 'a redirect' };
  const mayHaveNone = profile?.errors?.code === null && parsed !== undefined;
  if (code === undefined && !mayHaveNone && isRefusalOfGateway(status, expected.method)) {
    const what = parsed === undefined ? 'an error that is not JSON' : 'an error that has no code';
    return { kind: 'unexpected_response', ...info, what };
  }
  return {
    kind: 'error_response',
    ...info,
    code: code && redactCode(code, secrets),
    message: message && redact(message, secrets),
  };
}

/** A documented code decides about retries and the class, so a secret that is part of it must not change it. */
function redactCode(code: string, secrets: readonly string[]): string {
  return isDocumentedCode(code) ? code : redact(code, secrets);
}

/**
 * Every error of the service has a code (specification, part 7). A gateway's 404 on a write says
 * nothing about what the service did with an earlier copy. A 429 is a rate limit, also from a gateway.
 */
function isRefusalOfGateway(status: number, method: string): boolean {
  return status < 500 && status !== 429 && !isTransient(status) && isWrite(method);
}

/**
 * Whether a status says that the same request may succeed later (RFC 9110, 15.5.9 and 15.6; RFC 8470): of the
 * 5xx all but "not implemented" and "version not supported". The work may have been done nevertheless.
 */
export function isTransient(status: number): boolean {
  if (status === 408 || status === 425) return true;
  return status >= 500 && status < 600 && status !== 501 && status !== 505;
}

/** A 404 that says "none" of a list, as the profile says. */
function isEmptyList(
  status: number,
  code: string | undefined,
  { method, listField, profile }: ExpectedResponse,
): boolean {
  const isList = method === 'GET' && listField !== undefined;
  if (!isList || status !== 404 || code !== 'not_found') return false;
  return profile?.lists?.empty?.includes('404') === true;
}

function parseSuccess(
  response: TransportResponse,
  text: string,
  expected: ExpectedResponse,
  secrets: readonly string[],
): ParsedResponse {
  const { status, headers } = response;
  const isNone = expected.method === 'GET' && expected.listField !== undefined && status === 204;
  const mayBeEmpty =
    expected.allowsAnyBody === true ||
    expected.receivedWhenEmpty === true ||
    (isNone && expected.profile?.lists?.empty?.includes('204') === true);
  const parsed = text === '' && mayBeEmpty ? { value: undefined } : parseJson(text);
  const what = text === '' && mayBeEmpty ? undefined : problemOf(text, parsed, expected);
  const foundId = findRequestId(headers);
  const requestId = foundId && redact(foundId, secrets);
  if (what === undefined) {
    return { kind: 'success', status, headers, requestId, body: parsed?.value };
  }
  return {
    kind: 'unexpected_response',
    status,
    headers: redactHeaders(headers, secrets),
    requestId,
    body:
      parsed === undefined ? excerptOfText(text, secrets) : excerptOfJson(parsed.value, secrets),
    what,
  };
}

/** What keeps a response from being a success of this API. */
function problemOf(
  text: string,
  parsed: { value: unknown } | undefined,
  { method, identifiedBy, allowsAnyBody, profile }: ExpectedResponse,
): string | undefined {
  if (parsed === undefined && text === '') return 'an empty body';
  if (parsed === undefined) return 'a body that is not JSON';
  if (!isWrite(method)) return undefined;
  // Under a profile's names the record itself is asked, once it is translated.
  return missingInRecord(
    parsed.value,
    profile === undefined ? identifiedBy : undefined,
    allowsAnyBody,
  );
}

/** Why a write's response cannot be this API's: a gateway's `{"status":"ok"}` names no record. */
function missingInRecord(
  body: unknown,
  identifiedBy: string | undefined,
  allowsAnyBody: boolean | undefined,
): string | undefined {
  if (identifiedBy !== undefined) {
    return hasField(body, identifiedBy) ? undefined : `JSON that has no "${identifiedBy}"`;
  }
  return isRecord(body) || allowsAnyBody === true ? undefined : 'JSON that is not an object';
}

function isWrite(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

function decode(body: Uint8Array): string {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const text = bytes.toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** The query of a redirect's target can hold a token. */
function withoutLocationQuery(
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const location = headers.location?.split(/[?#]/)[0];
  return location === undefined ? headers : { ...headers, location };
}
