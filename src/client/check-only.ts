/**
 * checkOnly: the reason of an aborted signal by which a call is checked, and neither sent nor traced.
 * The outbox checks an order so before it stores it: a trace would count a failed call for each sale.
 */

/** Shared by two installed versions of the package. */
export const checkOnly = Symbol.for('market-partner-sdk:check-only');
