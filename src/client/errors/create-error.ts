/** Creates the error of a call that failed, with all of its facts and without its secrets. */

import { adviceFor, outcomeSentence, type AdvisedCall } from './advice.js';
import { ForbiddenError, RateLimitError, type ApiError } from './api-error.js';
import { classOfError, codeOfStatus, isDocumentedCode } from './api-error-class.js';
import { causeChain } from '../../core/errors/cause.js';
import { ConfigurationError } from './configuration-error.js';
import { AbortedError, ConnectionError, TimeoutError } from './connection-error.js';
import { describeFailure, type FailedRequest } from './describe-failure.js';
import { MarketError, type CallFacts, type CallOutcome } from './market-error.js';
import { redactCause } from './redact-cause.js';
import { excerpt } from './invalid-request-error.js';
import { invisible } from '../../core/errors/escape-invisible.js';
import { excerptOfJson, redact, redactHeaders } from '../../core/errors/redact.js';
import { isObject } from '../../core/json.js';
import { memberNames } from '../../core/errors/member-names.js';
import type { ErrorResponse, ResponseFacts } from './response-facts.js';
import { UnexpectedResponseError } from './unexpected-response-error.js';

/** The call, and how far it got. */
export interface CallContext extends AdvisedCall {
  readonly nonces: readonly string[];
  readonly outcome: CallOutcome;
  /** Values that no error may show. */
  readonly secrets: readonly string[];
  /** Why there is no further attempt, if there could have been one. */
  readonly stopReason?: string | undefined;
}

/** What every response has. */
export interface ResponseInfo extends ErrorResponse {
  readonly requestId: string | undefined;
  /** The parsed JSON, or the beginning of what is not JSON. */
  readonly body: unknown;
}

/**
 * The class follows the body's code; if that is not a known one, the status decides. The message has the
 * status, the code and the service's words, since many logs have only the message. It has no key.
 */
export function apiErrorFor(
  call: CallContext,
  response: ResponseInfo & { code: string | undefined; message: string | undefined },
  retryAfterMs: number | undefined,
): ApiError {
  const ErrorClass = classOfError(response.code, response.status);
  const code = response.code ?? codeOfStatus(response.status);
  const isNotJson = typeof response.body === 'string' && response.body !== '';
  const named = code !== undefined && isDocumentedCode(code) ? code : '';
  const said = [named, wordsOf(response.message, call)].filter((part) => part !== '').join(': ');
  const body = isNotJson ? ' with a body that is not JSON' : '';
  const what = `returned ${response.status}${body}${said === '' ? '' : ` (${said})`}`;
  const ownAdvice = adviceFor(code, call);
  const hints = isNotJson ? [gatewayHint] : [];
  const advice = isNotJson && ownAdvice !== '' ? `If it was the service: ${ownAdvice}` : ownAdvice;
  const wait =
    retryAfterMs === undefined
      ? ''
      : `Retry after ${Math.ceil(retryAfterMs / 1000)} s (retryAfterMs).`;
  return new ErrorClass(composeMessage(call, { what }, ...hints), {
    ...callFacts(call, code, advice, wait),
    ...responseFacts(call, response),
    code: response.code,
    retryAfterMs,
    ...(ErrorClass === ForbiddenError
      ? { requiredScope: call.scopes.join(' or ') || undefined }
      : {}),
  });
}

const maxWords = 200;

/** What the service wrote, on one line. It may repeat the request, so it is cleaned before secrets are looked for. */
function wordsOf(message = '', { secrets, idempotencyKey = '' }: CallContext): string {
  const line = message.replace(invisible, ' ').replace(/\s+/g, ' ').trim();
  return excerpt(redact(line, [...secrets, idempotencyKey]), maxWords - 1);
}

/** The error of a call that the client's rate limit would hold beyond its deadline. */
export function rateLimitHoldError(
  call: CallContext,
  retryAfterMs: number,
  until: Date,
): RateLimitError {
  const what = `was rate-limited until ${until.toISOString()}, ${Math.ceil(retryAfterMs / 1000)} s from now, past this call's deadline`;
  return new RateLimitError(composeMessage(call, { what }), {
    ...callFacts(call),
    response: { status: 429, headers: {} },
    code: 'rate_limited',
    retryAfterMs: Math.ceil(retryAfterMs),
  });
}

/** @param assumption - the row of docs/assumptions.md that does not hold, if the response is JSON of an API */
export function unexpectedError(
  call: CallContext,
  response: ResponseInfo,
  what: string,
  assumption = 'the body of an error',
): UnexpectedResponseError {
  const hint = hintOn(call, response, assumption);
  return new UnexpectedResponseError(
    composeMessage(call, { what: `got a response with ${what}` }, hint),
    {
      ...callFacts(call),
      ...responseFacts(call, response),
      body: excerptOfJson(response.body, call.secrets),
    },
  );
}

function hintOn(call: CallContext, { status, body }: ResponseInfo, assumption: string): string {
  const isRedirect = status >= 300 && status < 400;
  if (isObject(body) && !isRedirect) {
    const members = redact(memberNames(body), call.secrets);
    return `Its JSON has ${members}. Compare that with "${assumption}" in docs/assumptions.md.`;
  }
  const isEmptySuccess = status > 200 && status < 300 && (body === undefined || body === '');
  return isEmptySuccess
    ? `The service received the request, and its response says nothing about it (docs/assumptions.md).`
    : gatewayHint;
}

const gatewayHint =
  "Is baseUrl the service's address? A gateway or proxy may have answered in its place.";

export function connectionError(call: CallContext, failed: FailedRequest): ConnectionError {
  const { what, detail, advice } = describeFailure(failed);
  return new ConnectionError(
    composeMessage(call, { what, detail }, advice),
    { ...callFacts(call), ...responseFacts(call, failed.head) },
    { cause: redactCause(failed.cause, call.secrets) },
  );
}

/** What is known of the attempt that ran out of time, if there was one. */
interface TimedOut {
  readonly sent?: boolean;
  readonly queued?: boolean;
  readonly error?: { readonly head: ErrorResponse | undefined };
}

export function timeoutError(
  call: CallContext,
  which: 'attempt' | 'deadline',
  { timeoutMs, deadlineMs }: { readonly timeoutMs: number; readonly deadlineMs: number },
  attempt: TimedOut,
): TimeoutError {
  const head = attempt.error?.head;
  const missing = attempt.sent === false ? 'connection' : 'complete response';
  const queue =
    attempt.queued === true
      ? ' while it waited for a connection of this client, whose 64 were busy'
      : '';
  const what =
    which === 'attempt'
      ? `got no ${missing} within ${timeoutMs} ms (timeoutMs)`
      : `ran out of its ${deadlineMs} ms (deadlineMs)${queue}`;
  return new TimeoutError(composeMessage(call, { what }), {
    ...callFacts(call),
    ...responseFacts(call, head),
    which,
  });
}

export function abortedError(call: CallContext, reason: unknown): AbortedError {
  const message = composeMessage(call, { what: "was aborted by the caller's signal" });
  return new AbortedError(message, callFacts(call), { cause: reason });
}

export function closedError(call: CallContext): ConfigurationError {
  const what = 'was not sent, because the client was closed. Make a new MarketClient';
  return new ConfigurationError(composeMessage(call, { what }), callFacts(call));
}

/** An error of the caller's `credentials` or `signer`. */
export function configurationError(
  call: CallContext,
  { option, message, cause }: ConfigurationError,
): ConfigurationError {
  const text = composeMessage(call, { what: 'was not signed', detail: message });
  return new ConfigurationError(text, { ...callFacts(call), option }, { cause });
}

/** An error that neither a response nor the network caused: usually the caller's own `clock`, `random` or `sleep`. */
export function internalError(call: CallContext, cause: unknown): MarketError {
  const what = 'was ended by an error in this process';
  const detail = causeChain(cause).at(-1)?.message;
  return new MarketError(composeMessage(call, { what, detail }), callFacts(call), { cause });
}

/** What happened: no sentence of it tells the caller to make another call. */
function composeMessage(
  call: CallContext,
  { what, detail }: { what: string; detail?: string | undefined },
  ...hints: string[]
): string {
  const count = call.nonces.length;
  const attempts = count > 1 ? ` after ${count} attempts` : '';
  const stopReason = call.stopReason === undefined ? '' : ` (${call.stopReason})`;
  const because = detail === undefined || detail === '' ? '' : `: ${redact(detail, call.secrets)}`;
  return joined(`${call.method} ${call.path} ${what}${attempts}${stopReason}${because}.`, ...hints);
}

function joined(...sentences: string[]): string {
  return sentences.filter((each) => each !== '').join(' ');
}

function callFacts(call: CallContext, code?: string, ...advice: string[]): CallFacts {
  const { method, path, nonces, idempotencyKey, outcome } = call;
  return {
    method,
    path,
    attempts: nonces.length,
    nonces,
    idempotencyKey,
    outcome,
    advice: joined(...advice, outcomeSentence(call, outcome, code)) || undefined,
  };
}

/** A proxy can repeat a request's headers in its response. */
function responseFacts(
  { secrets }: CallContext,
  response: (ErrorResponse & Partial<ResponseInfo>) | undefined,
): ResponseFacts {
  if (response === undefined) return {};
  const { status, headers, requestId, body } = response;
  return { response: { status, headers: redactHeaders(headers, secrets) }, requestId, body };
}
