import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeFailure } from '../../../src/client/errors/describe-failure.js';
import { classifyError } from '../../../src/client/transport/classify-error.js';
import { TransportError } from '../../../src/client/transport/transport.js';

/** An error as Node, undici or another runtime makes it. */
const coded = (code: string, syscall?: string, message = 'the message') =>
  Object.assign(new Error(message), { code, ...(syscall !== undefined && { syscall }) });
const fetchFailed = (cause: unknown) => new TypeError('fetch failed', { cause });

const refused = () => coded('ECONNREFUSED', 'connect', 'connect ECONNREFUSED 127.0.0.1:1');
const allRefused = () =>
  Object.assign(new AggregateError([refused(), refused()], ''), { code: 'ECONNREFUSED' });

type Verdict = `${TransportError['kind']}${', retryable' | ''}`;
const verdictOf = (error: unknown, sent: boolean | undefined, head?: TransportError['head']) => {
  const failure = classifyError(error, sent, head);
  return `${failure.kind}${failure.retryable ? ', retryable' : ''}`;
};

/** What is concluded where the request is known to have started, known not to, and not known. */
type Row = [what: string, error: unknown, started: Verdict, notStarted: Verdict, untold: Verdict];

const lost = 'connection_lost, retryable';
const unsent = 'not_sent, retryable';
const connecting = [lost, unsent, unsent] as const;
const neverWorkedOn = [unsent, unsent, unsent] as const;
const brokenOff = [lost, unsent, lost] as const;
const refusedHere = ['unknown', 'not_sent', 'not_sent'] as const;
const notKnown = ['unknown', 'not_sent', 'unknown'] as const;

const table: Row[] = [
  ['a refused connection', refused(), ...connecting],
  ['a refused connection, through fetch', fetchFailed(refused()), ...connecting],
  ['every address refused', allRefused(), ...connecting],
  ['every address refused, through fetch', fetchFailed(allRefused()), ...connecting],
  [
    'a refused stream of HTTP/2',
    coded('ERR_HTTP2_STREAM_ERROR', '', 'Stream closed with error code NGHTTP2_REFUSED_STREAM'),
    ...neverWorkedOn,
  ],
  [
    'a refused stream of HTTP/2, through Deno’s fetch',
    fetchFailed(new Error('http2 error: refused stream before processing any application logic')),
    ...neverWorkedOn,
  ],
  ['no such name', coded('ENOTFOUND', 'getaddrinfo'), ...connecting],
  ['no name server', coded('EAI_AGAIN', 'getaddrinfo'), ...connecting],
  ['no route', coded('EHOSTUNREACH', 'connect'), ...connecting],
  ['no network', coded('ENETUNREACH'), ...connecting],
  ['undici’s connect timeout', coded('UND_ERR_CONNECT_TIMEOUT'), ...connecting],
  ['Bun’s refusal', coded('ConnectionRefused'), ...connecting],
  ['Bun’s missing name', coded('FailedToOpenSocket'), ...connecting],
  ['every port of the machine in use', coded('EADDRNOTAVAIL', 'connect'), ...connecting],
  ['no file handle', coded('EMFILE', 'connect'), 'unknown', unsent, unsent],
  ['ETIMEDOUT of connect', coded('ETIMEDOUT', 'connect'), ...connecting],
  ['ECONNRESET of connect', coded('ECONNRESET', 'connect'), ...connecting],
  ['ETIMEDOUT of read', coded('ETIMEDOUT', 'read'), ...brokenOff],
  ['EHOSTUNREACH of read', coded('EHOSTUNREACH', 'read'), ...brokenOff],
  ['ENETUNREACH of write', coded('ENETUNREACH', 'write'), ...brokenOff],
  ['a reset', coded('ECONNRESET', 'read'), ...brokenOff],
  ['a reset, through fetch', fetchFailed(coded('ECONNRESET')), ...brokenOff],
  ['a pipe that broke', coded('EPIPE', 'write'), ...brokenOff],
  ['undici’s closed socket', coded('UND_ERR_SOCKET'), ...brokenOff],
  ['undici’s headers timeout', coded('UND_ERR_HEADERS_TIMEOUT'), ...brokenOff],
  ['undici’s body timeout', coded('UND_ERR_BODY_TIMEOUT'), ...brokenOff],
  ['a proxy that did not tunnel', coded('UND_ERR_ABORTED'), ...brokenOff],
  ['an answer that is not HTTP', coded('HPE_INVALID_CONSTANT'), ...brokenOff],
  ['a stream of HTTP/2 that ended', coded('ERR_HTTP2_STREAM_ERROR'), ...brokenOff],
  ['a cancelled one', coded('ERR_HTTP2_STREAM_CANCEL'), ...brokenOff],
  ['a session of HTTP/2 that ended', coded('ERR_HTTP2_SESSION_ERROR'), ...brokenOff],
  ['one that goes away', coded('ERR_HTTP2_GOAWAY_SESSION'), ...brokenOff],
  ['fetch’s terminated body', new TypeError('terminated'), ...brokenOff],
  ['Bun’s closed connection', coded('ConnectionClosed'), ...brokenOff],
  ['Cloudflare Workers’ one error', new Error('Network connection lost.'), ...brokenOff],
  ['a closed dispatcher', coded('UND_ERR_CLOSED'), ...refusedHere],
  ['an option that undici refuses', coded('UND_ERR_INVALID_ARG'), ...refusedHere],
  ['a certificate that has expired', coded('CERT_HAS_EXPIRED'), ...refusedHere],
  ['a self-signed one', coded('DEPTH_ZERO_SELF_SIGNED_CERT'), ...refusedHere],
  [
    'a self-signed one, through fetch',
    fetchFailed(coded('SELF_SIGNED_CERT_IN_CHAIN')),
    ...refusedHere,
  ],
  ['an unknown issuer', coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), ...refusedHere],
  ['another host’s certificate', coded('ERR_TLS_CERT_ALTNAME_INVALID'), ...refusedHere],
  // A dispatcher that is destroyed takes with it what is under way.
  ['a destroyed dispatcher', coded('UND_ERR_DESTROYED'), ...notKnown],
  // Records can go bad after the handshake, when the request is out.
  ['TLS that failed', coded('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC'), ...notKnown],
  ['TLS to a port without', coded('ERR_SSL_WRONG_VERSION_NUMBER'), ...notKnown],
  ['a programming error', new TypeError('x is not a function'), ...notKnown],
  ['a code that nobody knows', coded('E_TOMORROW'), ...notKnown],
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
    const error = coded('UND_ERR_RES_EXCEEDED_MAX_SIZE');
    expect(verdictOf(error, true)).toBe('too_large');
    expect(verdictOf(error, true, { status: 200, headers: {} })).toBe('too_large');
  });

  it('is left as it is when it was classified before', () => {
    const failure = new TransportError('too_large', { cause: undefined, retryable: false });
    expect(classifyError(failure, false)).toBe(failure);
  });

  it('ends with a chain of causes that is a cycle, or very long', () => {
    const cycle = new Error('round');
    cycle.cause = cycle;
    expect(verdictOf(cycle, undefined)).toBe('unknown');
    let long = refused() as Error;
    for (let depth = 0; depth < 100; depth += 1) long = new Error('outer', { cause: long });
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

  const silent = 'may have been sent, and got no response';
  const tooLarge = new TransportError('too_large', {
    cause: new Error('longer than 9'),
    retryable: false,
  });
  const head = { status: 502, headers: {} };
  const refusal = 'could not be sent: connect ECONNREFUSED 127.0.0.1:1';
  const closed = coded('UND_ERR_SOCKET', '', 'other side closed');
  const foreign = { name: 'Error', message: 'read ECONNRESET', code: 'ECONNRESET' };
  it.each<[string, string, string]>([
    ['a refusal', words(refused()), refusal],
    ['every address refused, through fetch', words(fetchFailed(allRefused())), refusal],
    ['a missing code', words(closed), `${silent}: other side closed (UND_ERR_SOCKET)`],
    ['a code alone', words(coded('ECONNRESET', '', '')), `${silent}: ECONNRESET`],
    ['a sentence', words(new Error('Network lost.')), `${silent}: Network lost`],
    ['nothing known', words(undefined), silent],
    ['an error without words', words(new Error('')), silent],
    ['a thrown text', words('boom'), `${silent}: boom`],
    ['a broken body', words(new Error('x'), true, head), 'got a response whose body broke off: x'],
    ['too much', words(tooLarge), 'got a response that is too large: longer than 9'],
    ['an error of another realm', words(foreign), `${silent}: read ECONNRESET`],
  ])('%s', (_title, given, expected) => {
    expect(given).toBe(expected);
  });

  it('shows no signature', () => {
    const error = new Error(`invalid header: v1=${'0a'.repeat(32)}`);
    expect(words(fetchFailed(error))).toBe(
      'may have been sent, and got no response: invalid header: v1=[redacted]',
    );
  });
});
