/**
 * traceCall and traceAttempt: run work inside the option `tracing` and on the diagnostics channels.
 * These are the only places where something surrounds a call's own work.
 */

import * as diagnostics from 'node:diagnostics_channel';
import {
  hasSubscribers,
  runTraced,
  tracePromise,
  type TracingChannel,
} from '../../core/tracing.js';
import { isRecord } from '../../core/json.js';
import { checkRecord } from '../../core/schema/records.js';
import type { Config } from '../options/config.js';
import { headers as headersSchema } from '../options/headers.js';
import type { AttemptSpan, CallSpan } from '../tracing.js';

/** One span for a call, one for each of its attempts. None holds a secret, a signature, a query or a body. */
const channels = {
  call: tracingChannel<CallSpan>('market-partner-sdk:call'),
  attempt: tracingChannel<AttemptSpan>('market-partner-sdk:attempt'),
};

/** Whether the option or a subscriber would see a call's spans. */
export function isTraced({ tracing }: Config): boolean {
  return tracing !== undefined || hasSubscribers(channels.call) || hasSubscribers(channels.attempt);
}

/** @param run - runs exactly once; the span is filled in by the time it settles. */
export function traceCall<T>(
  span: CallSpan,
  { tracing, origin, environment }: Config,
  run: () => Promise<T>,
): Promise<T> {
  const published = () =>
    hasSubscribers(channels.call) ? tracePromise(channels.call, span, run) : run();
  if (tracing === undefined) return published();
  return runTraced((traced) => tracing.call({ span, origin, environment }, traced), published);
}

/**
 * @param path - of the request
 * @param run - runs exactly once; it gets the headers that tracing adds to the request.
 */
export function traceAttempt<T>(
  span: AttemptSpan,
  path: string,
  { tracing, origin }: Config,
  run: (headers?: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const published = (headers?: Readonly<Record<string, string>>) =>
    hasSubscribers(channels.attempt)
      ? tracePromise(channels.attempt, span, () => run(headers))
      : run(headers);
  if (tracing?.attempt === undefined) return published();
  const attempt = { span, origin, url: origin + path };
  const work = (headers?: Readonly<Record<string, string>>) => published(sendableHeaders(headers));
  return runTraced((traced) => tracing.attempt?.(attempt, traced), work);
}

/** Those that a request may have: for one of a broken tracing, undici would refuse the whole request. */
function sendableHeaders(headers: Readonly<Record<string, string>> | undefined) {
  if (!isRecord(headers)) return undefined;
  const sendable: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const checked = checkRecord(headersSchema, { [name]: value });
    // Else left out: a trace that ends here is better than an order that fails.
    if ('value' in checked) Object.assign(sendable, checked.value);
  }
  return sendable;
}

/** A runtime without tracing channels publishes nothing. */
function tracingChannel<S extends object>(name: string): TracingChannel<S> | undefined {
  const { tracingChannel: make } = diagnostics as Partial<typeof diagnostics>;
  return make?.<unknown, S>(name);
}
