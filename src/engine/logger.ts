/** Where the client tells what it does, if the partner gives it a place. */

/**
 * A logger with a method per level; `console` fits. Fields never hold a secret, a signature, a
 * query, or a body.
 *
 * - `debug`: every attempt and its answer; the signed lines when a signature is refused.
 * - `info`: corrections that the client made, such as its clock.
 * - `warn`: retries, waits for the rate limit, documented fields that an answer lacks.
 * - `error`: nothing today; errors are thrown.
 *
 * @example
 * ```ts
 * import { MarketClient, type Logger } from 'market-partner-sdk';
 *
 * const quiet: Logger = { warn: (message, fields) => console.warn(message, fields) };
 * const market = new MarketClient({ logger: quiet });
 * ```
 */
export interface Logger {
  debug?(message: string, fields: LogFields): void;
  info?(message: string, fields: LogFields): void;
  warn?(message: string, fields: LogFields): void;
  error?(message: string, fields: LogFields): void;
}

/** Facts of a log line, as plain data. */
export type LogFields = Readonly<Record<string, unknown>>;

/** A logger whose every level exists and never throws: a full disk must not lose an order. */
export type SafeLogger = Required<Logger>;

export function safeLogger(logger: Logger | undefined): SafeLogger {
  const level = (name: keyof Logger) => (message: string, fields: LogFields) => {
    try {
      logger?.[name]?.(message, fields);
    } catch {
      // The log is not the caller's concern, the call is.
    }
  };
  return { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') };
}
