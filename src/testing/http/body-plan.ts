/** Bodies in pieces: slow, broken and endless ones. */

import type { ScheduledResponse } from './messages.js';

/** A broken body ends after half of its bytes. */
const brokenShare = 2;

/** White space: the JSON before it stays valid while the body goes on. */
const endlessFiller = Buffer.alloc(1024, ' ');

/** The pieces of a body and the content-length that the response announces. */
interface BodyPlan {
  readonly contentLength: number | undefined;
  /** Whether the connection is cut after the last piece. */
  readonly cut: boolean;
  readonly pieces: AsyncIterable<Buffer>;
}

/** Plans how a body is sent. `pause` rejects when the exchange ends early. */
export function planBody(
  { response, mode }: ScheduledResponse,
  pause: (ms: number) => Promise<unknown>,
): BodyPlan {
  const body = Buffer.from(response.body, 'utf8');
  switch (mode.kind) {
    case 'slow':
      return {
        contentLength: body.length,
        cut: false,
        pieces: slowly(body, mode.chunkBytes, () => pause(mode.everyMs)),
      };
    case 'endless':
      return {
        contentLength: undefined,
        cut: false,
        pieces: endlessly(body, () => pause(mode.everyMs)),
      };
    case 'broken':
      return {
        contentLength: body.length + 1024,
        cut: true,
        pieces: wholeBody(body.subarray(0, Math.ceil(body.length / brokenShare))),
      };
    case 'whole':
    case 'reset':
      return { contentLength: body.length, cut: false, pieces: wholeBody(body) };
  }
}

async function* wholeBody(body: Buffer): AsyncGenerator<Buffer> {
  await Promise.resolve();
  if (body.length > 0) yield body;
}

async function* slowly(
  body: Buffer,
  chunkBytes: number,
  pause: () => Promise<unknown>,
): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += chunkBytes) {
    if (at > 0) await pause();
    yield body.subarray(at, at + chunkBytes);
  }
}

async function* endlessly(body: Buffer, pause: () => Promise<unknown>): AsyncGenerator<Buffer> {
  yield body;
  for (;;) {
    await pause();
    yield endlessFiller;
  }
}
