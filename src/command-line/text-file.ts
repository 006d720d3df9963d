/** readText and readLines: text files, also those of other systems. */

import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';

/** The text of a file: UTF-8, or UTF-16 with a byte order mark, which is left out. */
export async function readText(file: string): Promise<string> {
  const bytes = await readFile(file);
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

/** A line that is not blank, and its number in the file, from 1. */
export interface Line {
  readonly number: number;
  readonly text: string;
}

/**
 * The lines of a file of any size, ended by LF or CRLF. Not by node:readline, which ends a line at
 * U+2028 too: JSON has that character in its strings.
 */
export async function* readLines(file: string): AsyncGenerator<Line, void, undefined> {
  const decoder = new TextDecoderStream(encodingOf(await firstBytes(file)));
  let number = 0;
  let rest = '';
  for await (const piece of Readable.toWeb(createReadStream(file)).pipeThrough(decoder)) {
    const lines = `${rest}${piece}`.split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const text of lines) {
      number += 1;
      if (text.trim() !== '') yield { number, text };
    }
  }
  if (rest.trim() !== '') yield { number: number + 1, text: rest };
}

async function firstBytes(file: string): Promise<Uint8Array> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
