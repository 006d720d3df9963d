/** The two histograms of calls. */

import type { TracedCall } from '../client/tracing.js';
import type { OpenTelemetryApi, SpanLike } from './api.js';
import { describeCall, errorType, setDefined } from './attributes.js';

type Meter = ReturnType<OpenTelemetryApi<unknown, SpanLike, unknown>['metrics']['getMeter']>;

/** @param error - what the call rejected with, or `undefined`. */
export type RecordCall = (call: TracedCall, seconds: number, error: unknown) => void;

/** Returns the function that records a call in both. */
export function createCallMetrics(meter: Meter): RecordCall {
  const duration = meter.createHistogram('market.client.call.duration', {
    unit: 's',
    description: 'Duration of calls, including all attempts and the waits between them',
  });
  const attempts = meter.createHistogram('market.client.call.attempts', {
    unit: '{attempt}',
    description: 'Number of attempts per call',
  });
  return (call, seconds, error) => {
    const attributes = describeCall(call);
    setDefined(attributes, 'market.outcome', call.span.outcome);
    setDefined(attributes, 'error.type', errorType(error));
    duration.record(seconds, attributes);
    attempts.record(call.span.attempts ?? 0, attributes);
  };
}
