/** The members of `@opentelemetry/api` that are used; the partner passes the package itself. */

export type Attributes = Record<string, string | number | boolean | undefined>;

export interface SpanLike {
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

export interface HistogramLike {
  record(value: number, attributes: Attributes): void;
}

/** `@opentelemetry/api` 1.x, as imported with `import * as api`. */
export interface OpenTelemetryApi<Context, Span extends SpanLike, SpanContext> {
  readonly context: {
    active(): Context;
    with<T>(context: Context, run: () => T): T;
  };
  readonly trace: {
    getTracer(name: string): {
      startSpan(
        name: string,
        options: { kind: number; attributes: Attributes; links: { context: SpanContext }[] },
        context: Context,
      ): Span;
    };
    setSpan(context: Context, span: Span): Context;
    deleteSpan(context: Context): Context;
    getSpanContext(context: Context): SpanContext | undefined;
  };
  readonly propagation: {
    inject(context: Context, carrier: Record<string, string>): void;
    extract(context: Context, carrier: Readonly<Record<string, string>>): Context;
  };
  readonly metrics: {
    getMeter(name: string): {
      createHistogram(name: string, options: { unit: string; description: string }): HistogramLike;
    };
  };
}

/** The numbers of the API's enums, which are fixed by its specification. */
export const spanKind = { internal: 0, client: 2, consumer: 4 } as const;
export const statusError = 2;
