/** causeChain and describeCause: the causes behind an error, in words that may be shown. */

import { escapeInvisible } from './escape-invisible.js';
import { redact } from './redact.js';

/** Enough for fetch, undici, TLS and the system, each the cause of the one before. It also ends a cycle. */
export const longestChain = 10;

/** One cause, without the objects that hang on it: a cause may hold a whole request. */
export interface CauseSummary {
  /** Empty if something other than an error was thrown. */
  readonly name: string;
  /** Empty if there is none. */
  readonly code: string;
  /** The system call that failed: `connect`, `read`. Empty if there is none. */
  readonly syscall: string;
  readonly message: string;
}

/**
 * The cause and its own causes, the innermost last. Errors are recognized by their shape: one from
 * another realm, such as a test runner's sandbox, is no instance of this one's `Error`.
 */
export function causeChain(cause: unknown): CauseSummary[] {
  const links: CauseSummary[] = [];
  let at = cause;
  while (at !== undefined && at !== null && links.length < longestChain) {
    links.push(toSummary(at));
    at = innerCause(at);
  }
  return links;
}

/** The chain of causes on one line: `name (code): message; caused by …`. */
export function describeCause(cause: unknown): string | undefined {
  const links = causeChain(cause).map(({ name, code, message }) =>
    name === '' ? message : `${name}${code === '' ? '' : ` (${code})`}: ${message}`,
  );
  return links.length === 0
    ? undefined
    : escapeInvisible(links.join('; caused by ').slice(0, 1000));
}

/**
 * Whether JavaScript itself threw it at code that is wrong. The standard's error for a lost connection is
 * a TypeError too, but has none of these messages.
 */
export function isMistake(cause: unknown): boolean {
  const [{ name, message } = { name: '', message: '' }] = causeChain(cause);
  if (name !== 'TypeError') return ['ReferenceError', 'RangeError', 'SyntaxError'].includes(name);
  return /^Cannot |\bis not (?:a function|a constructor|iterable|async iterable|an object)\b/.test(
    message,
  );
}

function toSummary(at: unknown): CauseSummary {
  if (typeof at === 'string') return { name: '', code: '', syscall: '', message: excerpt(at) };
  const { name, code, syscall, message } = Object(at) as Record<string, unknown>;
  if (typeof message !== 'string') {
    return { name: '', code: '', syscall: '', message: `a thrown ${typeof at}` };
  }
  return {
    name: typeof name === 'string' ? name : 'Error',
    code: typeof code === 'string' ? code : '',
    syscall: typeof syscall === 'string' ? syscall : '',
    message: excerpt(message),
  };
}

/** An `AggregateError`, one error for each address that was tried, is described by its first. */
function innerCause(at: unknown): unknown {
  const { cause, errors } = Object(at) as Record<string, unknown>;
  return cause ?? (Array.isArray(errors) ? errors[0] : undefined);
}

function excerpt(text: string): string {
  return redact(text).slice(0, 500);
}
