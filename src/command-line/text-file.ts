/** readText and readLines: text files, also those of other systems. */

import { createReadStream } from 'node:fs';
import { TextDecoder } from 'node:util';
import { messageOf } from './terminal.js';

/** The text of a file: UTF-8, or UTF-16 as Windows PowerShell writes it; without a byte order mark. */
export async function readText(file: string): Promise<string> {
  let text = '';
  for await (const piece of piecesOf(file)) text += piece;
  return text;
}

/** A line that is not blank, without white space around it, and its number in the file, from 1. */
export interface Line {
  readonly number: number;
  readonly text: string;
}

/**
 * The lines of a file of any size, ended by LF, CRLF or CR. Not by node:readline, which on some Nodes ends
 * a line at U+2028 too: JSON has that character in its strings.
 */
export async function* readLines(file: string): AsyncGenerator<Line, void, undefined> {
  let number = 0;
  let rest = '';
  for await (const piece of piecesOf(file)) {
    // A CR at the end of a piece may be the first half of a CRLF.
    const lines = `${rest}${piece}`.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      number += 1;
      // Also the byte order mark of a file that was appended to this one.
      const text = line.trim();
      if (text !== '') yield { number, text };
    }
  }
  if (rest.trim() !== '') yield { number: number + 1, text: rest.trim() };
}

/** Reads once, from begin to end: it may be a pipe. */
async function* piecesOf(file: string): AsyncGenerator<string, void, undefined> {
  let decoder: TextDecoder | undefined;
  try {
    for await (const bytes of createReadStream(file) as AsyncIterable<Buffer>) {
      decoder ??= new TextDecoder(encodingOf(bytes), { fatal: true });
      yield decoder.decode(bytes, { stream: true });
    }
    yield decoder?.decode() ?? '';
  } catch (error) {
    throw withName(file, error);
  }
}

/** By its byte order mark; without one by its first character, which is ASCII in JSON. */
function encodingOf([first, second]: Uint8Array): string {
  if ((first === 0xff && second === 0xfe) || second === 0) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || first === 0 ? 'utf-16be' : 'utf-8';
}

/** Node's own error names no file that could not be decoded, and no folder that was read as a file. */
function withName(file: string, error: unknown): Error {
  const { code } = Object(error) as { code?: unknown };
  const message =
    code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
      ? 'it is not text in UTF-8 or UTF-16. Save it as UTF-8'
      : messageOf(error);
  if (message.includes(file)) return error as Error;
  return Object.assign(new Error(`${file}: ${message}`, { cause: error }), { code });
}
