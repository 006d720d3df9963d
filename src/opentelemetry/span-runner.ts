/** createSpanRunner: runs work in a new active span, and ends the span when the work ends. */

import { statusError, type Attributes, type OpenTelemetryApi, type SpanLike } from './api.js';

/** How a span starts, and its attributes when it ends. */
export interface SpanPlan {
  readonly name: string;
  readonly kind: number;
  readonly attributes: Attributes;
  /** The headers of the trace that caused the work, for a link. */
  readonly cause?: Readonly<Record<string, string>> | undefined;
  /** @param error - what the work rejected with, or `undefined`. */
  readonly end: (error: unknown) => { attributes: Attributes; isError: boolean };
}

/** The name of the tracer and of the meter. */
export const scopeName = 'market-partner-sdk';

export function createSpanRunner<Context, Span extends SpanLike, SpanContext>(
  api: OpenTelemetryApi<Context, Span, SpanContext>,
): (plan: SpanPlan, run: (context: Context) => Promise<unknown>) => Promise<void> {
  const tracer = api.trace.getTracer(scopeName);

  return async ({ name, kind, attributes, cause, end }, run) => {
    const parent = api.context.active();
    const links = cause === undefined ? [] : linksTo(cause, parent);
    const span = tracer.startSpan(name, { kind, attributes, links }, parent);
    const context = api.trace.setSpan(parent, span);
    const error: unknown = await api.context
      .with(context, () => run(context))
      .then(
        () => undefined,
        (reason: unknown) => reason,
      );
    const ended = end(error);
    span.setAttributes(ended.attributes);
    if (ended.isError) span.setStatus({ code: statusError });
    span.end();
  };

  function linksTo(cause: Readonly<Record<string, string>>, parent: Context) {
    // Headers without a trace must not become a link to the active span.
    const extracted = api.propagation.extract(api.trace.deleteSpan(parent), cause);
    const context = api.trace.getSpanContext(extracted);
    return context === undefined ? [] : [{ context }];
  }
}
