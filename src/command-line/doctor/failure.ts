/** `readFailure`: what a failed read means, and what to do next. */

import { readErrorBody } from '../../client/envelope/error-body.js';
import { adviceFor } from '../../client/errors/advice.js';
import { causeChain } from '../../core/errors/cause.js';
import { describeFailure } from '../../client/errors/describe-failure.js';
import {
  ApiError,
  ConnectionError,
  RateLimitError,
  TimeoutError,
  UnexpectedResponseError,
} from '../../client/errors/index.js';
import { isObject } from '../../core/json.js';
import { messageOf } from '../terminal.js';
import { shorten } from '../writer.js';

export interface Failure {
  /** The check that it belongs to; `'service'`: an error of one endpoint. */
  readonly kind: 'connection' | 'credential' | 'clock' | 'scope' | 'service';
  readonly detail: string;
  /** Empty if nothing is known to help. */
  readonly advice: string;
}

/** What the advice on a failed read depends on. */
export interface FailedRead {
  readonly scope: string;
  readonly needsAffiliateAccount?: boolean;
}

/** Whether every other read would fail in the same way. */
export function isFinal({ kind }: Failure): boolean {
  return kind !== 'scope' && kind !== 'service';
}

export function readFailure(error: unknown, read: FailedRead): Failure {
  if (error instanceof TimeoutError) {
    const advice =
      'Look for a firewall that drops packets, and for a proxy that this network requires.';
    return { kind: 'connection', detail: 'no complete response in time', advice };
  }
  if (error instanceof ConnectionError) return readConnectionError(error);
  if (error instanceof UnexpectedResponseError) {
    return isObject(error.body) ? differentFailure(error) : gatewayFailure(error);
  }
  if (error instanceof ApiError) {
    const isPage = error.code === undefined && typeof error.body === 'string';
    return isPage ? gatewayFailure(error) : readApiError(error, read);
  }
  return { kind: 'connection', detail: messageOf(error), advice: '' };
}

function readConnectionError({ cause, outcome }: ConnectionError): Failure {
  const kind = outcome === 'not_sent' ? 'not_sent' : 'connection_lost';
  const { what, detail, advice } = describeFailure({ kind, cause });
  const codes = causeChain(cause).map(({ code }) => code);
  const known = networkAdvice.find(([pattern]) => codes.some((code) => pattern.test(code)));
  return {
    kind: 'connection',
    detail: `the request ${what}: ${detail}`,
    advice: advice || (known?.[1] ?? 'Look for a firewall or a proxy between here and there.'),
  };
}

const networkAdvice: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [
    /^(ENOTFOUND|EAI_AGAIN)$/,
    'DNS does not know the host. Check its spelling in MARKET_BASE_URL, or in the address of the proxy.',
  ],
  [
    /^ECONNREFUSED$/,
    'Nothing listens there. Check the host and the port of MARKET_BASE_URL, or of the proxy.',
  ],
  [
    /TIMEOUT|TIMEDOUT|UNREACH/,
    'The host cannot be reached. Look for a firewall, and for a proxy that this network requires.',
  ],
  [
    /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    'Something cut the connection. Look at the gateway or proxy in front of the service.',
  ],
];

function gatewayFailure({ response }: ApiError | UnexpectedResponseError): Failure {
  const { status, headers } = response;
  const type = headers['content-type'] ?? 'no content-type';
  return {
    kind: 'connection',
    detail: `status ${status} with ${type}: not this API's response`,
    advice:
      "MARKET_BASE_URL is probably not the service's address, or a gateway or proxy responded in its place.",
  };
}

/** JSON of an API in another form than this package reads: the service differs, and its address is right. */
function differentFailure({ message, response }: UnexpectedResponseError): Failure {
  return {
    kind: 'service',
    detail: `status ${response.status}: ${message}`,
    advice: 'The lines on assumptions say what differs from docs/assumptions.md.',
  };
}

function readApiError(error: ApiError, { scope, needsAffiliateAccount }: FailedRead): Failure {
  const { code = '', response } = error;
  const { status } = response;
  const { message } = readErrorBody(error.body);
  const quoted = message === undefined ? '' : `: ${shorten(message, 300)}`;
  const detail = `${[status, code].join(' ').trim()}${quoted}`;
  const call = { ...anyRead, scopes: [scope], needsAffiliateAccount };
  const advice = adviceFor(code, call);
  if (error instanceof RateLimitError) {
    const seconds = Math.ceil((error.retryAfterMs ?? 1_000) / 1_000);
    return { kind: 'connection', detail, advice: `Wait ${seconds} s and run this again.` };
  }
  if (code === 'invalid_timestamp') return { kind: 'clock', detail, advice };
  if (code === 'invalid_signature') return { kind: 'credential', detail, advice: secretAdvice };
  if (status === 403) return { kind: 'scope', detail, advice: adviceFor('forbidden', call) };
  if (status === 401 || /^(missing_|replay_)/.test(code)) {
    return { kind: 'credential', detail, advice };
  }
  return { kind: 'service', detail, advice };
}

const anyRead = {
  path: '',
  method: 'GET',
  placesOrder: false,
  repeatable: true,
  idempotencyKey: undefined,
  keyFromCaller: false,
} as const;

const secretAdvice =
  'MARKET_SECRET is probably not the secret of MARKET_KEY_ID. Copy both again, from one credential, without spaces or quotation marks.';
