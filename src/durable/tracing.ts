/** EventSpan and OrderSpan: what the durable part publishes about its work, and how it is traced. */

/** A trace's context as headers, such as `traceparent`, stored with work that is done later. */
export type TraceContext = Readonly<Record<string, string>>;

/** A listener's run, as `tracing:market-partner-sdk:event:*` publishes it. */
export interface EventSpan {
  readonly consumer: string;
  readonly id: string;
  readonly type: string;
  readonly attempt: number;
  readonly viaWebhook: boolean;
  /** From the event's `created_at` to this attempt. */
  readonly lagMs: number;
}

/** An attempt to place an order, as `tracing:market-partner-sdk:order:*` publishes it. */
export interface OrderSpan {
  readonly consumer: string;
  readonly key: string;
  readonly attempt: number;
  /** Set when the attempt ended. */
  verdict?: string;
}

/** The part of the option `tracing` that wraps the work of an inbox and an outbox. */
export interface DurableTracing {
  /** The context of the span that is active now. */
  traceContext?(): TraceContext;
  /**
   * Runs a listener of an inbox. Calls `run` once, before it returns.
   *
   * @param cause - the trace context of the webhook that announced the event, if one came.
   */
  event?(span: EventSpan, cause: TraceContext | undefined, run: () => Promise<unknown>): unknown;
  /**
   * Runs an attempt to place an order. Calls `run` once, before it returns.
   *
   * @param cause - the trace context of the `add` that stored the sale.
   */
  order?(span: OrderSpan, cause: TraceContext | undefined, run: () => Promise<unknown>): unknown;
}
