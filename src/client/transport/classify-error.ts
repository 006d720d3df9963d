/**
 * Which errors of the network mean what. They are recognized by `code` along the chain of causes, never
 * by class: two copies of undici, or the runtime's own fetch, throw classes of their own.
 */

import { causeChain, type CauseSummary } from '../../core/errors/cause.js';
import { TransportError, type ResponseHead } from './transport.js';

/** The connection was never made, unless the error is of reading or writing. */
const connectErrorCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ENETDOWN',
  'EHOSTDOWN',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  // Bun and Deno name the refusal themselves.
  'ConnectionRefused',
  'FailedToOpenSocket',
]);

/** A connection that existed went away, or its response was not HTTP. */
const brokenConnectionCodes = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_ABORTED',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_INFO',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_HTTP2_GOAWAY_SESSION',
  'ERR_HTTP2_SESSION_ERROR',
  'ERR_HTTP2_STREAM_CANCEL',
  'ERR_HTTP2_STREAM_ERROR',
  'ConnectionClosed',
]);

/** Errors that are raised before anything is sent, and that a repeat cannot fix. */
const permanentErrorPattern =
  /^(UND_ERR_(CLOSED|INVALID_ARG)|ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/**
 * @param sent - whether the transport saw the request start; `undefined` if it cannot tell. Once
 *   it was started, no code says that the service did not get it: a route can go away in the middle,
 *   and a caller can destroy the dispatcher.
 */
export function classifyError(
  error: unknown,
  sent: boolean | undefined,
  head?: ResponseHead,
): TransportError {
  if (error instanceof TransportError) return error;
  const causes = causeChain(error);
  const cause = error;

  if (causes.some(({ code }) => code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')) {
    return new TransportError('too_large', { cause, retryable: false, head });
  }
  if (head !== undefined)
    return new TransportError('connection_lost', { cause, retryable: true, head });
  if (causes.some(isRefusedStream))
    return new TransportError('not_sent', { cause, retryable: true });
  if (sent !== true) {
    if (causes.some(({ code }) => permanentErrorPattern.test(code))) {
      return new TransportError('not_sent', { cause, retryable: false });
    }
    if (causes.some(isConnectError))
      return new TransportError('not_sent', { cause, retryable: true });
  }
  if (causes.some(isRefusalOfProxy)) {
    return new TransportError('not_sent', { cause, retryable: false });
  }
  const known = causes.some(isNetworkError);
  if (sent === false) return new TransportError('not_sent', { cause, retryable: known });
  return new TransportError(known ? 'connection_lost' : 'unknown', { cause, retryable: known });
}

/**
 * A proxy's 4xx to CONNECT. The next attempt would show it the same login: directories lock an
 * account after a few wrong ones.
 */
function isRefusalOfProxy({ message }: CauseSummary): boolean {
  return /^Proxy response \(4\d\d\)|^Proxy Authentication Required/.test(message);
}

/** HTTP/2: the server has not worked on the request (RFC 9113, 8.7). Node and Deno say so in the message alone. */
function isRefusedStream({ message }: CauseSummary): boolean {
  return /REFUSED_STREAM|refused stream before processing/.test(message);
}

/** ETIMEDOUT and ECONNRESET mean "never sent" when connecting is what failed. */
function isConnectError({ code, syscall }: CauseSummary): boolean {
  if (syscall === 'connect' || syscall === 'getaddrinfo') return true;
  return connectErrorCodes.has(code) && syscall !== 'read' && syscall !== 'write';
}

function isNetworkError({ code, name, message }: CauseSummary): boolean {
  return (
    brokenConnectionCodes.has(code) ||
    connectErrorCodes.has(code) ||
    // The messages for bytes that are not HTTP; undici gives some of them no code.
    code.startsWith('HPE_') ||
    name === 'HTTPParserError' ||
    message === 'terminated' ||
    // Cloudflare Workers have this one error for every lost connection, and no code for it.
    message === 'Network connection lost.'
  );
}
