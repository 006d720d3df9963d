/** describeFailure: why no complete response came, in words for an error's message. */

import { causeChain, isMistake, type CauseSummary } from '../../core/errors/cause.js';
import type { ErrorResponse } from './response-facts.js';

/** A request that got no complete response. */
export interface FailedRequest {
  readonly kind: 'not_sent' | 'connection_lost' | 'too_large' | 'unknown';
  readonly cause?: unknown;
  /** The head of the response whose body broke off. */
  readonly head?: ErrorResponse | undefined;
}

export function describeFailure({ kind, cause, head }: FailedRequest) {
  const causes = causeChain(cause);
  return {
    /** Completes a sentence that begins with the call. */
    what: describeKind(kind, head),
    /** The innermost cause, since "fetch failed" says less than what caused it; empty if there is none. */
    detail: causeText(causes.at(-1)),
    /** What to do about it; empty if nothing is known to help. */
    advice: kind === 'unknown' && isMistake(cause) ? ownMistake : remedy(causes),
  };
}

function describeKind(kind: FailedRequest['kind'], head: FailedRequest['head']): string {
  if (kind === 'not_sent') return 'could not be sent';
  if (kind === 'too_large') return 'got a response that is too large';
  if (head !== undefined) {
    return `got a response ${kind === 'unknown' ? 'that could not be read' : 'whose body broke off'}`;
  }
  return 'may have been sent, and got no response';
}

function causeText(innermost: CauseSummary | undefined): string {
  if (innermost === undefined) return '';
  const { code } = innermost;
  // When a module is missing, Node lists the files that required it on further lines.
  const [line = ''] = innermost.message.split('\n');
  const message = line.replace(/\.$/, '');
  if (message === '') return code;
  return message.includes(code) ? message : `${message} (${code})`;
}

function remedy(causes: readonly CauseSummary[]): string {
  const known = remedies.find(({ pattern }) =>
    causes.some(({ code, message }) => pattern.test(code) || pattern.test(message)),
  );
  return known?.advice ?? '';
}

const ownMistake = 'This is a mistake in the fetch function, or in what it returned.';

const remedies = [
  {
    // Undici 6 asks for handler methods that undici 7 renamed; its interceptors call them.
    pattern: /^invalid on\w+ method$|\bonConnect is not a function$/,
    advice: 'The dispatcher is of undici 6 or older. Pass an Agent of undici 7 or 8.',
  },
  {
    // jsdom's timers are numbers.
    pattern: /\.unref is not a function$/,
    advice:
      "The test environment replaced Node's timers. Begin the file with @jest-environment node, or @vitest-environment node.",
  },
  {
    pattern: /WRONG_VERSION_NUMBER|wrong version number|packet length too long/i,
    advice: 'The port of baseUrl does not speak TLS. Use its https port.',
  },
  {
    pattern: /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)/,
    advice:
      'The certificate is not trusted. Set NODE_EXTRA_CA_CERTS to the file of the authority that issued it.',
  },
  {
    pattern: /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    advice: "The server's certificate is not valid now. Check the dates of both machines.",
  },
  {
    pattern: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    advice: 'The certificate is for another host. Check the host of baseUrl.',
  },
  {
    // This is all that undici says when a server sends 100 Continue, which the client never asks for.
    pattern: /^bad response$/,
    advice:
      'The server sent "100 Continue" unasked, which undici does not accept. Turn it off at the server or proxy.',
  },
  {
    // undici's responseError and RetryAgent, and fetch functions such as ky.
    pattern: /^UND_ERR_(RESPONSE|REQ_RETRY)$|^Request failed with status code \d/,
    advice:
      'The dispatcher or fetch function throws on error statuses. It must return every response unchanged.',
  },
];
