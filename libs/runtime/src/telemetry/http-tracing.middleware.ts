import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { currentRequestContext } from '../request-context/request-context.js';

/** One server span a request, continuing the caller's trace; named by the route template, never by the path as sent. */
export function httpTracingMiddleware(service: string): RequestHandler {
  const tracer = trace.getTracer(service);
  return (request: Request, response: Response, next: NextFunction) => {
    const parent = propagation.extract(context.active(), request.headers);
    const requestContext = currentRequestContext();
    const span = tracer.startSpan(
      request.method,
      {
        kind: SpanKind.SERVER,
        attributes: { 'http.request.method': request.method, 'candor.request_id': requestContext?.requestId ?? '' },
      },
      parent,
    );
    response.once('close', () => {
      const route = requestContext?.route?.path;
      if (route) span.updateName(`${request.method} ${route}`).setAttribute('http.route', route);
      span.setAttribute('http.response.status_code', response.statusCode);
      if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    context.with(trace.setSpan(parent, span), next);
  };
}
