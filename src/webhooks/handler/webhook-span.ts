/** WebhookSpan: what is published of a delivery, and the tracing that may surround it. */

import type { WebhookErrorReason } from '../verification-error.js';

/**
 * The message of `tracing:market-partner-sdk:webhook:*`: one delivery until its response. It contains
 * nothing that the sender wrote until the signature is verified. All fields are set on `asyncEnd`.
 *
 * @example
 * ```ts
 * import { tracingChannel } from 'node:diagnostics_channel';
 * import type { WebhookSpan } from 'market-partner-sdk/webhooks';
 *
 * const nothing = () => undefined;
 * tracingChannel<unknown, WebhookSpan>('market-partner-sdk:webhook').subscribe({
 *   start: nothing,
 *   end: nothing,
 *   asyncStart: nothing,
 *   error: nothing,
 *   asyncEnd: ({ type, status, failure }) => console.log(type ?? failure, status),
 * });
 * ```
 */
export interface WebhookSpan {
  /** The event's id, once its signature was verified. */
  id?: string;
  /** The event's type, once its signature was verified. */
  type?: string;
  /** Status of the response. */
  status?: number;
  /** Why the delivery was refused, or that the response was due before the listener ended. */
  failure?: WebhookErrorReason | 'timeout';
}

/** The part of a tracing that surrounds deliveries: `openTelemetry(api)` has it. */
export interface WebhookTracing {
  /** Runs a delivery, in its span's context. Calls `run` once, before it returns. */
  webhook?(span: WebhookSpan, run: () => Promise<unknown>): unknown;
}
