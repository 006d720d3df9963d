/**
 * The diagnostics channels: one span for a call, one for each of its attempts. None holds a secret,
 * a signature, a query or a body; `error` is the caller's own, with the beginning of the body.
 */

import * as diagnostics from 'node:diagnostics_channel';
import type { AttemptSpan, CallSpan } from '../tracing.js';
import type { TracingChannel } from '../../tracing.js';

export const channels = {
  call: tracingChannel<CallSpan>('market-partner-sdk:call'),
  attempt: tracingChannel<AttemptSpan>('market-partner-sdk:attempt'),
};

/** A runtime without tracing channels publishes nothing. */
function tracingChannel<S extends object>(name: string): TracingChannel<S> | undefined {
  const { tracingChannel: make } = diagnostics as Partial<typeof diagnostics>;
  return make?.<unknown, S>(name);
}
