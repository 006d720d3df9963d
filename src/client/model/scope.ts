/** What a credential may do. */

/**
 * A permission of the credential (specification, parts 2 and 5). A call without the scope that it
 * needs is refused with a `ForbiddenError`, whose `requiredScope` names it. Scopes that this version
 * does not know pass through.
 *
 * @example
 * ```ts
 * import type { Scope } from 'market-partner-sdk';
 *
 * const forSelling: Scope[] = ['search', 'buy', 'webhook'];
 * ```
 */
export type Scope =
  'search' | 'embed' | 'buy' | 'broker' | 'refer' | 'report' | 'webhook' | (string & {});
