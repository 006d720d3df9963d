import { bodyPlan, pauseUnless } from './body-pieces.js';
import {
  maxBodyBytes,
  splitTarget,
  withoutBody,
  type ArrivedRequest,
  type Outcome,
} from './exchange.js';

/** The service as a function with the contract of `fetch`. */
export async function answerFetch(
  request: Request,
  handle: (request: ArrivedRequest) => Outcome,
  stopping: AbortSignal,
): Promise<Response> {
  const { signal } = request;
  signal.throwIfAborted();
  const body = Buffer.from(await request.arrayBuffer());
  signal.throwIfAborted();
  const outcome = handle({
    method: request.method,
    ...splitTarget(request.url),
    headers: Object.fromEntries(request.headers),
    body: body.subarray(0, maxBodyBytes),
    bodyTooLarge: body.length > maxBodyBytes,
  });

  const over = new AbortController();
  const end = () => over.abort();
  const release = () => {
    signal.removeEventListener('abort', end);
    stopping.removeEventListener('abort', end);
  };
  signal.addEventListener('abort', end, { once: true });
  stopping.addEventListener('abort', end, { once: true });
  if (stopping.aborted) end();
  const pause = pauseUnless(over.signal);
  try {
    if (outcome.delayMs > 0) await pause(outcome.delayMs);
    if (outcome.manner.kind === 'reset') throw connectionReset();
  } catch {
    release();
    signal.throwIfAborted();
    throw connectionReset();
  }

  const { status, headers } = outcome.answer;
  if (outcome.manner.kind === 'whole' || withoutBody.includes(status)) {
    release();
    const content = withoutBody.includes(status) ? null : outcome.answer.body;
    return new Response(content, { status, headers });
  }
  const { cut, pieces } = bodyPlan(outcome, pause);
  const stream = streamOf(pieces, {
    cut,
    reason: (): unknown => (signal.aborted ? signal.reason : terminated()),
    done: release,
    left: end,
  });
  return new Response(stream, { status, headers });
}

/** The pieces as a stream that breaks off where the connection would. */
function streamOf(
  pieces: AsyncIterable<Buffer>,
  end: {
    readonly cut: boolean;
    readonly reason: () => unknown;
    readonly done: () => void;
    readonly left: () => void;
  },
): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await iterator.next().catch(() => 'broken' as const);
      if (next !== 'broken' && next.done !== true) {
        controller.enqueue(next.value);
        return;
      }
      end.done();
      if (next === 'broken' || end.cut) controller.error(end.reason());
      else controller.close();
    },
    cancel() {
      end.left();
      end.done();
    },
  });
}

/** What `fetch` rejects with when the connection dies before an answer. */
function connectionReset(): TypeError {
  const cause = Object.assign(new Error('read ECONNRESET'), {
    code: 'ECONNRESET',
    syscall: 'read',
  });
  return new TypeError('fetch failed', { cause });
}

/** What reading a body rejects with when the connection dies in its middle. */
function terminated(): TypeError {
  const cause = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
  return new TypeError('terminated', { cause });
}
