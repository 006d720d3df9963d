/** The process around a command, as far as a command needs it. */

import { invisible } from '../core/errors/escape-invisible.js';
import { withAnswer } from '../core/errors/read-error.js';

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
  /** The width of the terminal; absent where the output is none. */
  readonly columns?: number | undefined;
  /** Whether the errors go to a terminal: a line of progress may be rewritten. */
  readonly isInteractive?: boolean;
  /** Asks the user a question on a terminal; absent where nobody can be asked. */
  readonly confirm?: ((question: string) => Promise<boolean>) | undefined;
  /** Opens an address in the user's browser; resolves with whether a browser was found. */
  readonly openUrl?: (url: string) => Promise<boolean>;
}

/** How what a row tells of fared: its color. On a terminal, `good` and `plain` are cut, all else is wrapped. */
export type Tone = 'good' | 'warn' | 'bad' | 'plain' | 'text';

export interface RowOptions {
  /** That of the first word; unless given, of the first word that is a state. */
  readonly tone?: Tone | undefined;
  /** How far a second line is moved to the right. */
  readonly indent?: number;
  readonly to?: 'out' | 'err';
}

export interface Writer extends Pick<Terminal, 'out' | 'err'> {
  /** One line with a state in it. */
  readonly row: (text: string, options?: RowOptions) => void;
  /** What runs now: a line that the next output replaces. Where it cannot be replaced, one after ten quiet seconds. */
  readonly progress: (text: string) => void;
}

/** A terminal for one command, which may set the exit code; 0 unless it does. */
export interface CommandTerminal extends Terminal, Writer {
  readonly exitWith: (code: number) => void;
}

/** Arguments that a command does not understand, and that no parser of one value can refuse. */
export class UsageError extends Error {}

export function messageOf(error: unknown): string {
  return error instanceof Error ? withAnswer(error.message, error) : String(error);
}

/**
 * One line without anything that moves a cursor, reorders what is read, or begins another line. What
 * is replaced is written as `\u001b`: in the strings of JSON that is the same character.
 */
export function printable(line: string): string {
  return line.replace(invisible, escapeUnits);
}

/** As {@link printable}, for text whose line breaks are the command's own. */
export function printableLines(text: string): string {
  return text.replace(invisible, (found) => (found === '\n' ? found : escapeUnits(found)));
}

function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
