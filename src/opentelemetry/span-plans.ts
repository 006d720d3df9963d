/** createSpanPlans: the table of spans: name, kind, and attributes at start and end. */

import type { TracedAttempt, TracedCall } from '../client/tracing.js';
import type { EventSpan, OrderSpan } from '../durable/tracing.js';
import type { WebhookSpan } from '../webhooks/handler/webhook-span.js';
import { spanKind, type Attributes } from './api.js';
import {
  attemptAttributes,
  attemptEndAttributes,
  callAttributes,
  callEndAttributes,
  deliveryEndAttributes,
  errorType,
  eventAttributes,
  isAborted,
  orderAttributes,
  setDefined,
} from './attributes.js';
import type { RecordCall } from './call-metrics.js';
import type { SpanPlan } from './span-runner.js';

/** @param showsKey - whether spans include the Idempotency-Key */
export function createSpanPlans(recordCall: RecordCall, showsKey: boolean) {
  const visibleKey = (key: string | undefined) => (showsKey ? key : undefined);
  return {
    call: (traced: TracedCall): SpanPlan => {
      const startedMs = performance.now();
      return {
        name: `market.${traced.span.call}`,
        kind: spanKind.internal,
        attributes: callAttributes(traced, visibleKey(traced.span.idempotencyKey)),
        end: (error) => {
          recordCall(traced, (performance.now() - startedMs) / 1000, error);
          return {
            attributes: callEndAttributes(traced.span, errorType(error)),
            isError: error !== undefined && !isAborted(error),
          };
        },
      };
    },
    attempt: (traced: TracedAttempt): SpanPlan => ({
      name: `${traced.span.method} ${traced.span.path}`,
      kind: spanKind.client,
      attributes: attemptAttributes(traced),
      end: () => {
        const attributes = attemptEndAttributes(traced.span);
        return { attributes, isError: attributes['error.type'] !== undefined };
      },
    }),
    webhook: (span: WebhookSpan): SpanPlan => ({
      name: 'market.webhook',
      kind: spanKind.internal,
      attributes: {},
      // A refused signature is the sender's failure, not the receiver's.
      end: () => ({
        attributes: deliveryEndAttributes(span),
        isError: span.status === undefined || span.status >= 500,
      }),
    }),
    event: (span: EventSpan, cause: SpanPlan['cause']): SpanPlan => ({
      name: 'market.event',
      kind: spanKind.consumer,
      attributes: eventAttributes(span),
      cause,
      end: (error) => endOfWork(error, {}),
    }),
    order: (span: OrderSpan, cause: SpanPlan['cause']): SpanPlan => ({
      name: 'market.order',
      kind: spanKind.consumer,
      attributes: orderAttributes(span, visibleKey(span.key)),
      cause,
      end: (error) => {
        const attributes: Attributes = {};
        setDefined(attributes, 'market.verdict', span.verdict);
        return endOfWork(error, attributes);
      },
    }),
  };
}

function endOfWork(error: unknown, attributes: Attributes) {
  setDefined(attributes, 'error.type', errorType(error));
  return { attributes, isError: error !== undefined };
}
