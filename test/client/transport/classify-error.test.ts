import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeFailure } from '../../../src/client/errors/describe-failure.js';
import { classifyError } from '../../../src/client/transport/classify-error.js';
import { TransportError } from '../../../src/client/transport/transport.js';

/** An error as Node, undici or another runtime makes it. */
function networkError(
  facts: { code?: string; syscall?: string; message?: string },
  cause?: unknown,
): Error {
  const { message = 'the message', ...rest } = facts;
  return Object.assign(new Error(message, { cause }), rest);
}
const fetchFailed = (cause: unknown) => new TypeError('fetch failed', { cause });

const refused = () =>
  networkError({
    code: 'ECONNREFUSED',
    syscall: 'connect',
    message: 'connect ECONNREFUSED 127.0.0.1:1',
  });
const allRefused = () =>
  Object.assign(new AggregateError([refused(), refused()], ''), { code: 'ECONNREFUSED' });

type Verdict = `${TransportError['kind']}${', retryable' | ''}`;
const verdictOf = (error: unknown, sent: boolean | undefined, head?: TransportError['head']) => {
  const failure = classifyError(error, sent, head);
  return `${failure.kind}${failure.retryable ? ', retryable' : ''}`;
};

/** What is concluded where the request is known to have started, known not to, and not known. */
type Row = [what: string, error: unknown, started: Verdict, notStarted: Verdict, untold: Verdict];

const connecting = [
  'connection_lost, retryable',
  'not_sent, retryable',
  'not_sent, retryable',
] as const;
const neverWorkedOn = [
  'not_sent, retryable',
  'not_sent, retryable',
  'not_sent, retryable',
] as const;
const brokenOff = [
  'connection_lost, retryable',
  'not_sent, retryable',
  'connection_lost, retryable',
] as const;
const refusedHere = ['unknown', 'not_sent', 'not_sent'] as const;
const notKnown = ['unknown', 'not_sent', 'unknown'] as const;

const table: Row[] = [
  ['a refused connection', refused(), ...connecting],
  ['a refused connection, through fetch', fetchFailed(refused()), ...connecting],
  ['every address refused', allRefused(), ...connecting],
  ['every address refused, through fetch', fetchFailed(allRefused()), ...connecting],
  [
    'a refused stream of HTTP/2',
    networkError({
      code: 'ERR_HTTP2_STREAM_ERROR',
      message: 'Stream closed with error code NGHTTP2_REFUSED_STREAM',
    }),
    ...neverWorkedOn,
  ],
  [
    'a refused stream of HTTP/2, through Deno’s fetch',
    fetchFailed(
      new Error(
        'http2 error: stream error received: refused stream before processing any application logic',
      ),
    ),
    ...neverWorkedOn,
  ],
  ['no such name', networkError({ code: 'ENOTFOUND', syscall: 'getaddrinfo' }), ...connecting],
  ['no name server', networkError({ code: 'EAI_AGAIN', syscall: 'getaddrinfo' }), ...connecting],
  ['no route', networkError({ code: 'EHOSTUNREACH', syscall: 'connect' }), ...connecting],
  ['no network', networkError({ code: 'ENETUNREACH' }), ...connecting],
  ['undici’s connect timeout', networkError({ code: 'UND_ERR_CONNECT_TIMEOUT' }), ...connecting],
  ['Bun’s refusal', networkError({ code: 'ConnectionRefused' }), ...connecting],
  ['Bun’s missing name', networkError({ code: 'FailedToOpenSocket' }), ...connecting],
  [
    'every port of the machine in use',
    networkError({ code: 'EADDRNOTAVAIL', syscall: 'connect' }),
    ...connecting,
  ],
  [
    'no file handle',
    networkError({ code: 'EMFILE', syscall: 'connect' }),
    'unknown',
    'not_sent, retryable',
    'not_sent, retryable',
  ],
  ['ETIMEDOUT of connect', networkError({ code: 'ETIMEDOUT', syscall: 'connect' }), ...connecting],
  [
    'ECONNRESET of connect',
    networkError({ code: 'ECONNRESET', syscall: 'connect' }),
    ...connecting,
  ],
  ['ETIMEDOUT of read', networkError({ code: 'ETIMEDOUT', syscall: 'read' }), ...brokenOff],
  ['EHOSTUNREACH of read', networkError({ code: 'EHOSTUNREACH', syscall: 'read' }), ...brokenOff],
  ['ENETUNREACH of write', networkError({ code: 'ENETUNREACH', syscall: 'write' }), ...brokenOff],
  ['a reset', networkError({ code: 'ECONNRESET', syscall: 'read' }), ...brokenOff],
  ['a reset, through fetch', fetchFailed(networkError({ code: 'ECONNRESET' })), ...brokenOff],
  ['a pipe that broke', networkError({ code: 'EPIPE', syscall: 'write' }), ...brokenOff],
  ['undici’s closed socket', networkError({ code: 'UND_ERR_SOCKET' }), ...brokenOff],
  ['undici’s headers timeout', networkError({ code: 'UND_ERR_HEADERS_TIMEOUT' }), ...brokenOff],
  ['undici’s body timeout', networkError({ code: 'UND_ERR_BODY_TIMEOUT' }), ...brokenOff],
  ['a proxy that did not tunnel', networkError({ code: 'UND_ERR_ABORTED' }), ...brokenOff],
  ['an answer that is not HTTP', networkError({ code: 'HPE_INVALID_CONSTANT' }), ...brokenOff],
  ['a stream of HTTP/2 that ended', networkError({ code: 'ERR_HTTP2_STREAM_ERROR' }), ...brokenOff],
  ['a cancelled one', networkError({ code: 'ERR_HTTP2_STREAM_CANCEL' }), ...brokenOff],
  [
    'a session of HTTP/2 that ended',
    networkError({ code: 'ERR_HTTP2_SESSION_ERROR' }),
    ...brokenOff,
  ],
  ['one that goes away', networkError({ code: 'ERR_HTTP2_GOAWAY_SESSION' }), ...brokenOff],
  ['fetch’s terminated body', new TypeError('terminated'), ...brokenOff],
  ['Bun’s closed connection', networkError({ code: 'ConnectionClosed' }), ...brokenOff],
  ['Cloudflare Workers’ one error', new Error('Network connection lost.'), ...brokenOff],
  ['a closed dispatcher', networkError({ code: 'UND_ERR_CLOSED' }), ...refusedHere],
  ['an option that undici refuses', networkError({ code: 'UND_ERR_INVALID_ARG' }), ...refusedHere],
  ['a certificate that has expired', networkError({ code: 'CERT_HAS_EXPIRED' }), ...refusedHere],
  ['a self-signed one', networkError({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }), ...refusedHere],
  [
    'a self-signed one, through fetch',
    fetchFailed(networkError({ code: 'SELF_SIGNED_CERT_IN_CHAIN' })),
    ...refusedHere,
  ],
  ['an unknown issuer', networkError({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }), ...refusedHere],
  [
    'another host’s certificate',
    networkError({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
    ...refusedHere,
  ],
  // A dispatcher that is destroyed takes with it what is under way.
  ['a destroyed dispatcher', networkError({ code: 'UND_ERR_DESTROYED' }), ...notKnown],
  // Records can go bad after the handshake, when the request is out.
  [
    'TLS that failed',
    networkError({ code: 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC' }),
    ...notKnown,
  ],
  ['TLS to a port without', networkError({ code: 'ERR_SSL_WRONG_VERSION_NUMBER' }), ...notKnown],
  ['a programming error', new TypeError('x is not a function'), ...notKnown],
  ['a code that nobody knows', networkError({ code: 'E_TOMORROW' }), ...notKnown],
  ...[undefined, null, 'a text', 7, Symbol('x'), [], {}, { code: 7 }, { cause: null }].map(
    (junk): Row => [`junk: ${typeof junk}`, junk, ...notKnown],
  ),
];

describe('an error of the network', () => {
  it.each(table)('%s', (_what, error, started, notStarted, untold) => {
    expect(verdictOf(error, true)).toBe(started);
    expect(verdictOf(error, false)).toBe(notStarted);
    expect(verdictOf(error, undefined)).toBe(untold);
    expect(classifyError(error, true).cause).toBe(error);
  });

  it('of a body that broke off is "connection_lost" whatever its code, with the head of the answer', () => {
    const head = { status: 200, headers: { 'x-request-id': 'req_1' } };
    for (const [, error] of table) {
      expect(verdictOf(error, true, head)).toBe('connection_lost, retryable');
      expect(classifyError(error, true, head).head).toBe(head);
    }
  });

  it('is "too_large" where a dispatcher of the caller’s ends a long answer', () => {
    const error = networkError({ code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' });
    expect(verdictOf(error, true)).toBe('too_large');
    expect(verdictOf(error, true, { status: 200, headers: {} })).toBe('too_large');
  });

  it('is left as it is when it was classified before', () => {
    const failure = new TransportError('too_large', { cause: undefined, retryable: false });
    expect(classifyError(failure, false)).toBe(failure);
  });

  it('ends with a chain of causes that is a cycle, or very long', () => {
    const cycle = networkError({});
    cycle.cause = cycle;
    expect(verdictOf(cycle, undefined)).toBe('unknown');
    let long: Error = refused();
    for (let depth = 0; depth < 100; depth += 1) long = networkError({}, long);
    expect(verdictOf(long, undefined)).toBe('unknown');
  });

  it('never makes the classification or the description throw, and never claims too much', () => {
    fc.assert(
      fc.property(fc.anything(), fc.constantFrom(true, undefined), (junk, sent) => {
        const failure = classifyError(junk, sent);
        expect(failure.kind).toBe('unknown');
        expect(describeFailure(failure).what).toBe('may have been sent, and got no response');
      }),
    );
  });
});

describe('a failure in words', () => {
  const words = (error: unknown, sent?: boolean, head?: TransportError['head']) =>
    sentence(describeFailure(classifyError(error, sent, head)));
  const sentence = ({ what, detail }: ReturnType<typeof describeFailure>) =>
    detail === '' ? what : `${what}: ${detail}`;

  it.each<[string, string, string]>([
    ['a refusal', words(refused()), 'could not be sent: connect ECONNREFUSED 127.0.0.1:1'],
    [
      'every address refused, through fetch',
      words(fetchFailed(allRefused())),
      'could not be sent: connect ECONNREFUSED 127.0.0.1:1',
    ],
    [
      'a code that the message lacks',
      words(networkError({ code: 'UND_ERR_SOCKET', message: 'other side closed' })),
      'may have been sent, and got no response: other side closed (UND_ERR_SOCKET)',
    ],
    [
      'a code without a message',
      words(networkError({ code: 'ECONNRESET', message: '' })),
      'may have been sent, and got no response: ECONNRESET',
    ],
    [
      'a message that is a sentence',
      words(new Error('Network connection lost.')),
      'may have been sent, and got no response: Network connection lost',
    ],
    ['nothing known', words(undefined), 'may have been sent, and got no response'],
    ['an error without words', words(new Error('')), 'may have been sent, and got no response'],
    ['a thrown text', words('boom'), 'may have been sent, and got no response: boom'],
    [
      'a body that broke off',
      words(new Error('terminated'), true, { status: 502, headers: {} }),
      'got a response whose body broke off: terminated',
    ],
    [
      'an answer that is too long',
      words(
        new TransportError('too_large', { cause: new Error('longer than 9'), retryable: false }),
      ),
      'got a response that is too large: longer than 9',
    ],
    [
      'an error of another realm',
      words({ name: 'Error', message: 'read ECONNRESET', code: 'ECONNRESET' }),
      'may have been sent, and got no response: read ECONNRESET',
    ],
  ])('%s', (_title, given, expected) => {
    expect(given).toBe(expected);
  });

  it('shows no signature', () => {
    const error = networkError({ message: `invalid header: v1=${'0a'.repeat(32)}` });
    expect(words(fetchFailed(error))).toBe(
      'may have been sent, and got no response: invalid header: v1=[redacted]',
    );
  });
});
