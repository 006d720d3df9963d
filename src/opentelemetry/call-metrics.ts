/** The two histograms of calls. */

import type { TracedCall } from '../client/tracing.js';
import type { HistogramLike } from './api.js';
import { describeCall, errorType, setDefined } from './call-attributes.js';

interface Meter {
  createHistogram(name: string, options: { unit: string; description: string }): HistogramLike;
}

export interface CallMetrics {
  /** @param error - what the call rejected with, or `undefined`. */
  record(call: TracedCall, seconds: number, error: unknown): void;
}

export function createCallMetrics(meter: Meter): CallMetrics {
  const duration = meter.createHistogram('market.client.call.duration', {
    unit: 's',
    description: 'Duration of calls, including all attempts and the waits between them',
  });
  const attempts = meter.createHistogram('market.client.call.attempts', {
    unit: '{attempt}',
    description: 'Number of attempts per call',
  });
  return {
    record: (call, seconds, error) => {
      const attributes = describeCall(call);
      setDefined(attributes, 'market.outcome', call.span.outcome);
      setDefined(attributes, 'error.type', errorType(error));
      duration.record(seconds, attributes);
      attempts.record(call.span.attempts ?? 0, attributes);
    },
  };
}
