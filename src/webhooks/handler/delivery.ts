/** handleDelivery: reads, verifies and processes one delivery, and resolves with the status in time. */

import type { MarketEvent } from '../events.js';
import { headerValue, notHeaders, signatureOf } from '../signature-header.js';
import { bodyConsumedError, noBodyError } from '../raw-body.js';
import { WebhookVerificationError, type WebhookErrorReason } from '../verification-error.js';
import type {
  DeliveryConfig,
  DeliveryStep,
  ProcessContext,
  WebhookSignal,
} from './delivery-config.js';
import type { WebhookStatus } from './response.js';
import type { WebhookSpan } from './webhook-span.js';

const statusByReason: Readonly<Record<WebhookErrorReason, WebhookStatus>> = {
  missing_signature: 401,
  malformed_signature: 401,
  signature_mismatch: 401,
  invalid_json: 400,
  invalid_event: 400,
  body_too_large: 413,
  // The receiver is set up wrongly: the service must deliver again after it was fixed.
  body_not_raw: 500,
  missing_secret: 500,
};

const readingBody: DeliveryStep = { waitsFor: 'The body', statusAtTimeout: 503 };
const gettingSecret: DeliveryStep = { waitsFor: 'The "secret" function', statusAtTimeout: 503 };
const runningListener: DeliveryStep = { waitsFor: 'The listener', statusAtTimeout: 503 };

/** The sender broke the delivery off: the only error before the event is known that is not ours. */
export class SenderGoneError extends Error {}

/** A delivery as an adapter passes it on. */
export interface IncomingDelivery {
  readonly method: unknown;
  /** What `verifyWebhook` takes as its signature. */
  readonly headers: unknown;
  /** Whether the body that `readBody` returned may lack its beginning. */
  readonly mayBePartial?: boolean;
  /** How many bytes of a body that is read from a stream have come. */
  readonly receivedBytes?: number | undefined;
  /** Returns the raw body or a promise of it; throws or rejects if there is none. */
  readBody(maxBytes: number): unknown;
  /** Called if the body was not complete in time. */
  cancelBody?(): void;
  /** Calls back when the sender closes the connection before the response. */
  onSenderGone?(callback: () => void): void;
}

/** Resolves with the status of the response, at the latest after `timeoutMs`. Never rejects. */
export function handleDelivery(
  incoming: IncomingDelivery,
  config: DeliveryConfig,
): Promise<WebhookStatus> {
  const { trace } = config;
  if (!trace.isActive()) return start(incoming, config, undefined);
  const span: WebhookSpan = {};
  return trace.run(span, () => start(incoming, config, span));
}

function start(
  incoming: IncomingDelivery,
  config: DeliveryConfig,
  span: WebhookSpan | undefined,
): Promise<WebhookStatus> {
  return new Promise((resolve) => void new Delivery(incoming, config, resolve, span).run());
}

class Delivery implements ProcessContext {
  step = readingBody;
  dueMs = 0;
  readonly #incoming: IncomingDelivery;
  readonly #config: DeliveryConfig;
  readonly #respond: (status: WebhookStatus) => void;
  /** `undefined` if nothing traces deliveries. */
  readonly #span: WebhookSpan | undefined;
  readonly #deliveredAtMs = Date.now();
  #event: MarketEvent | undefined;
  #isSettled = false;
  /**
   * Its own, and not one for all deliveries: a timer runs in the `AsyncLocalStorage` store of the delivery
   * that made it, and a Cloudflare Worker drops it with that delivery's request.
   */
  #timer: NodeJS.Timeout | undefined;
  /**
   * Created when a listener first reads `signal`: most never do, and creating it costs as much as a
   * hash.
   */
  #controller: AbortController | undefined;
  #abortReason: Error | undefined;

  constructor(
    incoming: IncomingDelivery,
    config: DeliveryConfig,
    respond: (status: WebhookStatus) => void,
    span: WebhookSpan | undefined,
  ) {
    this.#incoming = incoming;
    this.#config = config;
    this.#respond = respond;
    this.#span = span;
  }

  get deliveredAt(): Date {
    return new Date(this.#deliveredAtMs);
  }

  get signal(): WebhookSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
      else this.#listenForSender();
    }
    return this.#controller.signal;
  }

  async run(): Promise<void> {
    try {
      this.#settle(await this.#statusOf());
    } catch (error) {
      this.#fail(error);
    }
  }

  #startTimer(): void {
    const { timeoutMs } = this.#config;
    this.dueMs = performance.now() + timeoutMs;
    this.#timer = setTimeout(() => this.#expire(), timeoutMs);
  }

  #expire(): void {
    // Code that has read the body keeps it from coming, and a sender that sends none is not the service.
    if (this.step === readingBody && this.#incoming.receivedBytes === 0) {
      this.#fail(noBodyError(this.#config.timeoutMs));
      this.#incoming.cancelBody?.();
      return;
    }
    const { waitsFor, statusAtTimeout: status } = this.step;
    const event = this.#event;
    const what = event === undefined ? waitsFor : `${waitsFor} of ${event.type} ${event.id}`;
    const error = new Error(`${what} took longer than "timeoutMs", ${this.#config.timeoutMs} ms.`);
    this.#config.report(error, event === undefined ? { status } : { status, event });
    if (this.#span !== undefined) this.#span.failure = 'timeout';
    this.#settle(status);
    this.#abort(error);
    if (event === undefined) this.#incoming.cancelBody?.();
  }

  async #statusOf(): Promise<WebhookStatus> {
    const { method, headers } = this.#incoming;
    if (typeof method !== 'string') {
      throw new TypeError(`The method is of type ${typeof method}. Pass that of the request.`);
    }
    if (method.toUpperCase() !== 'POST') return 405;
    // Before the body is read: unsigned requests must not cost memory.
    const mistake = notHeaders(headers);
    if (mistake !== undefined) throw new TypeError(mistake);
    const signature = signatureOf(headers);

    this.#startTimer();
    const body = await this.#incoming.readBody(this.#config.maxBytes);
    if ((body as Uint8Array | string).length === 0 && announcesBody(headers)) throw noBodyError();
    this.step = gettingSecret;
    const event = await this.#verify(body, signature);
    // The response was 503, so the service will deliver again: do not process the event now.
    if (this.#isSettled) return 503;
    this.#event = event;
    if (this.#span !== undefined) Object.assign(this.#span, { id: event.id, type: event.type });
    this.step = runningListener;
    return await this.#config.process(event, this);
  }

  async #verify(body: unknown, signature: string): Promise<MarketEvent> {
    try {
      return await this.#config.verify(body, signature);
    } catch (error) {
      const isPartial = this.#incoming.mayBePartial === true;
      if (!isPartial || reasonOf(error) !== 'signature_mismatch') throw error;
      throw bodyConsumedError();
    }
  }

  /** A platform's imitation of a request may not tell, and then the listener is not told either. */
  #listenForSender(): void {
    try {
      this.#incoming.onSenderGone?.(() => {
        if (!this.#isSettled) this.#abort(new Error('The sender closed the connection.'));
      });
    } catch {
      // The signal still aborts when the response is due.
    }
  }

  #fail(error: unknown): void {
    // The response was sent, and `onError` was called with the timeout.
    if (this.#isSettled) return;
    const event = this.#event;
    if (event !== undefined) {
      this.#config.report(error, { status: 500, event });
      this.#settle(500);
      return;
    }
    const reason = reasonOf(error);
    const ownStatus = error instanceof SenderGoneError ? 400 : 500;
    const status = reason === undefined ? ownStatus : statusByReason[reason];
    this.#config.report(error, { status });
    if (this.#span !== undefined && reason !== undefined) this.#span.failure = reason;
    this.#settle(status);
  }

  #settle(status: WebhookStatus): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    if (this.#span !== undefined) this.#span.status = status;
    this.#respond(status);
  }

  #abort(reason: Error): void {
    this.#abortReason ??= reason;
    this.#controller?.abort(this.#abortReason);
  }
}

function announcesBody(headers: unknown): boolean {
  const length = headerValue(headers, 'content-length');
  if (length !== undefined) return Number(length) > 0;
  return headerValue(headers, 'transfer-encoding') !== undefined;
}

function reasonOf(error: unknown): WebhookErrorReason | undefined {
  return error instanceof WebhookVerificationError ? error.reason : undefined;
}
