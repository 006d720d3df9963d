/** The file in which `listen` stores its position: the id of the last event that it delivered. */

import { readFile, writeFile } from 'node:fs/promises';

export async function readCursor(file: string): Promise<string | undefined> {
  try {
    const { after_id } = JSON.parse(await readFile(file, 'utf8')) as { after_id?: unknown };
    return typeof after_id === 'string' ? after_id : undefined;
  } catch {
    // The first start, or a file that was cut off: begin with the next event.
    return undefined;
  }
}

export async function writeCursor(file: string, after_id: string): Promise<void> {
  await writeFile(file, `${JSON.stringify({ after_id })}\n`);
}
