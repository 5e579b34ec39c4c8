import { context, propagation } from '@opentelemetry/api';

/** W3C trace headers (`traceparent`, `tracestate`) in the envelope of a job or the metadata of a call; empty without telemetry. */
export type TraceCarrier = Record<string, string>;

/** The running trace, to travel with a job. */
export function injectTrace(): TraceCarrier {
  const carrier: TraceCarrier = {};
  propagation.inject(context.active(), carrier);
  return carrier;
}

/** Runs `run` within the trace that `carrier` names. */
export function extractTrace<Result>(carrier: TraceCarrier | undefined, run: () => Result): Result {
  return context.with(propagation.extract(context.active(), carrier ?? {}), run);
}
