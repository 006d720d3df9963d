/** What a network, a gateway or an overloaded service does to one request. */

import type { Exchange, Fault, WireResponse } from './exchange.js';

/** Longer than any attempt of these tests may take. */
const neverMs = 3_600_000;

/** When the service works on the request: not at all, before the fault, or some time after it. */
type Work = 'none' | 'before' | 'later';

/** The service's own response, at once. */
export const clean: Fault = (exchange) => {
  if (exchange.start()) exchange.respond(exchange.work());
};

/** How a call ends that meets the fault at each attempt: with a response, or with this error and outcome. */
export type End =
  'success' | readonly [error: string, outcome: 'not_sent' | 'rejected' | 'unknown'];

/** Which calls are repeated after the fault (docs/client.md): all, those that a repeat cannot harm, none. */
export type Repeated = 'all' | 'harmless' | 'none';

export interface FaultCase {
  readonly play: Fault;
  readonly end: End;
  /** Where a read ends in another way. */
  readonly endOfRead?: End;
  readonly repeated: Repeated;
}

const fine = { end: 'success', repeated: 'none' } as const;
const notSent = { end: ['ConnectionError', 'not_sent'], repeated: 'all' } as const;
const lost = { end: ['ConnectionError', 'unknown'], repeated: 'harmless' } as const;
const timedOut = { end: ['TimeoutError', 'unknown'], repeated: 'harmless' } as const;
const failed = { end: ['InternalServerError', 'unknown'], repeated: 'harmless' } as const;
const limited = { end: ['RateLimitError', 'rejected'], repeated: 'all' } as const;
const wrongClock = { end: ['AuthenticationError', 'rejected'], repeated: 'all' } as const;
const unexpected = { end: ['UnexpectedResponseError', 'unknown'], repeated: 'none' } as const;

/** Each name says what happens, and when the service works on the request. */
export const faults: Readonly<Record<string, FaultCase>> = {
  slow: {
    play: (exchange) => {
      if (!exchange.start()) return;
      exchange.after(exchange.random.integer(1, 900), () => {
        const response = exchange.work();
        exchange.after(exchange.random.integer(1, 900), () => exchange.respond(response));
      });
    },
    ...fine,
  },
  refused: { play: neverSent(() => networkError('ECONNREFUSED', 'connect')), ...notSent },
  'no DNS': { play: neverSent(() => networkError('ENOTFOUND', 'getaddrinfo')), ...notSent },
  'connect timeout': { play: neverSent(() => networkError('UND_ERR_CONNECT_TIMEOUT')), ...notSent },
  'connects late': {
    play: (exchange) => exchange.after(exchange.random.integer(1, 2_000), () => clean(exchange)),
    ...fine,
  },
  'never connects': {
    play: (exchange) => exchange.after(neverMs, () => clean(exchange)),
    end: ['TimeoutError', 'not_sent'],
    repeated: 'all',
  },
  'idle connection closed': { play: breaks('none', 'UND_ERR_SOCKET'), ...lost },
  'reset before reading': { play: breaks('none', 'ECONNRESET', 'write'), ...lost },
  'reset after reading': { play: breaks('none', 'ECONNRESET', 'read'), ...lost },
  'reset after the work': { play: breaks('before', 'ECONNRESET', 'read'), ...lost },
  'reset, and the work later': { play: breaks('later', 'ECONNRESET', 'read'), ...lost },
  'broken pipe after the work': { play: breaks('before', 'EPIPE', 'write'), ...lost },
  'garbage before the work': { play: breaks('none', 'HPE_INVALID_CONSTANT'), ...lost },
  'garbage after the work': { play: breaks('before', 'HPE_INVALID_CONSTANT'), ...lost },
  'route lost after the work': { play: breaks('before', 'EHOSTUNREACH', 'read'), ...lost },
  'reset in the headers': { play: breaks('before', 'UND_ERR_SOCKET'), ...lost },
  'reset in the body': { play: breaksInBody('ECONNRESET'), ...lost },
  'half closed in the body': { play: breaksInBody('UND_ERR_SOCKET'), ...lost },
  'body shorter than announced': {
    play: breaksInBody('UND_ERR_RES_CONTENT_LENGTH_MISMATCH'),
    ...lost,
  },
  'silent in the body': { play: breaksInBody(undefined), ...timedOut },
  'silent before the work': { play: silent('none'), ...timedOut },
  'silent after the work': { play: silent('before'), ...timedOut },
  'silent, and the work later': { play: silent('later'), ...timedOut },
  'late response': {
    play: (exchange) => {
      if (!exchange.start()) return;
      const response = exchange.work();
      exchange.after(exchange.random.integer(4_000, 9_000), () => exchange.respond(response));
    },
    ...timedOut,
  },
  '500 without a code after the work': { play: answers('before', () => error(500)), ...failed },
  '502 page before the work': { play: answers('none', () => page(502)), ...failed },
  '502 page after the work': { play: answers('before', () => page(502)), ...failed },
  '503 with Retry-After': {
    play: answers('none', () => page(503, { 'retry-after': '2' })),
    ...failed,
  },
  '503 after the work': { play: answers('before', () => error(503)), ...failed },
  '504 page, and the work later': { play: answers('later', () => page(504)), ...failed },
  'rate limited': {
    play: answers('none', ({ random }) =>
      error(429, 'rate_limited', { 'retry-after': String(random.integer(0, 4)) }),
    ),
    ...limited,
  },
  'rate limited without Retry-After': {
    play: answers('none', () => error(429, 'rate_limited')),
    ...limited,
  },
  'rate limited by a gateway': {
    play: answers('none', () => page(429, { 'retry-after': '1' })),
    ...limited,
  },
  'wrong clock': {
    play: answers('none', ({ time }) =>
      error(401, 'invalid_timestamp', { date: httpDate(time.nowMs) }),
    ),
    ...wrongClock,
  },
  'wrong clock, and a Date that lies': {
    play: answers('none', ({ time }) =>
      error(401, 'invalid_timestamp', { date: httpDate(time.nowMs - 86_400_000) }),
    ),
    ...wrongClock,
  },
  'wrong clock without a Date': {
    play: answers('none', () => error(401, 'invalid_timestamp')),
    ...wrongClock,
    repeated: 'none',
  },
  'a proxy sends a copy': {
    play: (exchange) => {
      if (!exchange.start()) return;
      const response = exchange.work();
      exchange.work();
      exchange.respond(response);
    },
    ...fine,
  },
  'a proxy sends a copy and gives its response': {
    play: (exchange) => {
      if (!exchange.start()) return;
      exchange.work();
      exchange.respond(exchange.work());
    },
    end: ['AuthenticationError', 'unknown'],
    repeated: 'harmless',
  },
  'signature refused': {
    play: answers('none', () => error(401, 'invalid_signature')),
    ...wrongClock,
    repeated: 'none',
  },
  'scope missing': {
    play: answers('none', () => error(403, 'forbidden')),
    end: ['ForbiddenError', 'rejected'],
    repeated: 'none',
  },
  'redirect before the work': { play: answers('none', redirect), ...unexpected },
  'redirect after the work': { play: answers('before', redirect), ...unexpected },
  '200 page before the work': { play: answers('none', () => page(200)), ...unexpected },
  '200 page after the work': { play: answers('before', () => page(200)), ...unexpected },
  '200 without a body after the work': {
    play: answers('before', () => ({ ...page(200), body: '' })),
    ...unexpected,
  },
  '200 cut JSON after the work': {
    play: (exchange) => {
      if (!exchange.start()) return;
      const response = exchange.work();
      const at = exchange.random.integer(1, response.body.length - 1);
      exchange.respond({ ...response, body: response.body.slice(0, at) });
    },
    ...unexpected,
  },
};

/** The connection is never made. */
function neverSent(reason: () => Error): Fault {
  return (exchange) => exchange.after(1, () => exchange.fail(reason()));
}

/** The connection breaks before the response begins. */
function breaks(work: Work, code: string, syscall?: string): Fault {
  return (exchange) => {
    if (!exchange.start()) return;
    doWork(exchange, work);
    exchange.after(exchange.random.integer(1, 50), () =>
      exchange.fail(networkError(code, syscall)),
    );
  };
}

/** The connection breaks, or says no more, after some of the service's own body. */
function breaksInBody(code: string | undefined): Fault {
  return (exchange) => {
    if (!exchange.start()) return;
    const response = exchange.work();
    exchange.head(response);
    exchange.data(response.body.slice(0, exchange.random.integer(0, response.body.length - 1)));
    if (code !== undefined) exchange.after(5, () => exchange.fail(networkError(code, 'read')));
  };
}

function silent(work: Work): Fault {
  return (exchange) => {
    if (exchange.start()) doWork(exchange, work);
  };
}

/** Something answers in the service's place. */
export function answers(work: Work, response: (exchange: Exchange) => WireResponse): Fault {
  return (exchange) => {
    if (!exchange.start()) return;
    doWork(exchange, work);
    exchange.after(exchange.random.integer(1, 50), () => exchange.respond(response(exchange)));
  };
}

function doWork(exchange: Exchange, work: Work): void {
  if (work === 'before') exchange.work();
  if (work === 'later') exchange.after(exchange.random.integer(1, 1_500), () => exchange.work());
}

/** An error in the shape of the service (specification, part 7). */
export function error(
  status: number,
  code?: string,
  headers: Readonly<Record<string, string>> = {},
): WireResponse {
  return json(
    status,
    { ...(code === undefined ? {} : { code }), message: 'A fault was asked for.' },
    headers,
  );
}

export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): WireResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

/** A gateway's page. */
export function page(status: number, headers: Readonly<Record<string, string>> = {}): WireResponse {
  return {
    status,
    headers: { 'content-type': 'text/html', ...headers },
    body: `<html><title>${status}</title><body>gateway</body></html>`,
  };
}

function redirect(): WireResponse {
  return { ...page(302, { location: 'https://login.example/' }), body: '' };
}

export function networkError(code: string, syscall?: string): Error {
  return Object.assign(new Error(`${syscall ?? ''} ${code}`.trim()), { code, syscall });
}

function httpDate(ms: number): string {
  return new Date(ms).toUTCString();
}
