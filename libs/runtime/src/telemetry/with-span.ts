import { SpanStatusCode, trace } from '@opentelemetry/api';

/** One step of the running trace; free without telemetry. A failure is marked by its type only: messages may hold content. */
export function withSpan<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
  return trace.getTracer('candor').startActiveSpan(name, async (span) => {
    try {
      return await run();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
      throw error;
    } finally {
      span.end();
    }
  });
}
