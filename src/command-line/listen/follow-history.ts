/** followHistory and replayEvent: the two ways in which `listen` reads the event history. */

import { writeFile } from 'node:fs/promises';
import { isRefusedCursor } from '../../durable/operator.js';
import type { MarketClient } from '../../client/client.js';
import type { MarketEvent } from '../../webhooks/events.js';
import { messageOf, printable, type CommandTerminal } from '../terminal.js';
import { readText } from '../text-file.js';
import { Forwarder, type Receiver } from './forward.js';
import { sleep } from '../../core/time/sleep.js';

const pollMs = 2_000;
const pageSize = 100;

/** Without a position, the same events would be posted again and again. */
class CursorFileError extends Error {}

/** The options of `listen`. */
export interface ListenOptions extends Receiver {
  /** Whether the secret is the documented one, which may be shown. */
  readonly isDefaultSecret: boolean;
  readonly fromBeginning?: boolean;
  /** The position: the id of the last event that was delivered. */
  readonly cursorFile: string;
}

/** Posts every new event until the command is stopped. */
export async function followHistory(
  market: MarketClient,
  options: ListenOptions,
  terminal: CommandTerminal,
): Promise<void> {
  const { forwardTo, secret, isDefaultSecret } = options;
  const { out, err, stop } = terminal;
  const forwarder = new Forwarder(options, terminal);
  let cursor = await firstCursor(market, options, stop);
  const signedWith = isDefaultSecret ? secret : 'the given secret';
  out(`Events go to ${forwardTo}, signed with ${signedWith}. Stop it with Ctrl-C.\n`);
  await forwarder.checkReceiver();
  // A function, because TypeScript takes a signal that was not aborted before for one that never is.
  const isStopped = () => stop.aborted;
  while (!isStopped()) {
    try {
      const read = await forwardPage(market, forwarder, cursor, options, stop);
      cursor = read.cursor;
      if (read.isFull) continue;
    } catch (error) {
      if (isStopped()) return;
      if (error instanceof CursorFileError) throw error;
      if (cursor !== undefined && isRefusedCursor(error)) {
        err(`${printable(otherHistoryText(cursor, options.cursorFile))}\n`);
        cursor = undefined;
        continue;
      }
      err(`${printable(messageOf(error))}\n`);
    }
    await sleep(pollMs, stop);
  }
}

/** @returns whether the receiver took the event */
export async function replayEvent(
  market: MarketClient,
  id: string,
  options: ListenOptions,
  terminal: CommandTerminal,
): Promise<boolean> {
  const forwarder = new Forwarder(options, terminal);
  for await (const event of market.events.list({ limit: pageSize }, { signal: terminal.stop })) {
    if (event.id === id) return (await forwarder.forward(event)) === 200;
  }
  throw new Error(`The history has no event ${id}.`);
}

/** Posts one page of events, up to the first that the receiver does not respond to. */
async function forwardPage(
  market: MarketClient,
  forwarder: Forwarder,
  after: string | undefined,
  { cursorFile }: ListenOptions,
  signal: AbortSignal,
): Promise<{ readonly cursor: string | undefined; readonly isFull: boolean }> {
  let cursor = after;
  const query = { limit: pageSize, ...(after === undefined ? {} : { after_id: after }) };
  const { items } = await market.events.list(query, { signal });
  for (const event of items) {
    if (signal.aborted) break;
    if (hasNoId(event)) {
      forwarder.skip(event);
      continue;
    }
    // The position is stored after the delivery: an event is posted twice rather than never.
    if ((await forwarder.forward(event)) === undefined) return { cursor, isFull: false };
    cursor = event.id;
    await writeCursor(cursorFile, cursor);
  }
  return { cursor, isFull: cursor !== after };
}

/** No position can be stored after it. */
function hasNoId({ id }: MarketEvent): boolean {
  return typeof id !== 'string' || id.trim() === '';
}

/** The position to begin at; `undefined`: the first event. */
async function firstCursor(
  market: MarketClient,
  { fromBeginning = false, cursorFile }: ListenOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (fromBeginning) return undefined;
  const stored = await readCursor(cursorFile);
  if (stored !== undefined) return stored ?? undefined;
  let last: string | undefined;
  for await (const event of market.events.list({ limit: 1000 }, { signal })) {
    if (!hasNoId(event)) last = event.id;
  }
  await writeCursor(cursorFile, last ?? null);
  return last;
}

function otherHistoryText(cursor: string, file: string): string {
  return `The history does not know ${cursor}, the last event of ${file}: it was replaced (an emulator that was restarted) or has dropped it. Starting again with its first event.`;
}

/** The position; `null` is the one before the first event, `undefined` if none is stored. */
async function readCursor(file: string): Promise<string | null | undefined> {
  try {
    const { after_id } = JSON.parse(await readText(file)) as { after_id?: unknown };
    return typeof after_id === 'string' || after_id === null ? after_id : undefined;
  } catch {
    // The first start, or a file that was cut off: begin with the next event.
    return undefined;
  }
}

/** @throws {@link CursorFileError} */
async function writeCursor(file: string, after_id: string | null): Promise<void> {
  try {
    await writeFile(file, `${JSON.stringify({ after_id })}\n`);
  } catch (error) {
    throw new CursorFileError(`"--cursor-file" cannot be written: ${messageOf(error)}`);
  }
}
