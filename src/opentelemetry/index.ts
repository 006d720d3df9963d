/** `market-partner-sdk/opentelemetry`: spans and metrics through the partner's `@opentelemetry/api`. */

export type { Attributes, HistogramLike, OpenTelemetryApi, SpanLike } from './api.js';
export { openTelemetry, type OpenTelemetryOptions } from './open-telemetry.js';
