/**
 * Which errors of the network mean what. They are told by `code` along the chain of causes, never
 * by class: two copies of undici, or the runtime's own fetch, throw classes of their own.
 */

import { WireFailure, type AnswerHead } from './transport.js';

/** The connection was never made, unless the error is of reading or writing. */
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
  'UND_ERR_INFO',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ConnectionClosed',
]);

/** Errors that are raised before anything is sent, and that a repeat cannot mend. */
const permanent =
  /^(UND_ERR_(CLOSED|INVALID_ARG)|ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/**
 * @param sent - whether the transport saw the request start; `undefined` where it cannot tell. Once
 *   it was started, no code says that the service did not get it: a route can go away in the middle,
 *   and a caller can destroy the dispatcher.
 */
export function toWireFailure(
  error: unknown,
  sent: boolean | undefined,
  head?: AnswerHead,
): WireFailure {
  if (error instanceof WireFailure) return error;
  const links = causes(error);
  const cause = error;

  if (links.some(({ code }) => code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')) {
    return new WireFailure('too_large', { cause, retriable: false, head });
  }
  if (head !== undefined) return new WireFailure('broken', { cause, retriable: true, head });
  if (sent !== true) {
    if (links.some(({ code }) => permanent.test(code))) {
      return new WireFailure('not_sent', { cause, retriable: false });
    }
    if (links.some(isOfConnecting)) return new WireFailure('not_sent', { cause, retriable: true });
  }
  const known = links.some(isOfTheNetwork);
  if (sent === false) return new WireFailure('not_sent', { cause, retriable: known });
  return new WireFailure(known ? 'broken' : 'unknown', { cause, retriable: known });
}

interface Link {
  code: string;
  syscall: string;
  name: string;
  message: string;
}

/** The error and its causes, the members of an `AggregateError` (one per address) among them. */
function causes(error: unknown): Link[] {
  const links: Link[] = [];
  let at = error;
  while (typeof at === 'object' && at !== null && links.length < 10) {
    const { code, syscall, name, message, cause, errors } = at as Record<string, unknown>;
    links.push({
      code: word(code),
      syscall: word(syscall),
      name: word(name),
      message: word(message),
    });
    at = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return links;
}

function word(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** ETIMEDOUT and ECONNRESET mean "never sent" when connecting is what failed. */
function isOfConnecting({ code, syscall }: Link): boolean {
  if (syscall === 'connect' || syscall === 'getaddrinfo') return true;
  return notConnected.has(code) && syscall !== 'read' && syscall !== 'write';
}

function isOfTheNetwork({ code, name, message }: Link): boolean {
  return (
    broken.has(code) ||
    notConnected.has(code) ||
    // What is said of bytes that are not HTTP; undici gives some of them no code.
    code.startsWith('HPE_') ||
    name === 'HTTPParserError' ||
    message === 'terminated'
  );
}
