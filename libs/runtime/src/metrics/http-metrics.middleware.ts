import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { Counter, Histogram, type Registry } from 'prom-client';
import { currentRequestContext, type RequestContext } from '../request-context/request-context.js';

const LABELS = ['method', 'route', 'status'] as const;
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** `candor_http_requests_total` and `candor_http_request_duration_seconds` by method, route template and status. */
export function httpMetricsMiddleware(registry: Registry): RequestHandler {
  const { requests, durations } = httpMetrics(registry);
  return (request: Request, response: Response, next: NextFunction) => {
    const stopTimer = durations.startTimer();
    const context = currentRequestContext();
    response.once('close', () => {
      const labels = {
        method: KNOWN_METHODS.has(request.method) ? request.method : 'other',
        route: routeTemplate(request, context),
        // 499: the caller went away, whatever the status would have been.
        status: String(response.writableFinished ? response.statusCode : 499),
      };
      requests.inc(labels);
      stopTimer(labels);
    });
    next();
  };
}

/** Two apps in one process share a registry, which refuses a second metric of the same name. */
function httpMetrics(registry: Registry) {
  const requests = registry.getSingleMetric('candor_http_requests_total') as
    Counter<(typeof LABELS)[number]> | undefined;
  const durations = registry.getSingleMetric('candor_http_request_duration_seconds') as
    Histogram<(typeof LABELS)[number]> | undefined;
  return {
    requests:
      requests ??
      new Counter({
        name: 'candor_http_requests_total',
        help: 'HTTP requests',
        labelNames: LABELS,
        registers: [registry],
      }),
    durations:
      durations ??
      new Histogram({
        name: 'candor_http_request_duration_seconds',
        help: 'Time from the first byte of a request to the end of its response, seconds',
        labelNames: LABELS,
        buckets: SECONDS,
        registers: [registry],
      }),
  };
}

/** Never the path as sent: ids in labels would make a time series each. */
function routeTemplate(request: Request, context: RequestContext | undefined): string {
  if (context?.route) return context.route.path;
  const matched = (request.route as { path?: unknown } | undefined)?.path;
  return typeof matched === 'string' ? matched : 'unmatched';
}
