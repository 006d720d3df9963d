/** The real OpenTelemetry SDK, exporting into memory. */

import * as api from '@opentelemetry/api';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-node';

export interface Recording {
  /** Everything that ended so far, oldest first. */
  spans(): ReadableSpan[];
  /** The sum of a histogram's values and their number, for each set of attributes. */
  histogram(
    name: string,
  ): Promise<{ attributes: api.Attributes; count: number; sum: number | undefined }[]>;
  reset(): void;
  stop(): Promise<void>;
}

export function startRecording(): Recording {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.register();
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({
    exporter: metricExporter,
    exportIntervalMillis: 3_600_000,
  });
  const meters = new MeterProvider({ readers: [reader] });
  api.metrics.setGlobalMeterProvider(meters);
  return {
    spans: () => exporter.getFinishedSpans(),
    histogram: async (name) => {
      metricExporter.reset();
      await reader.forceFlush();
      const metrics = metricExporter
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics)
        .flatMap((scope) => scope.metrics);
      const points = metrics.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
      return points.map(({ attributes, value }) => {
        const { count, sum } = value as { count: number; sum?: number };
        return { attributes, count, sum };
      });
    },
    reset: () => exporter.reset(),
    stop: async () => {
      await provider.shutdown();
      await meters.shutdown();
      api.trace.disable();
      api.context.disable();
      api.propagation.disable();
      api.metrics.disable();
    },
  };
}

/** A span for each request of undici, as partners with an HTTP instrumentation have it. */
export function instrumentUndici(): () => void {
  const instrumentation = new UndiciInstrumentation();
  instrumentation.setTracerProvider(api.trace.getTracerProvider());
  instrumentation.enable();
  return () => instrumentation.disable();
}
