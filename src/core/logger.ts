/** Logger, and a wrapper that never throws. */

/**
 * A logger with a method per level; `console` fits. Fields never hold a secret, a signature or a
 * body, and a query only at `debug`, among the signed lines.
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
  /** Every attempt and its response; the signed lines when a signature is refused. */
  debug?(message: string, fields: LogFields): void;
  /** Corrections that the client made, such as its clock. */
  info?(message: string, fields: LogFields): void;
  /** Retries, waits for the rate limit, documented fields that a response lacks. */
  warn?(message: string, fields: LogFields): void;
  /** Nothing today: errors are thrown. */
  error?(message: string, fields: LogFields): void;
}

/** Facts of a log line, as plain data. */
export type LogFields = Readonly<Record<string, unknown>>;

/** A logger that has every level and never throws: a full disk must not lose an order. */
export type SafeLogger = Required<Logger>;

/** A no-op level. Callers compare with it to skip building the log fields. */
export const noop = (): void => undefined;

export function safeLogger(logger: Logger | undefined): SafeLogger {
  const level = (name: keyof Logger) => {
    if (logger?.[name] === undefined) return noop;
    return (message: string, fields: LogFields) => {
      try {
        const done: unknown = logger[name]?.(message, fields);
        // An async method fits the type too; its rejection must not end the process.
        if (done instanceof Promise) done.catch(() => undefined);
      } catch {
        // A failing logger must not fail the call.
      }
    };
  };
  return { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') };
}
