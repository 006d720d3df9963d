/** The service as a `fetch` function. */

import { createHash } from 'node:crypto';
import { pause } from '../../core/time/sleep.js';
import { planBody } from './body-plan.js';
import {
  maxBodyBytes,
  splitTarget,
  statusesWithoutBody,
  type RawRequest,
  type ScheduledResponse,
} from './messages.js';

/** The service as a function with the contract of `fetch`. */
export async function handleFetch(
  request: Request,
  handle: (request: RawRequest) => ScheduledResponse,
  stopping: AbortSignal,
): Promise<Response> {
  const { signal } = request;
  signal.throwIfAborted();
  const body = Buffer.from(await request.arrayBuffer());
  signal.throwIfAborted();
  const bodyTooLarge = body.length > maxBodyBytes;
  const scheduled = handle({
    method: request.method,
    ...splitTarget(request.url),
    headers: Object.fromEntries(request.headers),
    body: body.subarray(0, maxBodyBytes),
    bodyTooLarge,
    ...(bodyTooLarge ? { bodySha256: createHash('sha256').update(body).digest('hex') } : {}),
  });

  const cancelled = new AbortController();
  const wait = (ms: number) => pause(ms, [signal, stopping, cancelled.signal]);
  try {
    if (scheduled.delayMs > 0) await wait(scheduled.delayMs);
    if (scheduled.mode.kind === 'reset') throw connectionReset();
  } catch {
    signal.throwIfAborted();
    throw connectionReset();
  }

  const { status, headers } = scheduled.response;
  if (scheduled.mode.kind === 'whole' || statusesWithoutBody.includes(status)) {
    const content = statusesWithoutBody.includes(status) ? null : scheduled.response.body;
    return new Response(content, { status, headers });
  }
  const { cut, pieces } = planBody(scheduled, wait);
  const stream = streamOf(pieces, {
    cut,
    reason: (): unknown => (signal.aborted ? signal.reason : terminated()),
    onCancel: () => cancelled.abort(),
  });
  return new Response(stream, { status, headers });
}

/** A stream of the pieces that fails if a connection would break. */
function streamOf(
  pieces: AsyncIterable<Buffer>,
  end: {
    readonly cut: boolean;
    readonly reason: () => unknown;
    readonly onCancel: () => void;
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
      if (next === 'broken' || end.cut) controller.error(end.reason());
      else controller.close();
    },
    cancel() {
      end.onCancel();
    },
  });
}

/** What `fetch` rejects with when the connection dies before a response. */
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
