/** Ends telemetry: sends what is buffered. */
export type StopTelemetry = () => Promise<void>;

/**
 * Starts OpenTelemetry when OTEL_EXPORTER_OTLP_ENDPOINT is set, else does nothing. Spans are made by our own middleware
 * (HTTP, gRPC, jobs), so nothing needs to be loaded before the libraries it would patch. The SDK reads the standard
 * OTEL_* variables; the exporter is OTLP over HTTP. Metrics are Prometheus's (`/metrics`), logs are the log's.
 */
export async function startTelemetry(service: string, env: NodeJS.ProcessEnv = process.env): Promise<StopTelemetry> {
  if (!env['OTEL_EXPORTER_OTLP_ENDPOINT']) return async () => undefined;
  // Loaded only when asked for: the SDK is large.
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const sdk = new NodeSDK({ serviceName: service, instrumentations: [], metricReaders: [], logRecordProcessors: [] });
  sdk.start();
  return () => sdk.shutdown();
}
