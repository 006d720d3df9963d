/** Builds the error of a call that failed, with all of its facts. Secrets are blotted out before this. */

import {
  ApiError,
  AuthenticationError,
  ConflictError,
  ForbiddenError,
  InternalServerError,
  NotFoundError,
  PriceMismatchError,
  QuoteExpiredError,
  RateLimitError,
  ValidationError,
} from './api-error.js';
import { adviseOn, tellOutcome, type CallInBrief } from './advice.js';
import type { CallFacts, CallOutcome, MarketError } from './market-error.js';
import { redact } from './redact.js';
import {
  AbortedError,
  ConnectionError,
  TimeoutError,
  UnexpectedResponseError,
} from './no-answer.js';

/** The call and how far it came. */
export interface FailedCall extends CallInBrief {
  readonly path: string;
  readonly attempts: number;
  readonly outcome: CallOutcome;
  /** Why there is no further attempt, where there could have been one. */
  readonly gaveUp?: string | undefined;
  /** The service's code for the refusal. */
  readonly code?: string | undefined;
}

/** An answer's facts, as read. */
export interface FailedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestId: string | undefined;
  readonly body: unknown;
}

/** The class follows the body's code; where that is not a known one, the status decides. */
export function refusalError(
  call: FailedCall,
  answer: FailedAnswer & { code: string | undefined; message: string | undefined },
  retryAfterMs: number | undefined,
): ApiError {
  const ErrorClass = classOf(answer.code, answer.status);
  const code = answer.code ?? codeOf(answer.status);
  const said = answer.message === undefined ? '' : ` "${answer.message.slice(0, 500)}"`;
  const named = answer.code === undefined ? '' : ` ${answer.code.slice(0, 100)}`;
  // A page of HTML has a status too, but not the service's word for it.
  const stranger = typeof answer.body === 'string' && answer.body !== '';
  const what = `answered ${answer.status}${named}${said}${stranger ? ' with a body that is not JSON' : ''}`;
  const own = adviseOn(code, call);
  const advice = stranger ? [notThisApi, own && `If it was the service: ${own}`] : [own];
  const wait =
    retryAfterMs === undefined
      ? ''
      : `It asks to wait ${Math.ceil(retryAfterMs / 1000)} s (retryAfterMs).`;
  const message = sentence({ ...call, code }, what, ...advice, wait);
  return new ErrorClass(message, {
    ...callFacts(call),
    ...answerFacts(answer),
    code: answer.code,
    retryAfterMs,
    ...(ErrorClass === ForbiddenError
      ? { requiredScope: call.scopes.join(' or ') || undefined }
      : {}),
  });
}

/** A call that was not sent because the service told the client to wait, and the wait does not fit. */
export function heldError(call: FailedCall, retryAfterMs: number): RateLimitError {
  const what = `was held back: the service told this client to wait ${Math.ceil(retryAfterMs / 1000)} s more, which does not fit the deadline`;
  return new RateLimitError(sentence(call, what), {
    ...callFacts(call),
    status: 429,
    code: 'rate_limited',
    headers: {},
    retryAfterMs,
  });
}

export function unexpectedError(
  call: FailedCall,
  answer: FailedAnswer,
  what: string,
): UnexpectedResponseError {
  return new UnexpectedResponseError(
    sentence(call, `answered ${answer.status} with ${what}`, notThisApi),
    { ...callFacts(call), ...answerFacts(answer), body: inBrief(answer.body) },
  );
}

const notThisApi =
  "Is baseUrl the service's address? A gateway or proxy may have answered in its place.";

/** A success is not bounded as refusals are: of a long one, the error has the beginning. */
function inBrief(body: unknown): unknown {
  if (body === undefined) return undefined;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const safe = redact(text);
  return text.length <= 2000 && safe === text ? body : safe.slice(0, 2000);
}

export function connectionError(
  call: FailedCall,
  what: string,
  cause: unknown,
  head: Partial<FailedAnswer> | undefined,
): ConnectionError {
  return new ConnectionError(
    sentence(call, what),
    { ...callFacts(call), ...answerFacts(head) },
    { cause },
  );
}

export function timeoutError(
  call: FailedCall,
  which: 'attempt' | 'deadline',
  limits: { readonly timeoutMs: number; readonly deadlineMs: number },
  head: Partial<FailedAnswer> | undefined,
): TimeoutError {
  const what =
    which === 'attempt'
      ? `got no complete answer within ${limits.timeoutMs} ms (timeoutMs)`
      : `ran out of its ${limits.deadlineMs} ms (deadlineMs)`;
  return new TimeoutError(sentence(call, what), {
    ...callFacts(call),
    ...answerFacts(head),
    which,
  });
}

export function abortedError(call: FailedCall, reason: unknown): AbortedError {
  return new AbortedError(sentence(call, "was ended by the caller's signal"), callFacts(call), {
    cause: reason,
  });
}

function sentence(call: FailedCall, what: string, ...advice: string[]): string {
  const attempts = call.attempts > 1 ? ` after ${call.attempts} attempts` : '';
  const gaveUp = call.gaveUp === undefined ? '' : ` (${call.gaveUp})`;
  return [
    `${call.method} ${call.path} ${what}${attempts}${gaveUp}.`,
    ...advice,
    tellOutcome(call, call.outcome, call.code),
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function callFacts(call: FailedCall): CallFacts {
  const { method, path, attempts, idempotencyKey, outcome } = call;
  return { method, path, attempts, idempotencyKey, outcome };
}

function answerFacts(answer: Partial<FailedAnswer> | undefined): Partial<FailedAnswer> {
  if (answer === undefined) return {};
  const { status, headers, requestId, body } = answer;
  return {
    status,
    requestId,
    headers: headers && withoutSignatures(headers),
    body,
  } as Partial<FailedAnswer>;
}

/** A proxy can echo a request's headers in its answer. */
function withoutSignatures(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)]));
}

type ApiErrorClass = new (
  ...args: ConstructorParameters<typeof ApiError>
) => ApiError & MarketError;

function classOf(code: string | undefined, status: number): ApiErrorClass {
  return (code === undefined ? undefined : byCode.get(code)) ?? byStatus(status);
}

// A map, since the code is the service's word: an object has a "constructor" too.
const byCode = new Map<string, ApiErrorClass>(
  Object.entries({
    validation_error: ValidationError,
    // The specification lists it among the codes without a status (part 7): a header is missing.
    missing_idempotency_key: ValidationError,
    invalid_signature: AuthenticationError,
    missing_credentials: AuthenticationError,
    missing_signature_headers: AuthenticationError,
    invalid_timestamp: AuthenticationError,
    replay_detected: AuthenticationError,
    forbidden: ForbiddenError,
    not_found: NotFoundError,
    conflict: ConflictError,
    price_mismatch: PriceMismatchError,
    quote_expired: QuoteExpiredError,
    rate_limited: RateLimitError,
    internal_error: InternalServerError,
  }),
);

function byStatus(status: number): ApiErrorClass {
  switch (status) {
    case 400:
      return ValidationError;
    case 401:
      return AuthenticationError;
    case 403:
      return ForbiddenError;
    case 404:
      return NotFoundError;
    case 409:
      return ConflictError;
    case 429:
      return RateLimitError;
    default:
      return status >= 500 ? InternalServerError : ApiError;
  }
}

/** The code that a status stands for, where the body has none: for the advice only. */
function codeOf(status: number): string | undefined {
  return ({ 403: 'forbidden', 404: 'not_found', 409: 'conflict' } as Record<number, string>)[
    status
  ];
}
