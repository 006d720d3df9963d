/** The chain of causes behind an error, in words that may be shown. */

import { redact } from './redact.js';

/** Long enough for fetch, undici, TLS and the system below each other; a cycle ends here too. */
const longestChain = 5;

/** One cause, without the objects that hang on it: a cause may hold a whole request. */
export interface CauseLink {
  /** Empty where something else than an error was thrown. */
  readonly name: string;
  /** Empty where there is none. */
  readonly code: string;
  readonly message: string;
}

/**
 * The cause and its own causes, the innermost last. Errors are told by their shape: one from
 * another realm, such as a test runner's sandbox, is no instance of this one's `Error`.
 */
export function causeChain(cause: unknown): CauseLink[] {
  const links: CauseLink[] = [];
  let at = cause;
  while (at !== undefined && at !== null && links.length < longestChain) {
    links.push(toLink(at));
    at = innerCause(at);
  }
  return links;
}

function toLink(at: unknown): CauseLink {
  if (typeof at === 'string') return { name: '', code: '', message: brief(at) };
  const { name, code, message } = Object(at) as Record<string, unknown>;
  if (typeof message !== 'string') {
    return { name: '', code: '', message: `a thrown ${typeof at}` };
  }
  return {
    name: typeof name === 'string' ? name : 'Error',
    code: typeof code === 'string' ? code : '',
    message: brief(message),
  };
}

/** An `AggregateError`, one error for each address that was tried, is told by its first. */
function innerCause(at: unknown): unknown {
  const { cause, errors } = Object(at) as Record<string, unknown>;
  return cause ?? (Array.isArray(errors) ? errors[0] : undefined);
}

function brief(text: string): string {
  return redact(text).slice(0, 500);
}
