import { context, propagation, trace, TraceFlags } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { openEnvelope, sealEnvelope } from './job-envelope.js';

const span = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  traceFlags: TraceFlags.SAMPLED,
};

describe('job envelope', () => {
  afterEach(() => {
    propagation.disable();
    context.disable();
  });

  it('carries the trace of the caller to the handler', () => {
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const sealed = context.with(trace.setSpanContext(context.active(), span), () => sealEnvelope({ key: 1 }));
    expect(sealed.trace).toEqual({ traceparent: `00-${span.traceId}-${span.spanId}-01` });
    const opened = openEnvelope('test.work', JSON.parse(JSON.stringify(sealed)));
    expect(opened.payload).toEqual({ key: 1 });
    expect(trace.getSpanContext(opened.trace)).toMatchObject(span);
  });

  it('has no trace without a tracer', () => {
    expect(sealEnvelope({ key: 1 })).toEqual({ payload: { key: 1 } });
  });

  it.each([undefined, null, 'text', { key: 1 }, { payload: 1, extra: 1 }])('refuses %j', (data) => {
    expect(() => openEnvelope('test.work', data)).toThrow(expect.objectContaining({ code: 'JOB.INVALID_PAYLOAD' }));
  });
});
