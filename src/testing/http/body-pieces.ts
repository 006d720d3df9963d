import type { Outcome } from './exchange.js';

/** How much of a broken body arrives: half, so that neither its start nor its end is missing by chance. */
const brokenShare = 2;

/** What an endless body goes on with. White space, so that what came before stays valid JSON. */
const endlessFiller = Buffer.alloc(1024, ' ');

/** The body as the wire will see it, and the content-length that is promised. */
export interface BodyPlan {
  readonly contentLength: number | undefined;
  /** Whether the connection is cut after the last piece. */
  readonly cut: boolean;
  readonly pieces: AsyncIterable<Buffer>;
}

/** Plans the body of an answer that does not arrive in one piece. `pause` ends early by rejecting. */
export function bodyPlan(
  { answer, manner }: Outcome,
  pause: (milliseconds: number) => Promise<void>,
): BodyPlan {
  const body = Buffer.from(answer.body, 'utf8');
  switch (manner.kind) {
    case 'slow':
      return {
        contentLength: body.length,
        cut: false,
        pieces: slowly(body, manner.chunkBytes, () => pause(manner.everyMs)),
      };
    case 'endless':
      return {
        contentLength: undefined,
        cut: false,
        pieces: endlessly(body, () => pause(manner.everyMs)),
      };
    case 'broken':
      return {
        contentLength: body.length + 1024,
        cut: true,
        pieces: once(body.subarray(0, Math.ceil(body.length / brokenShare))),
      };
    case 'whole':
    case 'reset':
      return { contentLength: body.length, cut: false, pieces: once(body) };
  }
}

/** A pause that ends early, by rejecting, when the signal fires. */
export function pauseUnless(signal: AbortSignal): (milliseconds: number) => Promise<void> {
  return (milliseconds) =>
    new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        reject(new Error('the exchange is over'));
      };
      const timer = setTimeout(
        () => {
          signal.removeEventListener('abort', stop);
          resolve();
        },
        // A timer cannot be set for ever; a day comes close.
        Math.min(milliseconds, 86_400_000),
      );
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });
}

async function* once(body: Buffer): AsyncGenerator<Buffer> {
  await Promise.resolve();
  if (body.length > 0) yield body;
}

async function* slowly(
  body: Buffer,
  chunkBytes: number,
  pause: () => Promise<void>,
): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += chunkBytes) {
    if (at > 0) await pause();
    yield body.subarray(at, at + chunkBytes);
  }
}

async function* endlessly(body: Buffer, pause: () => Promise<void>): AsyncGenerator<Buffer> {
  yield body;
  for (;;) {
    await pause();
    yield endlessFiller;
  }
}
