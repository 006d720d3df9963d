/**
 * Which errors of the network mean what. They are told by `code` along the chain of causes, never
 * by class: two copies of undici, or the runtime's own fetch, throw classes of their own.
 */

import { WireFailure, type WireAnswer } from './transport.js';

/** The connection was never made. */
const notConnected = new Set([
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

/** A connection that existed went away, or its answer made no sense as HTTP. */
const broken = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_ABORTED',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_RES_EXCEEDED_MAX_SIZE',
  'UND_ERR_INFO',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ConnectionClosed',
]);

/** Errors that a repeat cannot mend, raised before anything is sent. */
const permanent =
  /^(UND_ERR_(DESTROYED|CLOSED|INVALID_ARG)|ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/**
 * @param sent - whether the transport saw the request start; `undefined` where it cannot tell.
 */
export function toWireFailure(
  error: unknown,
  sent: boolean | undefined,
  head?: Pick<WireAnswer, 'status' | 'headers'>,
): WireFailure {
  if (error instanceof WireFailure) return error;
  const links = causes(error);
  const has = (test: (link: Link) => boolean) => links.some(test);

  if (head !== undefined) return new WireFailure('broken', { cause: error, retriable: true, head });
  if (has(({ code }) => permanent.test(code))) {
    return new WireFailure('not_sent', { cause: error, retriable: false });
  }
  // ETIMEDOUT and ECONNRESET mean "never sent" when connecting is what failed.
  if (
    has(
      ({ code, syscall }) =>
        notConnected.has(code) || syscall === 'connect' || syscall === 'getaddrinfo',
    )
  ) {
    return new WireFailure('not_sent', { cause: error, retriable: true });
  }
  if (sent === false) {
    return new WireFailure('not_sent', {
      cause: error,
      retriable: has(({ code }) => broken.has(code)),
    });
  }
  if (
    has(
      ({ code, message }) =>
        broken.has(code) || code.startsWith('HPE_') || message === 'terminated',
    )
  ) {
    return new WireFailure('broken', { cause: error, retriable: true });
  }
  return new WireFailure('unknown', { cause: error, retriable: false });
}

interface Link {
  code: string;
  syscall: string;
  message: string;
}

/** The error and its causes, the members of an `AggregateError` (one per address) among them. */
function causes(error: unknown): Link[] {
  const links: Link[] = [];
  let at = error;
  while (typeof at === 'object' && at !== null && links.length < 10) {
    const { code, syscall, message, cause, errors } = at as Record<string, unknown>;
    links.push({ code: word(code), syscall: word(syscall), message: word(message) });
    at = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return links;
}

function word(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
