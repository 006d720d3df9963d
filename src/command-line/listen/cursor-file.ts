/** The file in which `listen` stores its position: the id of the last event that it delivered. */

import { writeFile } from 'node:fs/promises';
import { messageOf } from '../terminal.js';
import { readText } from '../text-file.js';

/** Without a position, the same events would be posted again and again. */
export class CursorFileError extends Error {}

/** The position; `null` is the one before the first event, `undefined` if none is stored. */
export async function readCursor(file: string): Promise<string | null | undefined> {
  try {
    const { after_id } = JSON.parse(await readText(file)) as { after_id?: unknown };
    return typeof after_id === 'string' || after_id === null ? after_id : undefined;
  } catch {
    // The first start, or a file that was cut off: begin with the next event.
    return undefined;
  }
}

/** @throws {@link CursorFileError} */
export async function writeCursor(file: string, after_id: string | null): Promise<void> {
  try {
    await writeFile(file, `${JSON.stringify({ after_id })}\n`);
  } catch (error) {
    throw new CursorFileError(`"--cursor-file" cannot be written: ${messageOf(error)}`);
  }
}
