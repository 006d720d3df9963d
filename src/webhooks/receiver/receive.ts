/** The life of one delivery: read, verify, run, answer; all within the time that the service waits. */

import { WebhookVerificationError, type WebhookRefusal } from '../verification-error.js';
import { verifyWithKeys } from '../verify.js';
import { answerWith, type WebhookAnswer, type WebhookStatus } from './answer.js';
import type { Receiver, WebhookErrorContext } from './options.js';

const STATUS_OF: Readonly<Record<WebhookRefusal, WebhookStatus>> = {
  missing_signature: 401,
  malformed_signature: 401,
  signature_mismatch: 401,
  invalid_json: 400,
  invalid_event: 400,
  body_too_large: 413,
  // The receiver's own faults: the service shall deliver again when they are mended.
  body_not_raw: 500,
  missing_secret: 500,
};

/** A delivery as a server hands it over. */
export interface IncomingDelivery {
  readonly method: string;
  /** What `verifyWebhook` takes as its signature. */
  readonly headers: unknown;
  /** Gives the raw body, or refuses it. When the signal fires, nobody waits for it any more. */
  read(maxBytes: number, signal: AbortSignal): unknown;
}

/** Answers a delivery. Never rejects. */
export async function receive(
  delivery: IncomingDelivery,
  receiver: Receiver,
): Promise<WebhookAnswer> {
  if (delivery.method.toUpperCase() !== 'POST') return answerWith(405);

  const deadline = new AbortController();
  const progress: { event?: WebhookErrorContext['event'] } = {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<WebhookStatus>((resolve) => {
    timer = setTimeout(() => {
      deadline.abort();
      const { event } = progress;
      const what = event === undefined ? 'The body' : `The handler of ${event.type} ${event.id}`;
      receiver.report(
        new Error(`${what} took longer than "timeoutMs", ${receiver.timeoutMs} ms.`),
        event === undefined ? { status: 503 } : { status: 503, event },
      );
      resolve(503);
    }, receiver.timeoutMs);
  });
  try {
    return answerWith(
      await Promise.race([late, statusOf(delivery, receiver, progress, deadline.signal)]),
    );
  } finally {
    clearTimeout(timer);
  }
}

async function statusOf(
  delivery: IncomingDelivery,
  receiver: Receiver,
  progress: { event?: WebhookErrorContext['event'] },
  signal: AbortSignal,
): Promise<WebhookStatus> {
  let event;
  try {
    const body = await delivery.read(receiver.maxBytes, signal);
    // Answered already, and it will be delivered again: running it now would run it twice.
    if (signal.aborted) return 503;
    event = verifyWithKeys(body, delivery.headers, receiver.keys);
  } catch (error) {
    if (signal.aborted) return 503;
    const status = error instanceof WebhookVerificationError ? STATUS_OF[error.reason] : 400;
    receiver.report(error, { status });
    return status;
  }
  progress.event = event;
  try {
    await receiver.run(event);
    return 200;
  } catch {
    // Reported where it was thrown: copies of one event share one failure.
    return 500;
  }
}
