/** InvalidRequestError: input that breaks a rule, refused before anything was sent. */

import { brandClass, setFacts } from '../../core/errors/package-error.js';
import { MarketError, type CallFacts } from './market-error.js';

/** A caller's name or value may be a megabyte long, and messages end up in logs. */
export const maxIssues = 20;
const maxPathLength = 200;
const maxMessageLength = 1_000;

/** One rule that the input breaks. */
export interface InputIssue {
  /** Where, in the service's spelling: `'expected_price'`, `'buyer.country'`. */
  readonly path: string;
  /** The rule, in a sentence. It never repeats a secret. */
  readonly message: string;
}

/**
 * Input that was refused before anything was sent: `outcome` is always `'not_sent'`.
 *
 * @example
 * ```ts
 * import { InvalidRequestError, MarketClient } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * try {
 *   await market.domains.getPricing('https://brew.example/');
 * } catch (error) {
 *   if (error instanceof InvalidRequestError) {
 *     for (const { path, message } of error.issues) console.log(path, message);
 *   }
 * }
 * ```
 */
export class InvalidRequestError extends MarketError {
  /** The broken rules, at most 20: misspelled fields first, then in the order of the documented ones. */
  declare readonly issues: readonly InputIssue[];

  static {
    brandClass(this, 'InvalidRequestError');
  }

  constructor(
    allIssues: readonly InputIssue[],
    facts: CallFacts = {},
    options?: { cause?: unknown },
  ) {
    const issues = allIssues.slice(0, maxIssues).map(bounded);
    const call = [facts.method, facts.path].filter((part) => part !== undefined).join(' ');
    const rules = issues.map(({ path, message }) => `"${path}" ${message}`).join('; ');
    super(
      `${call === '' ? '' : `${excerpt(call, maxPathLength)}: `}${rules}. Nothing was sent.`,
      {},
      options,
    );
    setFacts(this, { ...facts, attempts: 0, nonces: [], outcome: 'not_sent', issues });
  }
}

/** The error of one broken rule: `message` follows the name of what broke it. */
export function invalidRequest(
  path: string,
  message: string,
  cause?: unknown,
): InvalidRequestError {
  return new InvalidRequestError([{ path, message }], {}, { cause });
}

function bounded({ path, message }: InputIssue): InputIssue {
  return { path: excerpt(path, maxPathLength), message: excerpt(message, maxMessageLength) };
}

/** The beginning of a text, with a mark where it was cut. */
export function excerpt(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
