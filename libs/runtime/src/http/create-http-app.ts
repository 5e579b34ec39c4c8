import type { INestApplication, Type, DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { RequestHandler } from 'express';
import type { Server } from 'node:http';
import type { Registry } from 'prom-client';
import type { Logger } from '../logging/create-logger.js';
import { NestPinoLogger } from '../logging/nest-pino-logger.js';
import { httpMetricsMiddleware } from '../metrics/http-metrics.middleware.js';
import { processMetrics } from '../metrics/process-metrics.js';
import { httpTracingMiddleware } from '../telemetry/http-tracing.middleware.js';
import { AppErrorFilter, type BeforeErrorResponse } from './app-error.filter.js';
import { jsonBodyMiddleware, type BodyOptions } from './json-body.middleware.js';
import { requestContextMiddleware } from './request-context.middleware.js';
import { RouteContextGuard } from './route-context.guard.js';
import { securityHeadersMiddleware, wellFormedUrlMiddleware } from './security.middleware.js';

export interface HttpAppOptions extends BodyOptions {
  service: string;
  logger: Logger;
  beforeErrorResponse?: BeforeErrorResponse;
  /** Other transports of the same process (gRPC, queue); started by `listenUntilSignal`. */
  microservices?: readonly MicroserviceOptions[];
  /** Default: the process's registry. */
  metrics?: Registry;
  /** Run before a body is read, inside the request context: who calls is known before anything is parsed. */
  beforeBody?: readonly RequestHandler[];
}

/** Longer than the idle time of common load balancers, so that they close first and never write into a closing socket. */
const KEEP_ALIVE_MS = 65_000;

/** A Nest application on express that answers every request, good or bad, in the API's own way. Not yet initialised. */
export async function createHttpApp(
  module: Type<unknown> | DynamicModule,
  options: HttpAppOptions,
): Promise<NestExpressApplication> {
  const { logger, microservices = [], metrics = processMetrics() } = options;
  // Said by each process itself, so that dashboards need no names that a scraper made up.
  metrics.setDefaultLabels({ app: options.service });
  const app = await NestFactory.create<NestExpressApplication>(module, {
    abortOnError: false,
    bodyParser: false,
    logger: new NestPinoLogger(logger),
  });
  app.disable('x-powered-by');
  app.disable('etag');
  app.disable('trust proxy');
  app.set('query parser', 'simple');
  app.use(
    requestContextMiddleware,
    httpTracingMiddleware(options.service),
    httpMetricsMiddleware(metrics),
    securityHeadersMiddleware,
    ...(options.beforeBody ?? []),
    wellFormedUrlMiddleware,
    jsonBodyMiddleware(options),
  );
  app.useGlobalGuards(new RouteContextGuard());
  app.useGlobalFilters(
    new AppErrorFilter({
      logger,
      ...(options.beforeErrorResponse ? { beforeErrorResponse: options.beforeErrorResponse } : {}),
    }),
  );
  for (const microservice of microservices) app.connectMicroservice<MicroserviceOptions>(microservice);
  keepConnectionsAlive(app);
  return app;
}

function keepConnectionsAlive(app: INestApplication): void {
  const server = app.getHttpServer() as Server;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = KEEP_ALIVE_MS + 1_000;
}
