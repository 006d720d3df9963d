/** The process around a command, as far as a command needs it. */

/** Output, environment and end of the process that a command runs in. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Aborts when the command must stop. */
  readonly stop: AbortSignal;
  /** The environment variables; none unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The folder that the command runs in; the process's own unless given. */
  readonly cwd?: string;
  /** Opens an address in the user's browser. */
  readonly openUrl?: (url: string) => void;
}

/** Arguments that a command does not understand: exit code 2, and the usage. */
export class UsageError extends Error {}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Control characters of a request or a response must not break the line. */
export function printable(line: string): string {
  return line.replace(/[^\x20-\x7e\u00a0-\uffff]/g, ' ');
}

/** Resolves when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
